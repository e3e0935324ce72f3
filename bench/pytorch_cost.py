"""What an all-reduce of 64 KiB costs PyTorch's calling thread, and how long it takes, as medians of so many rounds of fifty.

Run it with and without NCCL_PROFILER_PLUGIN in turns and compare: ROUNDS, a rank by RANK and WORLD_SIZE as torchrun sets them.
Ranks may share a GPU if each has a NCCL_HOSTID of its own.
"""

import statistics
import sys
import time

import torch
import torch.distributed

CALLS = 50
torch.cuda.set_device(0)
torch.distributed.init_process_group("nccl")
numbers = torch.ones(16384, device="cuda")
call_us, whole_us = [], []
for _ in range(2 + int(sys.argv[1])):  # the first two warm up
    torch.distributed.barrier()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        torch.distributed.all_reduce(numbers)
    called = time.perf_counter()
    torch.cuda.synchronize()
    call_us.append((called - begin) / CALLS * 1e6)
    whole_us.append((time.perf_counter() - begin) / CALLS * 1e6)
if torch.distributed.get_rank() == 0:
    print(f"call {statistics.median(call_us[2:]):.1f} us, whole {statistics.median(whole_us[2:]):.1f} us")
torch.distributed.destroy_process_group()
