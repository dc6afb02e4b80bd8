"""The engine replays conversations and gathers votes; the only place with concurrency."""
