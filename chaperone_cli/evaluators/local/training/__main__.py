"""Runs the training program: python -m chaperone_cli.evaluators.local.training."""

import sys

from chaperone_cli.errors import ChaperoneError

try:
    from chaperone_cli.evaluators.local.training.program import main

    sys.exit(main())
except ModuleNotFoundError as missing:
    sys.exit(
        f"error: training needs the package {missing.name}\n"
        "  hint: install chaperone with its extra 'train', and with 'teach' for the encoder"
    )
except ChaperoneError as error:
    hint = f"\n  hint: {error.hint}" if error.hint else ""
    sys.exit(f"error: {error.message}{hint}")
