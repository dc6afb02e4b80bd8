"""Runs the training program: python -m chaperone_cli.evaluators.local.training."""

import sys

from chaperone_cli.evaluators.local.training.program import main

sys.exit(main())
