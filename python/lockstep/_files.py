"""Where the plugin and the command are, and the variables that have NCCL load the plugin."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Dict, Optional, Union

from ._errors import LockstepError

_PACKAGE = Path(__file__).resolve().parent
_PLUGIN = "libnccl-profiler.so"


def command_path() -> str:
    """The command ``lockstep``: the package's own, else the first on PATH."""
    own = _PACKAGE / "bin" / "lockstep"
    if own.is_file():
        return str(own)
    found = shutil.which("lockstep")
    if found is None:
        raise LockstepError(
            "there is no command lockstep: this package was not installed from a wheel that holds "
            "it, and PATH has none; install the wheel of `make wheel`, or put lockstep on PATH"
        )
    return found


def plugin_path() -> str:
    """The plugin ``libnccl-profiler.so``, for ``NCCL_PROFILER_PLUGIN``.

    The package's own; else the one beside the command on PATH (``../lib``, as ``make install``
    puts it, or the command's own folder, as ``make`` leaves it).
    """
    own = _PACKAGE / "lib" / _PLUGIN
    if own.is_file():
        return str(own)
    folder = Path(command_path()).resolve().parent
    for place in (folder.parent / "lib" / _PLUGIN, folder / _PLUGIN):
        if place.is_file():
            return str(place)
    raise LockstepError(
        f"there is no {_PLUGIN} in this package, nor beside {command_path()}; install the wheel of "
        "`make wheel`, or give NCCL_PROFILER_PLUGIN the path yourself"
    )


def env(
    directory: Optional[Union[str, "os.PathLike[str]"]] = None, **options: object
) -> Dict[str, str]:
    """The variables with which a job is recorded, to be merged into its environment.

    ``directory``: where the recordings go (``LOCKSTEP_DIR``). Further options have the names of
    docs/configuration.md, with its units: ``env("runs/1", interval_us=50000, events="step")``.
    Set them before NCCL initialises::

        os.environ.update(lockstep.env("runs/1"))
    """
    variables = {"NCCL_PROFILER_PLUGIN": plugin_path()}
    if directory is not None:
        variables["LOCKSTEP_DIR"] = os.fspath(directory)
    for name, value in options.items():
        text = str(int(value)) if isinstance(value, bool) else str(value)
        variables["LOCKSTEP_" + name.upper()] = text
    return variables
