"""Runs the training program: python -m training."""

import sys

from chaperone_cli.errors import ChaperoneError


def _run() -> int | str:
    try:
        from training.program import main

        return main()
    except ModuleNotFoundError as missing:
        return (
            f"error: training needs the package {missing.name}\n"
            "  hint: install chaperone with its extra 'train', and with 'teach' for the encoder"
        )
    except ChaperoneError as error:
        hint = f"\n  hint: {error.hint}" if error.hint else ""
        return f"error: {error.message}{hint}"


if __name__ == "__main__":  # also read by the processes that teach side by side
    sys.exit(_run())
