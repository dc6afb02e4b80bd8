"""Domain types to and from the JSON of the contracts in `schemas/`, one file per contract."""
