#!/usr/bin/env bash
# All-reduces that go up and down a tree on each channel, of a simulator that is not ours (test/data/README.md): who is named.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/recordings.sh"
expect() { expect_verdict "trees/$1" "$2" '[.findings[] | [.kind, .culprits_world, (.hosts | unique)]]'; }
expect healthy '[]'
expect healthy_tensor '[]'
expect slow_adapter '[["slow_link",[4,5,6,7],["node1"]]]'
expect slow_link '[["slow_link",[2,3],["node1"]]]'
# The other ranks of its communicator come late for the next because of it: one cause, one finding.
expect slow_rail '[["slow_link",[7],["node1"]]]'
# Its data-parallel communicators are the largest: that is world rank 3 of the job's first.
expect slow_proxy '[["slow_link",[3],["node1"]]]'
# Two hosts, two communicators: the one exchanges its data slowly, and which end is slow nothing tells.
expect two_hosts '[["slow_link",[1,3],["node0","node1"]]]'
all_as_expected
