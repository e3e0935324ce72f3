"""Training jobs of several schedules, with a fault: KIND FAULT RANK STEPS OUT, a rank by RANK and WORLD_SIZE as torchrun sets them.

KIND is ddp, zero, fsdp, hsdp, tp, pp, moe or serve, of four or eight ranks. FAULT is none; late (RANK sleeps 8 ms in each
step); part (20 ms in two of five steps, by chance); checkpoint (250 ms in each 25th); slow-sends (from the sixth step on its
sockets have a rate of 300 MB/s); hang (it stops in step 25). A slow GPU is one whose CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is less
than the others'. Ranks may share a GPU if each has a NCCL_HOSTID of its own, and are hosts by LOCKSTEP_HOST. OUT.RANK.json gets
what was done, and how long the steps took.
"""

import json
import os
import random
import socket
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as functional
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import lockstep

WIDTH, HEADS, TOKENS = 256, 4, 256
WARM_UP = 5
SO_MAX_PACING_RATE = 47


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_rest = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        normed = self.before_attention(x)
        q, k, v = (
            part(normed).view(*x.shape[:2], -1, WIDTH // HEADS).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        seen = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        x = x + self.o(seen.reshape(*x.shape[:2], -1))
        return x + self.down(functional.gelu(self.up(self.before_rest(x))))


class Net(nn.Module):
    def __init__(self, blocks, fault):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.fault = fault

    def forward(self, x):
        for place, block in enumerate(self.blocks):
            if place == len(self.blocks) // 2:
                self.fault.inside_a_step()
            x = block(x)
        return x


class Fault:
    def __init__(self, name, mine):
        self.name, self.mine = name if mine else "none", mine
        self.step, self.slept_ms = 0, []
        self.chance = random.Random(7)

    def sleep(self, ms):
        begun = time.monotonic()
        time.sleep(ms / 1e3)
        self.slept_ms.append([self.step, (time.monotonic() - begun) * 1e3])

    def inside_a_step(self):
        if self.step < WARM_UP:
            return
        if self.name == "late":
            self.sleep(8)
        if self.name == "part" and self.chance.random() < 0.4:
            self.sleep(20)

    def before_a_step(self):
        if self.name == "checkpoint" and self.step and self.step % 25 == 0:
            self.sleep(250)
        if self.name == "hang" and self.step == 25:
            time.sleep(600)

    def after_warm_up(self):
        if self.name != "slow-sends":
            return
        for name in os.listdir("/proc/self/fd"):
            try:
                with socket.socket(fileno=os.dup(int(name))) as one:
                    one.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 300_000_000)
            except OSError:
                pass  # no socket


def batch(sequences):
    return torch.randn(sequences, TOKENS, WIDTH, device="cuda")


def backward_and_update(model, optimizer):
    def step(number):
        optimizer.zero_grad(set_to_none=True)
        loss = model(batch(8)).square().mean()
        loss.backward()
        optimizer.step()
        if number % 5 == 4:
            dist.all_reduce(loss.detach())
        elif number % 2:
            torch.cuda.current_stream().synchronize()

    return step


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False)


def data_parallel(fault, zero):
    model = nn.parallel.DistributedDataParallel(Net(6, fault).cuda(), bucket_cap_mb=4)
    if not zero:
        return backward_and_update(model, adam(model))
    sharded = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-4)
    return backward_and_update(model, sharded)


def fully_sharded(fault, shape):
    mesh = init_device_mesh("cuda", shape, mesh_dim_names=("replicas", "shards")[-len(shape) :])
    model = Net(6, fault).cuda()
    for part in (*model.blocks, model):
        fully_shard(part, mesh=mesh)
    return backward_and_update(model, adam(model))


