"""Pure types and decisions: no input or output, no third party, nothing asynchronous."""
