#!/usr/bin/env bash
# Epilog=/path/to/epilog.sh in slurm.conf: on each node, when a job has ended in whatever way, turns what its killed
# processes left in memory into segments of their run directory. Works as the job's user, so that a directory on a
# file system that distrusts root can be written and none of somebody else's is. Always succeeds: a failing epilog
# would drain the node.
LOCKSTEP_COMMAND=${LOCKSTEP_COMMAND:-/usr/local/bin/lockstep}
export -n LOCKSTEP_COMMAND
LIMIT_S=60
[ -x "$LOCKSTEP_COMMAND" ] || exit 0
[[ ${SLURM_JOB_ID:-} =~ ^[0-9]+$ && ${SLURM_JOB_UID:-} =~ ^[0-9]+$ ]] || exit 0

# The start of a memory file names the run directory and, among the process's facts, the job.
directories() {
  local file start
  for file in /dev/shm/lockstep-"$SLURM_JOB_UID"-*.blocks /tmp/lockstep-"$SLURM_JOB_UID"-*.blocks; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    start=$(head -c 65536 "$file" | tr -c '[:print:]' '\n')
    grep -qF "\"SLURM_JOB_ID\":\"$SLURM_JOB_ID\"" <<<"$start" || continue
    grep -m1 '^/' <<<"$start"
  done | sort -u
}

directories | while read -r directory; do
  timeout -k 5 "$LIMIT_S" setpriv --reuid "$SLURM_JOB_UID" --regid "${SLURM_JOB_GID:-$SLURM_JOB_UID}" --clear-groups \
    "$LOCKSTEP_COMMAND" recover "$directory" >/dev/null 2>&1 </dev/null
done
exit 0
