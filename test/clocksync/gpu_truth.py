"""Compares kernel times with readings of the GPU's clock: STAMPS CSV READINGS FEWEST MEDIAN_ERROR_NS

STAMPS are the KernelCh records of a run, CSV its exported tables, READINGS lines of before_raw_ns,gpu_ns,after_raw_ns: the
GPU's clock was read between two readings of CLOCK_MONOTONIC_RAW. Between readings its offset is interpolated.
"""
import bisect
import csv
import statistics
import sys

import kernel_stamps

GPU_STEP_NS = 32
DRIFT_ERROR_NS = 200  # what interpolation over half a second may miss: the clocks drift by 3 ppm, steadily

readings = [tuple(map(int, row.values())) for row in csv.DictReader(open(sys.argv[3]))]
offsets = [(gpu, gpu - (before + after) // 2, (after - before) // 2) for before, gpu, after in readings]


def true_time(stamp):
    """The stamp on the host's raw clock, and how far off that may be."""
    right = min(max(bisect.bisect(offsets, (stamp,)), 1), len(offsets) - 1)
    (gpu_a, offset_a, error_a), (gpu_b, offset_b, error_b) = offsets[right - 1], offsets[right]
    offset = offset_a + (offset_b - offset_a) * (stamp - gpu_a) // (gpu_b - gpu_a)
    return stamp - offset, max(error_a, error_b) + DRIFT_ERROR_NS + GPU_STEP_NS


errors = []
for _, row, starts, stops in kernel_stamps.operations(sys.argv[1], sys.argv[2]):
    early, late = int(row["kernel_early_ns"]), int(row["kernel_late_ns"])
    for told, stamp in ((int(row["kernel_start_ns"]), min(starts)), (int(row["kernel_stop_ns"]), max(stops))):
        true, unsure = true_time(stamp)
        if not told - early - unsure <= true <= told + late + unsure:
            sys.exit(f"event {row['event_id']}: told {told} -{early} +{late}, read {true} +-{unsure}")
        errors.append(told - true)
median = statistics.median(map(abs, errors))
print(len(errors), "stamps checked, the estimate errs by", round(median), "ns in the median")
if len(errors) < int(sys.argv[4]) or median > int(sys.argv[5]):
    sys.exit("too few, or too far off")
