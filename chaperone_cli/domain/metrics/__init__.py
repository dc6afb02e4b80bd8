"""What the votes on a labelled log say about an evaluator: counts, rates and their uncertainty."""
