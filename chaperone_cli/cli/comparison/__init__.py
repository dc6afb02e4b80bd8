"""What `chaperone diff` and `audit --baseline` do: an earlier run, and how another compares."""
