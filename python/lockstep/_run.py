"""A recorded run: its tables in SQL, its findings and its report, through the command."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import tempfile
import warnings
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from ._errors import LockstepError
from ._files import command_path

Row = Dict[str, Any]


def _ask(*arguments: str) -> Tuple[int, str]:
    """Runs the command: its exit code, 0 or 1, and what it printed."""
    try:
        done = subprocess.run(
            [command_path(), *arguments], capture_output=True, encoding="utf-8", errors="replace"
        )
    except OSError as error:
        raise LockstepError(f"{command_path()} cannot be run: {error.strerror}") from error
    said = done.stderr.strip()
    if done.returncode not in (0, 1):
        raise LockstepError(said or f"lockstep ended with {done.returncode}", done.returncode)
    if said:
        warnings.warn(said, stacklevel=4)  # what is damaged or missing
    return done.returncode, done.stdout


def _last_array(output: str) -> List[Row]:
    """One array is printed for each statement, one after the other."""
    decoder = json.JSONDecoder()
    rows: List[Row] = []
    at = 0
    while at < len(output):
        if output[at].isspace():
            at += 1
            continue
        rows, at = decoder.raw_decode(output, at)
    return rows


class Rows:
    """An answer: a sequence of rows, each a dict by column. Times are in nanoseconds, sizes in
    bytes, as docs/schema.md says for each column."""

    def __init__(self, run: "Run", statement: str) -> None:
        self._run = run
        self._statement = statement
        self._rows = _last_array(_ask("query", run.path, statement, "--json")[1])
        self._columns: Optional[List[str]] = list(self._rows[0]) if self._rows else None

    def rows(self) -> List[Row]:
        """All rows."""
        return self._rows

    @property
    def columns(self) -> List[str]:
        """The columns' names, also when there are no rows."""
        if self._columns is None:
            printed = _ask("query", self._run.path, self._statement, "--csv")[1]
            self._columns = next(csv.reader(io.StringIO(printed)), [])
        return self._columns

    def df(self) -> Any:
        """A ``pandas.DataFrame``."""
        try:
            import pandas
        except ImportError:
            raise ImportError("df() needs pandas; install it, or use rows()") from None
        return pandas.DataFrame(self._rows, columns=self.columns)

    def arrow(self) -> Any:
        """A ``pyarrow.Table``."""
        try:
            import pyarrow
        except ImportError:
            raise ImportError("arrow() needs pyarrow; install it, or use rows()") from None
        columns = {name: [row[name] for row in self._rows] for name in self.columns}
        return pyarrow.table(columns)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}>"


class Run:
    """The recording of one job: the folder that ``LOCKSTEP_DIR`` named."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        if not os.path.isdir(self.path):
            raise FileNotFoundError(f"{self.path}: no such run directory")

    def sql(self, statement: str) -> Rows:
        """The answer to a question in DuckDB's SQL; to the last one of several statements.

        Raises LockstepError for a mistake, for a run of which nothing can be read, and without
        DuckDB. What is damaged or missing in the run is a warning.
        """
        return Rows(self, statement)

    @property
    def operations(self) -> Rows:
        """Every collective, send and receive of every rank (table ``operations``)."""
        return self.sql("SELECT * FROM operations")

    def findings(self) -> List[Row]:
        """What is wrong, most important first, as ``lockstep diagnose --json`` says it: for each
        its ``kind``, ``text``, ``culprits_world``, ``confidence`` (0 to 1), ``why``, ..."""
        answer = json.loads(_ask("diagnose", self.path, "--json")[1])
        return list(answer["findings"])

    def report(self) -> str:
        """The report in plain text. Writes nothing into the run; ``lockstep report`` writes the
        page with the plots."""
        with tempfile.TemporaryDirectory() as folder:
            return _ask("report", self.path, "-o", folder)[1]

    def __repr__(self) -> str:
        return f"lockstep.Run({self.path!r})"
