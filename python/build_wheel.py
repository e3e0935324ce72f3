#!/usr/bin/env python3
"""Packs the package, the plugin, the command and its server into one wheel: `make wheel`.

The wheel's tag says what it really needs: the newest version of glibc that the plugin, the command
or the server asks for, and 2.17 at the least (PEP 600). Plugin and command may not need the C++
library of the machine, whose versions the tag does not cover. The server, which `lockstep serve`
loads, needs that, cpp-httplib and OpenSSL of the machine; where they are missing it says so, and
everything else works. The same files give the same bytes.
"""

import argparse
import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "lockstep_nccl"
OLDEST_GLIBC = (2, 17)
OF_GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}

METADATA = """\
Metadata-Version: 2.1
Name: lockstep-nccl
Version: {version}
Summary: NCCL traces from every rank, complete, on one clock: the plugin, the command, and marks from Python
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Description-Content-Type: text/markdown

{description}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: lockstep
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRY_POINTS = """\
[console_scripts]
lockstep = lockstep.__main__:main
"""


def readelf(option, path):
    return subprocess.run(
        ["readelf", "-W", option, str(path)], check=True, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout


def glibc_of(path, arch):
    """The newest glibc that a program or library needs, as (2, 34)."""
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", readelf("-V", path))
    return max(((int(a), int(b)) for a, b in versions), default=(2, 0))


def check(path, arch, needs_others):
    """That it is for this architecture, and needs no library but glibc's unless it may."""
    if MACHINES[arch] not in readelf("-h", path):
        sys.exit(f"{path} is not for {arch}; build it with ARCH={arch}")
    for library in re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("-d", path)):
        if not needs_others and library not in OF_GLIBC and not library.startswith("ld-linux-"):
            sys.exit(f"{path} needs {library}, which other machines may not have; link it statically")


def contents(arguments, tag):
    """Every file of the wheel but RECORD: its name, its bytes, whether it is a program."""
    info = f"{NAME}-{arguments.version}.dist-info"
    for source in sorted((HERE / "lockstep").glob("*")):
        if source.suffix == ".py" or source.name == "py.typed":
            yield f"lockstep/{source.name}", source.read_bytes(), False
    yield "lockstep/lib/libnccl-profiler.so", arguments.plugin.read_bytes(), True
    yield "lockstep/bin/lockstep", arguments.command.read_bytes(), True
    if arguments.server:
        yield "lockstep/lib/liblockstep-http.so", arguments.server.read_bytes(), True
    description = (HERE.parent / "docs" / "python.md").read_text(encoding="utf-8")
    metadata = METADATA.format(version=arguments.version, description=description)
    yield f"{info}/METADATA", metadata.encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False
    yield f"{info}/LICENSE", (HERE.parent / "LICENSE").read_bytes(), False


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def put(archive, name, data, program):
    entry = zipfile.ZipInfo(name)  # of 1980, so that the same files give the same bytes
    entry.external_attr = (0o100755 if program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--arch", choices=sorted(MACHINES), required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--command", type=Path, required=True)
    parser.add_argument("--server", type=Path, help="left out where it could not be built")
    parser.add_argument("--output", type=Path, default=Path("dist"), help="folder")
    arguments = parser.parse_args()

    files = [arguments.plugin, arguments.command] + [arguments.server] * bool(arguments.server)
    for path in files:
        check(path, arguments.arch, needs_others=path == arguments.server)
    major, minor = max([glibc_of(path, arguments.arch) for path in files] + [OLDEST_GLIBC])
    tag = f"py3-none-manylinux_{major}_{minor}_{arguments.arch}"
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"{NAME}-{arguments.version}-{tag}.whl"
    record_name = f"{NAME}-{arguments.version}.dist-info/RECORD"
    record = ""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, program in contents(arguments, tag):
            put(archive, name, data, program)
            record += f"{name},sha256={digest(data)},{len(data)}\n"
        put(archive, record_name, (record + f"{record_name},,\n").encode(), False)
    print(path)


if __name__ == "__main__":
    main()
