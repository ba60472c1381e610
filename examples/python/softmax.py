"""Softmax beside NumPy: python3 examples/python/softmax.py, with PYTHONPATH=python."""
import time

import lispier
import numpy as np

m = lispier.source("(defn softmax-rows [(: x (tensor n c f32))] (softmax x))")
x = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)


def softmax(a):
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


for name, f in (("NumPy", softmax), ("Lispier", m.softmax_rows)):
    start, y = time.perf_counter(), [f(x) for _ in range(20)][-1]
    print(f"{name:8} {(time.perf_counter() - start) / 20 * 1e3:6.2f} ms, differs by {abs(y - softmax(x)).max():.0e}")
