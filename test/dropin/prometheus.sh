#!/usr/bin/env bash
# The metrics of a running job: promtool's judgement, and the Grafana template's queries through a real node_exporter
# and a real Prometheus.
. "$(dirname "$0")/../lib.sh"
need promtool prometheus
need prometheus prometheus
need prometheus-node-exporter prometheus-node-exporter
need curl curl
need jq jq

LOCKSTEP_PROMETHEUS_DIR=$TMP/prom LOCKSTEP_EVENTS=step LOCKSTEP_DIR=$TMP/run SLURM_JOB_ID='7"\x' \
  "$BUILD/lockstep-emulate" --ranks 2 --iterations 600 --rate 20 --sizes 4K 1M \
  --ops allreduce allgather reducescatter --sendrecv --channels 2 "$BUILD/libnccl-profiler.so" >"$TMP/counts" &
job=$!
read -r port server_port < <(free_ports 2)
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$TMP/prom" \
  --web.listen-address="127.0.0.1:$port" >"$TMP/exporter.log" 2>&1 &
exporter=$!
cat >"$TMP/prometheus.yml" <<YAML
global: {scrape_interval: 500ms}
scrape_configs:
  - job_name: nccl
    static_configs: [{targets: ["127.0.0.1:$port"], labels: {cluster: "here"}}]
YAML
prometheus --config.file="$TMP/prometheus.yml" --storage.tsdb.path="$TMP/tsdb" \
  --web.listen-address="127.0.0.1:$server_port" >"$TMP/prometheus.log" 2>&1 &
server=$!
trap 'kill $job $exporter $server 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT

query() { curl -sG "http://127.0.0.1:$server_port/api/v1/query" --data-urlencode "query=$1"; }
# The template's form of query; prints how many groups have a value.
groups() {  # groups METRIC MATCHERS
  query "avg by(message_size, nranks, n_nodes) ($1{cluster=\"here\", slurm_job_id=\"7\\\"\\\\x\", $2})" |
    jq -r '[.data.result[]?|select((.value[1]|tonumber) > 0)]|length'
}
# What has no value yet: two processes write and Prometheus reads at moments of their own.
missing() {
  local function operation metric
  for function in AllReduce AllGather ReduceScatter; do
    for metric in nccl_bus_bandwidth_gbs nccl_collective_exec_time_microseconds; do
      [ "$(groups $metric "collective=\"$function\", n_nodes!=\"1\"")" -ge 1 ] || echo "$metric of $function"
    done
  done
  for operation in Send Recv; do
    for metric in nccl_p2p_bus_bandwidth_gbs nccl_p2p_exec_time_microseconds; do
      [ "$(groups $metric "p2p_operation=\"$operation\", n_nodes!=\"1\"")" = 1 ] || echo "$metric of $operation"
    done
  done
}
for _ in $(seq 40); do
  sleep 0.5
  without=$(missing)
  [ -n "$without" ] || break
done
[ -z "$without" ] || fail "without a value: $without; Prometheus: $(tail -3 "$TMP/prometheus.log"); the exporter: $(tail -3 "$TMP/exporter.log")"
want_equal "ranks with operations" 2 \
  "$(query 'count(sum by (rank) (lockstep_operations_total))' | jq -r '.data.result[0].value[1]')"
want_equal "scrape errors" 0 "$(query node_textfile_scrape_error | jq -r '.data.result[0].value[1]')"

# Ours pass; of the template's four names two have a unit that promtool does not like, and nothing else is said.
for file in "$TMP"/prom/lockstep_*.prom; do
  cp "$file" "$TMP/one.prom"
  promtool check metrics <"$TMP/one.prom" >"$TMP/lint" 2>&1 || fail "promtool on our metrics: $(cat "$TMP/lint")"
  want_equal "promtool on our metrics" "" "$(cat "$TMP/lint")"
done
for file in "$TMP"/prom/nccl_*.prom; do
  cp "$file" "$TMP/one.prom"
  rc=0
  promtool check metrics <"$TMP/one.prom" >"$TMP/lint" 2>&1 || rc=$?
  want_equal "promtool's exit code for the template's names" 3 $rc
  want_equal "promtool on the template's names" \
    'nccl_collective_exec_time_microseconds use base unit "seconds" instead of "microseconds"
nccl_p2p_exec_time_microseconds use base unit "seconds" instead of "microseconds"' "$(sort "$TMP/lint")"
done
for kind in lockstep nccl; do
  want_equal "$kind files, one per process" 2 "$(find "$TMP/prom" -name "${kind}_*.prom" | wc -l)"
done
kill $job
wait $job || true
