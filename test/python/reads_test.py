"""Answers through the package beside the command's own."""

import json
import os
import subprocess
import sys
import types
import warnings

import lockstep

path = sys.argv[1]
run = lockstep.Run(path)


def command(*arguments):
    return subprocess.run(["lockstep", *arguments], stdout=subprocess.PIPE, encoding="utf-8").stdout


def error_of(call, kind):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


question = "SELECT func, count(*) AS calls FROM operations GROUP BY func ORDER BY func"
answer = run.sql(question)
assert answer.rows() == json.loads(command("query", path, question, "--json")) and len(answer) > 0
assert answer.columns == ["func", "calls"] and answer[0]["calls"] == list(answer)[0]["calls"]
assert len(run.operations) == sum(row["calls"] for row in answer)
assert run.operations.columns[0] == "operation"
nobody = run.sql("SELECT rank, func FROM operations WHERE rank = 99")
assert nobody.rows() == [] and nobody.columns == ["rank", "func"]
assert run.sql("SELECT 1 AS a; SELECT 2 AS b").rows() == [{"b": 2}]
assert run.findings() == json.loads(command("diagnose", path, "--json"))["findings"] != []
before = sorted(os.listdir(path))
assert "AllReduce" in run.report()
assert sorted(os.listdir(path)) == before, "a report wrote into the run"

mistake = error_of(lambda: run.sql("SELECT frob FROM operations"), lockstep.LockstepError)
assert mistake.exit_code == 2 and "frob" in str(mistake)
assert "nowhere" in str(error_of(lambda: lockstep.Run("nowhere"), FileNotFoundError))
given = os.environ.get("LOCKSTEP_DUCKDB")
os.environ["LOCKSTEP_DUCKDB"] = "/none"
missing = error_of(lambda: run.sql("SELECT 1"), lockstep.LockstepError)
assert missing.exit_code == 3 and "/none" in str(missing), missing
del os.environ["LOCKSTEP_DUCKDB"]
if given is not None:
    os.environ["LOCKSTEP_DUCKDB"] = given


def cannot(call, module):
    """As where it is not installed."""
    before = sys.modules.pop(module, None)
    sys.modules[module] = None
    assert module in str(error_of(call, ImportError))
    del sys.modules[module]
    if before is not None:
        sys.modules[module] = before


cannot(answer.df, "pandas")
cannot(answer.arrow, "pyarrow")
try:
    import pandas
except ImportError:
    assert "--with-pandas" not in sys.argv, "there is no pandas"
else:
    frame = answer.df()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["func", "calls"]
    assert int(frame["calls"].sum()) == len(run.operations) and len(nobody.df()) == 0
    print("pandas", pandas.__version__)
try:
    import pyarrow
except ImportError:
    # A stand-in tells what pyarrow would be given.
    sys.modules["pyarrow"] = types.SimpleNamespace(table=lambda columns: columns)
    columns = answer.arrow()
    del sys.modules["pyarrow"]
else:
    columns = answer.arrow().to_pydict()
assert columns == {"func": [row["func"] for row in answer], "calls": [row["calls"] for row in answer]}

variables = lockstep.env("somewhere", buffer_mb=128, host_load=False)
assert variables["LOCKSTEP_DIR"] == "somewhere" and variables["LOCKSTEP_BUFFER_MB"] == "128"
assert variables["LOCKSTEP_HOST_LOAD"] == "0"
assert os.path.samefile(variables["NCCL_PROFILER_PLUGIN"], lockstep.plugin_path())
assert error_of(lambda: lockstep.step(-1), ValueError)
assert "lockstep.step" in str(error_of(lambda: lockstep.attach(object()), TypeError))

# A damaged run still answers, with a warning.
victim = next(name for name in sorted(os.listdir(path)) if name.endswith(".lks"))
with open(os.path.join(path, victim), "rb") as file:
    whole = file.read()
try:
    with open(os.path.join(path, victim), "r+b") as file:
        file.truncate(len(whole) // 2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert run.sql("SELECT count(*) AS n FROM operations")[0]["n"] >= 0
    assert victim in str(said[0].message), "nothing was said about the damaged file"
finally:
    with open(os.path.join(path, victim), "wb") as file:
        file.write(whole)
