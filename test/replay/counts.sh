# Sourced by the tests of the drivers: holding what libcount.so was called with against what a driver says it did.
# shellcheck shell=bash

# The calls of every process that wrote into folder $1, added up, as the drivers print them.
plugin_counts() {
  jq -cS -s 'def total(f): reduce (.[] | f | to_entries[]) as $e ({}; .[$e.key] += $e.value);
    {communicators: (map(.communicators) | add), finalizes: (map(.finalizes) | add),
     starts: total(.starts), states: total(.states), stops: total(.stops)}' "$1"/*.json
}
# A driver's line without what a plugin cannot know.
driver_counts() { jq -cS '{communicators, finalizes, starts, states, stops}' <<<"$1"; }
# How many calls libcount.so could make no sense of.
nonsense() { jq -s 'map(.nonsense) | add' "$1"/*.json; }
# A fresh folder for libcount.so to write into.
count_into() { rm -rf "$1"; mkdir -p "$1"; export COUNT_DIR=$1; }
