#!/usr/bin/env python3
"""What PyTorch computes for the formulas of level1.lisp and level2.lisp, and how long it takes.

    peers.py expected FILE.lisp     prints what FILE.expected holds: digests in float64 at the small sizes
    peers.py serve gpu|cpu          for each line `FILE NUMBER MODE` of its input, times that problem eager and compiled
                                    and prints a line of JSON; MODE is f32 or tf32

Operands follow from places as in operands.lisp. Needs torch.
"""
import json
import math
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch
import torch.nn.functional as F

import problems
from formulas import FORMULAS

CHUNK = 1 << 24  # Elements of int64 that are made at a time.


def bits(place, seed):
    a = ((place + seed * 1000003) * 2654435769) & 0xFFFFFFFF
    b = ((a ^ (a >> 15)) * 739982445) & 0xFFFFFFFF
    return b ^ (b >> 13)


def uniform(place, seed):
    return (bits(place, seed) >> 8).float() * 2.0 ** -24


def numbers(kind, place, seed, last):
    """The elements at the places of one operand."""
    row, column = place // last, place % last
    if kind == "centered":
        return 4 * uniform(place, seed) - 2
    if kind == "weights":
        return 0.25 * (uniform(place, seed) - 0.5)
    if kind == "coins":
        return uniform(place, seed) < 0.5
    if kind == "signs":
        return 1 - 2 * (uniform(place, seed) < 0.5).float()
    if kind == "shares":
        return (0.5 + uniform(place, seed)) / float(last)
    if kind == "classes":
        return bits(place, seed) % last
    if kind == "symmetric":
        return uniform(last * torch.minimum(row, column) + torch.maximum(row, column), seed)
    if kind == "upper":
        return torch.where(row <= column, uniform(place, seed), 0.0)
    if kind == "lower":
        return torch.where(row >= column, uniform(place, seed), 0.0)
    assert kind == "uniform", kind
    return uniform(place, seed)


def operand(device, kind, sizes, seed):
    shape = sizes[:-1] if kind == "classes" else sizes
    count = math.prod(shape)
    types = {"coins": torch.bool, "classes": torch.int64}
    flat = torch.empty(count, dtype=types.get(kind, torch.float32), device=device)
    for start in range(0, count, CHUNK):
        place = torch.arange(start, min(start + CHUNK, count), device=device)
        flat[start:start + CHUNK] = numbers(kind, place, seed, sizes[-1])
    return flat.reshape(shape)


def digest(y, samples):
    """As (report y) prints it: [elements, norm, two weighted sums, elements ...]."""
    flat = y.reshape(-1)
    n = flat.numel()
    squares, sums = 0.0, [0.0, 0.0]
    for start in range(0, n, CHUNK):
        part = flat[start:start + CHUNK].double()
        place = torch.arange(start, start + part.numel(), device=y.device)
        squares += float(part @ part)
        for i in range(2):
            sums[i] += float(part @ (uniform(place, 101 + i).double() - 0.5))
    k = torch.arange(samples, device=y.device)
    other = bits(k, 103) % n
    here = torch.where(k % 4 == 0, k // 4 % n, torch.where(k % 4 == 1, n - 1 - k // 4 % n, other))
    return [n, math.sqrt(squares), *sums, *flat[here].double().tolist()]


def expected(path):
    for problem in problems.read(path):
        values = [operand("cpu", kind, sizes, seed) for kind, sizes, seed in problem.operands("small")]
        values = [v.double() if v.is_floating_point() else v for v in values]
        found = digest(FORMULAS[problem.level][problem.number](*values), problems.SAMPLES["small"])
        print(problem.number, *(f"{v:.12g}" for v in found))


class Clock:
    def __init__(self, device):
        self.gpu = device == "gpu"

    def wait(self):
        if self.gpu:
            torch.cuda.synchronize()

    def microseconds(self, f):
        """As (timed ...) of problems.lisp: one call for nothing, one to choose how many, then those."""
        f()
        self.wait()
        start = time.perf_counter()
        f()
        self.wait()
        rounds = max(1, min(20, int(0.5 / max(1e-6, time.perf_counter() - start))))
        start = time.perf_counter()
        for _ in range(rounds):
            f()
        self.wait()
        return 1e6 * (time.perf_counter() - start) / rounds


def measure(problem, device, mode):
    where = "cuda" if device == "gpu" else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = mode == "tf32"
    formula = FORMULAS[problem.level][problem.number]
    values = [operand(where, kind, sizes, seed) for kind, sizes, seed in problem.operands(device)]
    answer = {"digest": digest(formula(*values), problems.SAMPLES[device])}
    clock = Clock(device)
    answer["eager"] = clock.microseconds(lambda: formula(*values))
    try:
        torch._dynamo.reset()
        compiled = torch.compile(formula, dynamic=False)
        compiled(*values)
        answer["compiled"] = clock.microseconds(lambda: compiled(*values))
    except Exception as error:  # No compiler for it on this machine.
        answer["not compiled"] = type(error).__name__
    return answer


def serve(device):
    if device == "gpu":
        torch.cuda.init()
    print(json.dumps({"torch": torch.__version__,
                      "device": torch.cuda.get_device_name() if device == "gpu" else "CPU"}), flush=True)
    for line in sys.stdin:
        path, number, mode = line.split()
        problem = next(p for p in problems.read(path) if p.number == int(number))
        try:
            with torch.no_grad():
                answer = measure(problem, device, mode)
        except Exception as error:  # Such as out of memory: this problem has no peer.
            answer = {"error": (str(error).splitlines() or [type(error).__name__])[0][:120]}
        if device == "gpu":
            torch.cuda.empty_cache()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "expected":
        expected(sys.argv[2])
    elif len(sys.argv) == 3 and sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(__doc__)
