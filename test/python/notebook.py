"""Runs the Python blocks of a page one after the other in one namespace, as a notebook runs its cells."""

import re
import sys

cells = re.findall(r"^```python\n(.*?)^```", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
assert cells, "the page has no Python"
namespace = {}
for number, cell in enumerate(cells, 1):
    exec(compile(cell, f"{sys.argv[1]}, cell {number}", "exec"), namespace)
