"""What people read in a terminal: runs, single conversations, comparisons, figures, rewrites."""
