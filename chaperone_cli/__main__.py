"""Runs the command line as `python -m chaperone_cli`."""

from chaperone_cli.cli.main import main

if __name__ == "__main__":
    main()