def tensor_parallel(fault, replicas):
    mesh = init_device_mesh("cuda", (replicas, dist.get_world_size() // replicas), mesh_dim_names=("data", "tensor"))
    model = Net(4, fault).cuda()
    columns = {name: ColwiseParallel() for name in ("q", "k", "v", "up")}
    for block in model.blocks:
        parallelize_module(block, mesh["tensor"], {**columns, "o": RowwiseParallel(), "down": RowwiseParallel()})
    if replicas > 1:
        for part in (*model.blocks, model):
            fully_shard(part, mesh=mesh["data"])
    return backward_and_update(model, adam(model))


def pipeline(fault, replicas):
    stages = dist.get_world_size() // replicas
    mesh = init_device_mesh("cuda", (replicas, stages), mesh_dim_names=("data", "stages"))
    number = mesh["stages"].get_local_rank()
    model = Net(2, fault).cuda()
    stage = PipelineStage(model, number, stages, torch.device("cuda"), group=mesh["stages"].get_group())
    schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=lambda out, wanted: (out - wanted).square().mean())
    optimizer = adam(model)

    def step(_):
        optimizer.zero_grad(set_to_none=True)
        if number == 0:
            schedule.step(batch(16))
        elif number == stages - 1:
            schedule.step(target=batch(16), losses=[])
        else:
            schedule.step()
        if replicas > 1:
            dist.all_reduce(torch.cat([one.grad.reshape(-1) for one in model.parameters()]), group=mesh["data"].get_group())
        optimizer.step()

    return step


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x)
        return out

    @staticmethod
    def backward(context, gradient):
        return AllToAll.forward(context, gradient.contiguous())


def experts(fault):
    blocks = nn.ModuleList(Block() for _ in range(3)).cuda()
    own = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in blocks).cuda()
    optimizer = adam(nn.ModuleList([blocks, own]))

    def step(_):
        x = batch(4)
        optimizer.zero_grad(set_to_none=True)
        for place, (block, expert) in enumerate(zip(blocks, own)):
            if place == 1:
                fault.inside_a_step()
            x = block(x)
            x = x + AllToAll.apply(expert(AllToAll.apply(x.reshape(-1, WIDTH)))).view_as(x)
        x.square().mean().backward()
        dist.all_reduce(torch.cat([one.grad.reshape(-1) for one in blocks.parameters()]))
        optimizer.step()

    return step


def decoding(fault):
    model = Net(8, fault).cuda().requires_grad_(False)

    def step(_):
        dist.broadcast(torch.zeros(4, device="cuda"), 0)
        x = torch.randn(16, 8, WIDTH, device="cuda")
        fault.inside_a_step()
        for block in model.blocks:
            x = block(x)
            dist.all_reduce(x[:, :4].contiguous())
            dist.all_reduce(x[:, 4:].contiguous())
        x.sum().item()

    return step


def job(kind, fault):
    world = dist.get_world_size()
    replicas = 2 if world == 8 else 1
    makers = {
        "ddp": lambda: data_parallel(fault, zero=False),
        "zero": lambda: data_parallel(fault, zero=True),
        "fsdp": lambda: fully_sharded(fault, (world,)),
        "hsdp": lambda: fully_sharded(fault, (2, world // 2)),
        "tp": lambda: tensor_parallel(fault, replicas),
        "pp": lambda: pipeline(fault, replicas),
        "moe": lambda: experts(fault),
        "serve": lambda: decoding(fault),
    }
    return makers[kind]()


def main():
    kind, name, culprit, steps, out = sys.argv[1:6]
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    fault = Fault(name, dist.get_rank() == int(culprit))
    step = job(kind, fault)
    begun = 0.0
    for number in range(int(steps)):
        if number == WARM_UP:
            torch.cuda.synchronize()
            dist.barrier()
            fault.after_warm_up()
            begun = time.monotonic()
        fault.step = number
        fault.before_a_step()
        with lockstep.step(number):
            step(number)
    torch.cuda.synchronize()
    with open(f"{out}.{dist.get_rank()}.json", "w") as file:
        json.dump({"took_s": time.monotonic() - begun, "slept_ms": fault.slept_ms}, file)
    dist.destroy_process_group()


main()
