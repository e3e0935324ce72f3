"""A small data-parallel training job with a fault: MODE STEPS OUT, a rank by RANK and WORLD_SIZE as torchrun sets them.

MODE is healthy; late (rank 2 sleeps 30 ms in every second step, as a slow data loader); slow-gpu (rank 1's GPU computes more,
its calls are on time); hang (rank 1 stops in step 25); profiled (eight steps under PyTorch's profiler). Ranks may share a GPU
if each has a NCCL_HOSTID of its own. OUT gets PyTorch's traces and flight recorder dumps: those of a hang once OUT/dump exists.
"""

import os
import sys
import threading
import time

import torch
import torch.distributed
from torch import nn

import lockstep

WIDTH = 1024
mode, steps, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
torch.distributed.init_process_group("nccl")
torch.manual_seed(1)
layers = [nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()) for _ in range(6)]
model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers).cuda(), bucket_cap_mb=8)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
lockstep.attach(optimizer)
more_work = torch.randn(4096, 4096, device="cuda")


def dump_flight_recorder():
    with open(f"{out}/fr_trace_{rank}", "wb") as file:
        file.write(torch._C._distributed_c10d._dump_nccl_trace())


def dump_when_asked():
    while not os.path.exists(out + "/dump"):
        time.sleep(0.2)
    dump_flight_recorder()


def wait_for_the_data():
    time.sleep(600)


def load_batch(step):
    if mode == "late" and rank == 2 and step > 5 and step % 2 == 0:
        time.sleep(0.03)
    if mode == "hang" and rank == 1 and step == 25:
        wait_for_the_data()
    return torch.randn(256, WIDTH, device="cuda")


def loss_of(batch):
    if mode == "slow-gpu" and rank == 1:
        product = more_work
        for _ in range(12):
            product = product @ more_work * 1e-3
    return model(batch).square().mean()


threading.Thread(target=dump_when_asked, daemon=True).start()
profiler = None
if mode == "profiled":
    profiler = torch.profiler.profile(
        schedule=torch.profiler.schedule(wait=steps // 2, warmup=2, active=8, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(f"{out}/kineto_{rank}.json"),
    )
    profiler.start()
for step in range(steps):
    optimizer.zero_grad(set_to_none=True)
    loss = loss_of(load_batch(step))
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        total = loss.detach().clone()
        torch.distributed.all_reduce(total)
        total.item()
    if profiler:
        profiler.step()
torch.cuda.synchronize()
if profiler:
    profiler.stop()
dump_flight_recorder()
torch.distributed.destroy_process_group()
