"""The command, as ``lockstep`` or ``python -m lockstep``: becomes the program of that name."""

from __future__ import annotations

import os
import sys

from ._errors import LockstepError
from ._files import command_path


def main() -> None:
    try:
        path = command_path()
    except LockstepError as error:
        sys.exit(f"lockstep: {error}")
    if os.path.realpath(path) == os.path.realpath(sys.argv[0]):
        sys.exit("lockstep: this package holds no command of its own, and PATH has no other")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
