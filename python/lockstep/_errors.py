"""What the package raises."""

from __future__ import annotations

from typing import Optional


class LockstepError(RuntimeError):
    """The command ``lockstep`` could not answer; the text is its own sentence.

    ``exit_code``: 2 for a mistake in the question, 3 for a run that cannot be read or a missing
    DuckDB (docs/exit-codes.md); None where the command could not be started.
    """

    def __init__(self, sentence: str, exit_code: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
