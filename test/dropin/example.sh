#!/usr/bin/env bash
# Example mode: its trace files, valid JSON, with every event instead of the first eight, on their real channels.
. "$(dirname "$0")/../lib.sh"
need jq jq
NCCL_PROFILE_DUMP_FILE=$TMP/trace NCCL_PROFILE_EVENT_MASK=4095 LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 \
  "$BUILD/lockstep-emulate" --ranks 2 --iterations 100 --channels 3 "$BUILD/libnccl-profiler.so" >"$TMP/counts"
want_equal "files" 2 "$(find "$TMP" -name 'trace_*_[01].json' | wc -l)"
for file in "$TMP"/trace_*.json; do
  begun() { jq "[.[]|select(.ph==\"b\" and .cat==\"$1\")]|length" "$file"; }
  want_equal "collectives in $file" 100 "$(begun COLL)"
  want_equal "groups in $file" 100 "$(begun GROUP)"
  want_equal "channels of kernels" '[0,1,2]' "$(jq -c '[.[]|select(.ph=="b" and .cat=="GPU").args.Channel]|unique' "$file")"
  want_equal "events that end before they begin, or never began" 0 \
    "$(jq '[.[]|select(.ph)]|group_by([.cat,.name,.id])|map(select((map(select(.ph=="e").ts)|add) < (map(select(.ph=="b").ts)|add) or length % 2 != 0))|length' "$file")"
  want_equal "events at time 0" 0 "$(jq '[.[]|select(.ph and .ts <= 0)]|length' "$file")"
done

# Network events are named by the plugin that made them: the emulator's are the socket transport's.
NCCL_PROFILE_DUMP_FILE=$TMP/net NCCL_PROFILE_EVENT_MASK=4095 LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/net.run LOCKSTEP_CLOCK=0 \
  "$BUILD/lockstep-emulate" --ranks 2 --iterations 3 --net-events "$BUILD/libnccl-profiler.so" >"$TMP/counts"
for file in "$TMP"/net_*.json; do
  want_equal "categories and names of network events" '["NET_SOCK/Sock"]' \
    "$(jq -c '[.[]|select(.ph=="b" and .cat and (.name=="Sock" or .name=="Qp" or .name=="Net"))|.cat+"/"+.name]|unique' "$file")"
  want_equal "their arguments" '["op","size","sock"]' \
    "$(jq -c '[.[]|select(.ph=="b" and .cat=="NET_SOCK")][0].args|keys' "$file")"
done
