"""Runs the training program: python -m chaperone_cli.evaluators.local.training."""

import sys

from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.local.training.program import main

try:
    sys.exit(main())
except ChaperoneError as error:
    hint = f"\n  hint: {error.hint}" if error.hint else ""
    sys.exit(f"error: {error.message}{hint}")
