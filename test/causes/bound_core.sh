#!/usr/bin/env bash
# A rank that is bound to a core which busy loops hold is late, and waits for a processor.
# serial
. "$(dirname "$0")/lib.sh"
need taskset util-linux
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for _ in 1 2 3; do busy_loop taskset -c "$core"; done
# The kinder the rank, the less it depends on what else this machine does that the loops get most of the core.
job bound_core "--iterations 250 --rate 50 --sizes 256K" nice -n 19 taskset -c "$core"
end_loops
named bound_core no_processor
