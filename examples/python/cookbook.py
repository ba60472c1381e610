"""Programs of examples/cookbook as functions of Python, beside NumPy's, and PyTorch's where it is installed.

    PYTHONPATH=python python3 examples/python/cookbook.py [NAME ...]

One line each: the largest difference from NumPy's result, and the best of ten calls in milliseconds.
"""
import os
import sys
import time

import lispier
import numpy as np

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    torch = None
COOKBOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cookbook")
f32, sqrt = np.float32, np.sqrt


def waves(*shape):
    return np.sin(np.arange(np.prod(shape), dtype=f32).reshape(shape))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normed(x, g, b):
    c = x - x.mean(1, keepdims=True)
    return c / sqrt((c * c).mean(1, keepdims=True) + f32(1e-5)) * g + b


def attention(q, k, v):
    hidden = np.triu(np.ones((q.shape[1], k.shape[1]), bool), 1)
    return softmax(np.where(hidden, f32(-np.inf), q @ k.transpose(0, 2, 1) / f32(8))) @ v


def k_means(points, centers):
    nearest = ((points[:, None] - centers) ** 2).sum(2).argmin(1)
    sums = np.stack([np.bincount(nearest, points[:, d], len(centers)) for d in range(2)], 1)
    return sums / np.bincount(nearest, minlength=len(centers))[:, None]


def life(x):
    near = sum(np.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - x
    return ((near == 3) | ((x == 1) & (near == 2))).astype(np.int32)


def heat(x):
    p = np.pad(x, 1)
    return f32(0.25) * ((p[:-2, 1:-1] + p[2:, 1:-1]) + (p[1:-1, :-2] + p[1:-1, 2:]))


def forces(p, m):
    d = p[None] - p[:, None]
    r2 = (d * d).sum(2) + f32(0.01)
    return (d * (m * r2 ** f32(-1.5))[:, :, None]).sum(1)


random = np.random.default_rng(0)
field = random.integers(0, 2, (1024, 1024)).astype(np.int32)
# Its inputs, the function of the program, NumPy's, and PyTorch's.
ROWS = {
    "vector-add": ([2.0, waves(4000000), waves(4000000)], "axpy", lambda a, x, y: f32(a) * x + y,
                   lambda a, x, y: torch.add(y, x, alpha=a)),
    "softmax": ([waves(1024, 4096)], "softmax_rows", softmax, lambda x: x.softmax(1)),
    "layer-norm": ([waves(1024, 1024), waves(1024), waves(1024)], "forward", normed,
                   lambda x, g, b: F.layer_norm(x, g.shape, g, b)),
    "attention": ([waves(12, 512, 64)] * 3, "attended", attention,
                  lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]),
    "k-means": ([random.random((100000, 2), f32), random.random((16, 2), f32)], "step", k_means, None),
    "n-body": ([waves(1000, 3), np.full(1000, 0.001, f32)], "acceleration", forces, None),
    "life": ([field], "next_step", life, None),
    # Only the call knows the sizes of what this loop ends with.
    "fft": ([waves(1 << 16), np.zeros(1 << 16, f32), 16],
            lambda m: lambda re, im, s: m.fft(re, im, s, out=(np.empty_like(re), np.empty_like(im))),
            lambda re, im, s: (lambda y: (y.real, y.imag))(np.fft.fft(re + 1j * im)),
            lambda re, im, s: torch.view_as_real(torch.fft.fft(torch.complex(re, im))).unbind(1)),
    "histogram": ([random.random(1000000, f32)], "histogram", lambda x: np.histogram(x, 10, (0, 1))[0],
                  lambda x: torch.histc(x, 10, 0, 1)),
    "prefix-sum": ([random.random(1 << 20, f32)], "in_blocks", np.cumsum, lambda x: x.cumsum(0)),
    "stencil": ([waves(1024, 1024)], "stepped", heat,
                lambda x: 0.25 * F.conv2d(x[None, None], torch.tensor([[[[0., 1, 0], [1, 0, 1], [0, 1, 0]]]]),
                                          padding=1)[0, 0]),
}


def best(call):
    times = []
    for _ in range(10):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


for name in sys.argv[1:] or ROWS:
    inputs, function, numpy, peer = ROWS[name]
    module = lispier.load(os.path.join(COOKBOOK, name + ".lisp"))
    ours = function(module) if callable(function) else module[function]
    results = [ours(*inputs), numpy(*inputs)]
    one, other = [each if isinstance(each, tuple) else (each,) for each in results]
    difference = max(abs(np.asarray(a, float) - b).max() / max(1, abs(b).max()) for a, b in zip(one, other))
    assert difference < 2e-5, (name, difference)
    line = f"{name:12} {difference:8.0e} {best(lambda: ours(*inputs)):8.2f} ms"
    line += f", NumPy {best(lambda: numpy(*inputs)):7.2f}"
    if torch and peer:
        tensors = [torch.from_numpy(each) if isinstance(each, np.ndarray) else each for each in inputs]
        line += f", PyTorch {best(lambda: peer(*tensors)):8.2f}"
    print(line, flush=True)
