"""What `chaperone rephrase` does: what is wanted, which responses those are, and the run."""
