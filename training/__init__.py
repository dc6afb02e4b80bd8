"""Rebuilds the local evaluator's weights from labelled dialogues; needs scikit-learn and scipy."""
