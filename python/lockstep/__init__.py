"""lockstep from Python: mark a training loop's steps and ranges, and read what was recorded.

Marks go into the recording that lockstep makes of this process, where NCCL has loaded it
(``NCCL_PROFILER_PLUGIN``); anywhere else they do nothing::

    import lockstep

    for n, batch in enumerate(batches):
        with lockstep.step(n):
            with lockstep.range("forward"):
                loss = model(batch)

A recorded run is a folder. Its tables (docs/schema.md) are asked in SQL::

    run = lockstep.Run("runs/latest")
    run.sql("SELECT func, count(*) AS calls FROM operations GROUP BY func").df()

Nothing but the standard library is needed; ``df()`` needs pandas, ``arrow()`` pyarrow, and every
question in SQL DuckDB's library (``lockstep query`` says where to get it).
"""

from ._errors import LockstepError
from ._files import command_path, env, plugin_path
from ._marks import Capture, Range, Step, StepHook, attach, capture, range, step, text
from ._run import Rows, Run
from ._version import __version__

__all__ = [
    "Capture",
    "LockstepError",
    "Range",
    "Rows",
    "Run",
    "Step",
    "StepHook",
    "__version__",
    "attach",
    "capture",
    "command_path",
    "env",
    "plugin_path",
    "range",
    "step",
    "text",
]
