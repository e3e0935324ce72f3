#!/usr/bin/env bash
# The readers of flight recorder dumps find in the recorded hang that rank 1 is missing, and nothing in a run that ended
# (flight_recorder_readers.py has what they read; the readers themselves need PyTorch and NVIDIA's package).
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need python3 python3
need jq jq
reader() { python3 "$ROOT/test/export/flight_recorder_readers.py" "$@"; }

for run in hang straggler; do
  record $run "$TMP/$run"
  "$lockstep" export "$TMP/$run" --to flight-recorder -o "$TMP/$run-nvidia" --name '_dump_%r.json' >"$TMP/out"
done
want_equal "files under a name of one's own" "_dump_0.json _dump_1.json _dump_2.json _dump_3.json" \
  "$(cd "$TMP/hang-nvidia" && echo _dump_*)"
want_equal "NVIDIA's analyzer on the hang" "process group 0: missing [1]" "$(reader nvidia "$TMP/hang-nvidia")"
want_equal "NVIDIA's analyzer on a run that ended" "" "$(reader nvidia "$TMP/straggler-nvidia")"

# The lines of docs/export.md that make pickled dumps.
sed -n '/^    mkdir pickled/,/^$/p' "$ROOT/docs/export.md" | sed 's/^    //' >"$TMP/lines"
[ -s "$TMP/lines" ] || fail "docs/export.md has no lines that make pickled dumps"
for run in hang straggler; do
  mkdir "$TMP/$run-torch"
  "$lockstep" export "$TMP/$run" --to flight-recorder -o "$TMP/$run-torch/dumps" >"$TMP/out"
  (cd "$TMP/$run-torch" && bash "$TMP/lines")
done
want_equal "PyTorch's analyzer on the hang" "process group 0: not all ranks joining 22: [1]" \
  "$(reader torch "$TMP/hang-torch/pickled")"
want_equal "PyTorch's analyzer on a run that ended" "process group 0: 60 collectives match" \
  "$(reader torch "$TMP/straggler-torch/pickled")"

# Two stages of a pipeline, in 3 steps of 5 group calls: every send meets its receive in the peer's coalesced group. Where
# a dump says that a rank sent another size, it does not.
"$BUILD/lockstep-simulate" "$TMP/stages" --schedule 1f1b --pp 2 --ranks 2 --steps 3 --micro-batches 4
mkdir "$TMP/stages-torch"
"$lockstep" export "$TMP/stages" --to flight-recorder -o "$TMP/stages-torch/dumps" >"$TMP/out"
(cd "$TMP/stages-torch" && bash "$TMP/lines")
on_stages() { reader torch "$TMP/stages-torch/pickled" | sed -n 's/^process group [0-9]*: \(.*coalesced.*\)/\1/p'; }
want_equal "PyTorch's analyzer on sends and receives" "0 collectives match, 15 coalesced groups match" "$(on_stages)"
jq -c '(first(.entries[] | select(.profiling_name == "nccl:send 0->1")) | .input_sizes) = [[1]]' \
  "$TMP/stages-torch/dumps/nccl_trace_rank_0.json" >"$TMP/other.json"
mv "$TMP/other.json" "$TMP/stages-torch/dumps/nccl_trace_rank_0.json"
rm -r "$TMP/stages-torch/pickled"
(cd "$TMP/stages-torch" && bash "$TMP/lines")
want_equal "PyTorch's analyzer on another size" "0 collectives match, 15 coalesced groups MISMATCH" "$(on_stages)"

want_equal "what is not known" '[null]' \
  "$(jq -c '[.entries[] | select(.state == "scheduled").time_discovered_completed_ns] | unique' "$TMP/hang-nvidia/_dump_0.json")"
want_equal "a name without the rank" 3 \
  "$(exit_code "$lockstep" export "$TMP/hang" --to flight-recorder -o "$TMP/x" --name dump.json)"
sentence "a name without the rank" "two processes would have the file dump.json; put %r, the rank, into the name"
want_equal "a name for a format of one file" 2 \
  "$(exit_code "$lockstep" export "$TMP/hang" --to perfetto -o "$TMP/x" --name '%r')"
want_equal "a path for a name" 2 "$(exit_code "$lockstep" export "$TMP/hang" --to kineto -o "$TMP/x" --name '../%r')"
