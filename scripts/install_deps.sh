#!/usr/bin/env bash
# Installs what is missing, and only that: scripts/install_deps.sh demo|test. As root (or with sudo that asks no password)
# by apt-get; otherwise it lists what is missing and why, and succeeds when the plugin and the command can be built.
# Starts no service and leaves none enabled. Assumes a compiler, make and bash; nothing else.
set -u
cd "$(dirname "$0")/.." || exit 1

# class  package  how to see that it is there: <header> for the compiler, a command, or /a/file (pattern)  what it is for
#   build     without it nothing builds
#   demo      `make demo` shows less without it
#   test      `make test` needs it
#   optional  one test or another needs it and skips without it
LIST='
build     libzstd-dev             <zstd.h>            compresses what is recorded
build     libxxhash-dev           <xxhash.h>          checksums of what is recorded
build     rapidjson-dev           <rapidjson/reader.h> reads and writes JSON
build     libconcurrentqueue-dev  <concurrentqueue/concurrentqueue.h> queue between NCCL and the dump thread
build     libcli11-dev            <CLI/CLI.hpp>       command lines of the programs
build     libsodium-dev           <sodium.h>          signs the packets of the clock prober
build     zlib1g-dev              <zlib.h>            compresses exports
build     libsqlite3-dev          <sqlite3.h>         writes SQLite files
build     libprotozero-dev        <protozero/pbf_writer.hpp> writes Perfetto traces
demo      libcpp-httplib-dev      <httplib.h>         the server of lockstep serve
demo      libssl-dev              <openssl/ssl.h>     TLS of that server
demo      libncursesw6            /usr/lib/*/libncursesw.so.6 the screen of lockstep top
demo      npm                     npm                 fetches uPlot, the plots in the report page
demo      esbuild                 esbuild             makes one script of the report page
test      libgtest-dev            <gtest/gtest.h>     unit tests
test      jq                      jq                  reads the JSON of commands
test      zstd                    zstd                unpacks recorded call logs
test      python3                 python3             second readers of files; simulated peers
test      pkg-config              pkg-config          builds a program with the installed library
test      procps                  ps                  looks at the processes under test
test      binutils                objdump             symbols of the plugin
test      git                     git                 the version of the build; a clone to test from
test      iproute2                ip                  networks of hosts on one machine
test      libdw1                  /usr/lib/*/libdw.so.1 unwinds stacks
optional  python3-venv            /usr/lib/python3*/ensurepip/__init__.py installs the wheel into a clean environment
optional  python3-pandas          /usr/lib/python3/dist-packages/pandas/__init__.py reads a run into a data frame
optional  shellcheck              shellcheck          checks the shell scripts
optional  prometheus              promtool            checks the metrics; its server never runs
optional  prometheus-node-exporter prometheus-node-exporter serves the metrics to one test
optional  tmux                    tmux                the terminal that lockstep top is tested in
optional  curl                    curl                asks the node exporter
optional  openssh-client          ssh                 lockstep connect
optional  openssh-server          /usr/sbin/sshd      lockstep connect, through a daemon of this machine
optional  nftables                nft                 loses packets on purpose
optional  python3-yaml            /usr/lib/python3/dist-packages/yaml/__init__.py reads the examples for Kubernetes
optional  strace                  strace              counts system calls
optional  faketime                /usr/lib/*/faketime/libfaketimeMT.so.1 clocks that jump
optional  valgrind                valgrind            counts instructions of a call
optional  protobuf-compiler       protoc              reads Perfetto traces back
optional  clang                   clang++             second compiler; fuzz targets
optional  clang-tidy              clang-tidy          static checks
optional  clang-format            clang-format        the look of the code
optional  libclang-rt-14-dev      /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a libFuzzer
optional  qemu-user               qemu-aarch64        runs the unit tests built for aarch64
optional  g++-aarch64-linux-gnu   aarch64-linux-gnu-g++ builds for aarch64
optional  debootstrap             debootstrap         Debian bullseye and fresh roots to test in
optional  chromium                chromium            opens the report page
optional  munge                   munged              SLURM on this machine, for the time of one test
optional  slurmctld               slurmctld           the same
optional  slurmd                  slurmd              the same
optional  slurm-client            srun                the same
'

case ${1:-} in
  demo) classes=(build demo) ;;
  test) classes=(build demo test optional) ;;
  *) echo "usage: scripts/install_deps.sh demo|test" >&2; exit 2 ;;
esac

CXX=${CXX:-g++}
as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo -n); else as_root=(false); fi
fi
can_install() { command -v apt-get >/dev/null && [ "${as_root[0]:-}" != false ]; }

# Succeeds when one line's third column is there.
present() {
  case $1 in
    '<'*) printf '#include %s\n' "$1" | "$CXX" -E -x c++ - >/dev/null 2>&1 ;;
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing() {  # missing CLASS...: the lines of packages of those classes that are not there: PACKAGE PURPOSE
  local class package probe purpose
  while read -r class package probe purpose; do
    [[ -n $class && " $* " == *" $class "* ]] && ! present "$probe" && echo "$package $purpose"
  done <<<"$LIST"
  return 0
}
names() { cut -d' ' -f1 | tr '\n' ' '; }
table() { sed 's/ /\t/' | expand -t 26 | sed 's/^/  /'; }

apt() { DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=1 \
  -o Acquire::http::Timeout=20 "$@" </dev/null; }

# What starts with the machine: links to units, and the S links of System V.
enabled() { find /etc/systemd/system /etc/systemd/user /etc/rc?.d -type l ! -name 'K*' 2>/dev/null | sort; }

# Packages start and enable their services when they are installed. The tests start what they need themselves, so
# nothing is started meanwhile (policy-rc.d says no), and what was enabled is disabled again, which upgrades respect.
POLICY=/usr/sbin/policy-rc.d
quiet_begin() {
  enabled_before=$(enabled)
  policy_is_ours=
  [ -e "$POLICY" ] && return
  policy_is_ours=1
  trap quiet_end EXIT
  trap 'exit 130' INT TERM
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$POLICY" >/dev/null
  "${as_root[@]}" chmod 755 "$POLICY"
}
quiet_end() {
  local links
  trap - EXIT INT TERM
  [ -n "$policy_is_ours" ] && "${as_root[@]}" rm -f "$POLICY"
  mapfile -t links < <(comm -13 <(echo "$enabled_before") <(enabled))
  [ ${#links[@]} = 0 ] || "${as_root[@]}" rm -f "${links[@]}"
}

# One call for everything that exists in this distribution; a package it does not have is named and passed over.
install() {
  local package known=()
  apt update || echo "install_deps: apt-get update failed; trying with the lists there are" >&2
  for package in "$@"; do
    if [ -n "$(apt-cache madison "$package" 2>/dev/null)" ]; then
      known+=("$package")
    else
      echo "install_deps: this distribution has no package $package; what needs it is skipped"
    fi
  done
  [ ${#known[@]} = 0 ] && return
  echo "install_deps: installing ${known[*]}"
  quiet_begin
  # One package that cannot be installed must not keep the others out.
  apt install -y --no-install-recommends "${known[@]}" >/dev/null ||
    for package in "${known[@]}"; do
      apt install -y --no-install-recommends "$package" >/dev/null ||
        echo "install_deps: could not install $package" >&2
    done
  quiet_end
}

# JavaScript exactly as package-lock.json pins it, into ./node_modules: for the demo the report's plots, for the tests
# what reads Parquet and Perfetto traces and DuckDB as well. The marker holds the lock file of what was installed.
install_npm() {  # install_npm demo|test
  local marker=node_modules/.lockstep-$1 only=()
  [ -f package-lock.json ] || return 0
  cmp -s package-lock.json "$marker" && return 0
  cmp -s package-lock.json node_modules/.lockstep-test && return 0
  command -v npm >/dev/null || { echo "install_deps: no npm; the report page is built without its script"; return 0; }
  [ "$1" = demo ] && only=(--omit=dev --omit=optional)
  npm ci ${only[@]+"${only[@]}"} --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 \
    --fetch-timeout=20000 </dev/null >/dev/null 2>&1 && cp package-lock.json "$marker" && return 0
  echo "install_deps: npm ci failed; what needs ./node_modules is skipped" >&2
}

if can_install; then
  read -ra wanted <<<"$(missing "${classes[@]}" | names)"
  [ ${#wanted[@]} = 0 ] || install "${wanted[@]}"
fi
install_npm "$1"

lacking=$(missing "${classes[@]}")
[ -z "$lacking" ] && exit 0
if ! can_install; then
  printf 'install_deps: these packages are missing, and installing them takes root and apt-get:\n%s\n' "$(table <<<"$lacking")"
  echo "install_deps: as root: apt-get install --no-install-recommends $(names <<<"$lacking")"
else
  printf 'install_deps: these packages are still missing; what needs them is skipped:\n%s\n' "$(table <<<"$lacking")"
fi
lacking=$(missing build)
[ -z "$lacking" ] && exit 0
echo "install_deps: nothing builds without $(names <<<"$lacking"); install them or their equivalents, then run make again" >&2
exit 1
