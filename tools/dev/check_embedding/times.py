"""What a call from PyTorch costs, beside PyTorch and Triton, each after a check of its numbers."""
import time

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def host_time(call, count=2000, rounds=7):
    """Seconds of the host for a call; the device does less."""
    found = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        found.append((time.perf_counter() - start) / count)
        torch.cuda.synchronize()
    return min(found)


def device_time(call, count=50, rounds=7):
    """Seconds of the device for a call: of many in a captured graph, so that the host has no part in it."""
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            call()
    found = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        found.append(start.elapsed_time(end) / count / 1e3)
    return min(found)


def show(what, seconds, beside=""):
    print(f"{what:58} {seconds * 1e6:10.2f} us{beside}")
    return seconds


def launches(m):
    x, y = (torch.randn(1024, device="cuda") for _ in range(2))
    z = torch.empty_like(x)
    bound = m.add.bind(x, y)
    for call in (lambda: bound(x, y, z), lambda: m.add(x, y, out=z)):
        z.zero_()
        call()
        assert torch.equal(z, x + y)
    show("torch.add(x, y, out=z), 1024 floats", host_time(lambda: torch.add(x, y, out=z)))
    own = show("m.add bound (bar: 6, and Triton's)", host_time(lambda: bound(x, y, z)))
    show("m.add(x, y, out=z)", host_time(lambda: m.add(x, y, out=z)))
    show("m.add(x, y)", host_time(lambda: m.add(x, y)))
    if not triton:
        return

    @triton.jit
    def kernel(x, y, z, n, block: tl.constexpr):
        at = tl.program_id(0) * block + tl.arange(0, block)
        tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)

    def peer():
        kernel[(1,)](x, y, z, 1024, block=1024)
    peer()
    assert torch.equal(z, x + y)
    time_of_peer = show(f"Triton {triton.__version__}", host_time(peer))
    print(f"{'  bound / Triton (bar: 1.0)':58} {own / time_of_peer:10.2f}")


def softmax(m):
    a = torch.randn(1024, 1024, device="cuda")
    b = torch.empty_like(a)
    m.rows(a, out=b)
    assert (b - a.softmax(1)).abs().max() < 1e-6
    show("softmax of 1024 x 1024, device time", device_time(lambda: m.rows(a, out=b)))
    show("  torch.softmax", device_time(lambda: torch.softmax(a, 1, out=b)))
