"""One file per command, each as thin as it can be."""
