// The options of the clock prober: rows of the table in lockstep/config.h, kept apart only for length. The numbers
// are those of clocksync/probe/clock_sync.h; plugin/process/clock_options.h turns one into the other. docs/clock-probing.md says
// what each costs and buys.
#pragma once

// clang-format off
#define LOCKSTEP_CLOCK_OPTIONS(X) \
  X(Clock, "clock", Flag, "", "", "clocks", \
    "1 probes the clocks of the job's hosts, 0 does not; unset: probes when recording and the job has more than one host") \
  X(ClockPreset, "clock_preset", Choice, "default", "default|high-accuracy|low-overhead|debug", "clocks", \
    "values for the options below that are not given themselves; docs/clock.md has the accuracy and cost of each") \
  X(ClockRendezvous, "clock_rendezvous", Text, "", "", "clocks", \
    "how hosts find each other: dir:PATH, tcp:HOST:PORT, slurm, static:HOST,HOST:PORT or none; unset: the run directory, then MASTER_ADDR, then SLURM's node list") \
  X(ClockPort, "clock_port", Number, "0", "0..65535", "clocks", \
    "UDP port of the probes, and TCP port of the rendezvous; 0 takes any, which slurm and static lists cannot use") \
  X(ClockJob, "clock_job", Text, "", "", "clocks", \
    "name of the job, the same on all of its hosts; unset: from SLURM, torchrun, MPI or MASTER_ADDR") \
  X(ClockPod, "clock_pod", Text, "", "", "clocks", \
    "hosts with the same word share a switch; unset: SLURM's topology, else the /24 network") \
  X(ClockKeyFile, "clock_key_file", Text, "", "", "clocks", \
    "file of 32 secret bytes with mode 0600; unset: one is made in the run directory when hosts meet there") \
  X(ClockInsecure, "clock_insecure", Flag, "0", "", "clocks", \
    "1 lets probes without a key leave this machine; anyone on the network can then shift the clocks") \
  X(ClockCadenceUs, "clock_cadence_us", Number, "100000", "500..60000000", "clocks", \
    "microseconds between trains of packets to one neighbour; it goes faster by itself on busy paths. Shorter costs processor time") \
  X(ClockBurstUs, "clock_burst_us", Number, "10000", "500..60000000", "clocks", \
    "the same for the first two seconds of a neighbour") \
  X(ClockTrain, "clock_train", Number, "3", "1..16", "clocks", \
    "packets in a train") \
  X(ClockSpacingUs, "clock_spacing_us", Number, "20", "0..10000", "clocks", \
    "microseconds between the packets of a train; up to 60 are spent spinning") \
  X(ClockWindowS, "clock_window_s", Number, "4", "1..600", "clocks", \
    "seconds that one window_stats line reports on; the alignment itself does not use windows") \
  X(ClockSnapshotMs, "clock_snapshot_ms", Number, "100", "10..10000", "clocks", \
    "milliseconds between readings of all of a host's clocks together") \
  X(ClockFlushMs, "clock_flush_ms", Number, "1000", "100..60000", "clocks", \
    "milliseconds between writes of the clock file: what a crash can lose") \
  X(ClockDegree, "clock_degree", Number, "8", "2..64", "clocks", \
    "neighbours of a host in the mesh; up to one more host than this, everybody probes everybody") \
  X(ClockAnchors, "clock_anchors", Number, "2", "0..16", "clocks", \
    "hosts of a pod that all of its hosts probe once a second, which keeps the bounds of far pairs narrow") \
  X(ClockDNsS2, "clock_d_ns_s2", Real, "100", "0..100000", "clocks", \
    "the largest change of a clock's rate that the guaranteed interval allows for, in ns/s^2") \
  X(ClockRhoPpm, "clock_rho_ppm", Real, "200", "1..10000", "clocks", \
    "the largest error of a clock's rate, in ppm") \
  X(ClockAsymNs, "clock_asym_ns", Number, "", "0..1000000000", "clocks", \
    "declares by how much the fastest packets of the two directions between hosts may differ; then `lockstep clock` also gives the narrower interval that this implies. Unset: nothing is declared") \
  X(ClockOut, "clock_out", Text, "", "", "clocks", \
    "folder that all hosts share, for their clock files; unset: the run directory") \
  X(GpuClock, "gpu_clock", Choice, "passive", "passive|active", "clocks", \
    "active also reads the GPU's clock through CUPTI every clock_snapshot_ms; passive uses NCCL's kernel stamps alone") \
  X(Cupti, "cupti", Text, "", "", "clocks", \
    "path of the CUPTI library for gpu_clock=active; unset: libcupti.so from the loader's path")
// clang-format on
