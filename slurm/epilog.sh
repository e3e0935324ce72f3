#!/usr/bin/env bash
# Epilog=/path/to/epilog.sh in slurm.conf: on each node, when a job has ended in whatever way, turns what its killed
# processes left in memory into segments of their run directory, and brings there what lies on the node's own disk; the
# last node to do so writes the answers when `lockstep run` was killed as well. Works as the job's user, so that a directory on a file system that distrusts root
# can be written and none of somebody else's is. Always succeeds: a failing epilog would drain the node.
LOCKSTEP_COMMAND=${LOCKSTEP_COMMAND:-/usr/local/bin/lockstep}
export -n LOCKSTEP_COMMAND
LIMIT_S=60
[ -x "$LOCKSTEP_COMMAND" ] || exit 0
JOB=${SLURM_HET_JOB_ID:-${SLURM_JOB_ID:-}}  # the tasks of a heterogeneous job know only its first component's
[[ $JOB =~ ^[0-9]+$ && ${SLURM_JOB_UID:-} =~ ^[0-9]+$ ]] || exit 0

as_user() {
  timeout -k 5 "$LIMIT_S" setpriv --reuid "$SLURM_JOB_UID" --regid "${SLURM_JOB_GID:-$SLURM_JOB_UID}" --clear-groups "$@"
}

# A run that `lockstep run` did not finish has left a file with the job and the run directory. The start of a process's
# memory file names the directory it wrote to and, among the process's facts, the job and LOCKSTEP_CLOCK_OUT. That is
# the run directory where `lockstep run` or the task prolog has set it; they give each host a directory of its own.
directories() {
  local file start wrote common
  for file in /dev/shm/lockstep-"$SLURM_JOB_UID-$JOB"-*.run; do
    [ -f "$file" ] && [ ! -L "$file" ] && sed -n '2{/^\//p}' "$file" && rm -f "$file"
  done
  for file in /dev/shm/lockstep-"$SLURM_JOB_UID"-*.blocks /tmp/lockstep-"$SLURM_JOB_UID"-*.blocks; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    start=$(head -c 65536 "$file" | tr -c '[:print:]' '\n')
    grep -qF "\"SLURM_JOB_ID\":\"$JOB\"" <<<"$start" || continue
    # Counters before it may look like a path's beginning.
    wrote=$(grep '^/..' <<<"$start" | while read -r path; do as_user test -d "$path" && echo "$path" && break; done)
    [ -n "$wrote" ] || continue
    common=$(grep -om1 '"name":"clock_out","value":"/[^"\\]*"' <<<"$start" | cut -d'"' -f8)
    if [ -n "$common" ] && { [ "${wrote%/*}" = "$common" ] || as_user test -f "$common/run.json"; }; then
      echo "$common"
    else
      echo "$wrote"
    fi
  done
}

directories | sort -u | while read -r directory; do
  as_user "$LOCKSTEP_COMMAND" finish --last "$directory" >/dev/null 2>&1 </dev/null
done
exit 0
