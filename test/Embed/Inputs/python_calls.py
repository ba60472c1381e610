"""Calls Lispier's functions on NumPy's arrays. The argument is the folder of the package."""
import os
import signal
import sys
import threading

import numpy as np

sys.path.insert(0, sys.argv[1])
try:
    import tvm_ffi  # noqa: F401
except ImportError:
    pass
import lispier  # noqa: E402

CTYPES = os.environ.get("LISPIER_FFI") == "ctypes" or "tvm_ffi" not in sys.modules
FOLDER = os.path.dirname(__file__)
m = lispier.load(FOLDER + "/entries.lisp")
x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)


def softmax(a, axis=-1):
    e = np.exp(a - a.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def fails(call, text, kind=lispier.Error):
    """The call fails with this message, and a right one after it works."""
    try:
        call()
    except kind as error:
        assert text in str(error), f"{error}\n  instead of {text}"
        assert np.allclose(m.rows(x), softmax(x), atol=1e-6)
        return error
    raise AssertionError("no error: " + text)


# Results are new arrays, or memory that is there.
assert np.allclose(m.rows(x), softmax(x), atol=1e-6) and m.rows(x).dtype == np.float32
out = np.empty_like(x)
assert m.rows(x, out=out) is out and np.allclose(out, softmax(x), atol=1e-6)
total, twice = m.both(x, 2)
assert np.allclose(total, 2 * x.sum(0), atol=1e-5) and np.array_equal(twice, 2 * x)
a = np.arange(6, dtype=np.float32)
assert m.twice(a) is None and a[5] == 10
assert np.array_equal(m.joined(a, a[:2]), np.concatenate([a, a[:2]])) and m.total(a).shape == ()
assert np.array_equal(m.grown(a, 2), a * 2.25)
assert m.number(1.5, -2, True, 7) == 4.0
assert np.array_equal(m.masked(a, a > 3), np.where(a > 3, a, 0))
assert np.array_equal(m.picked(x, np.array([3, 1], np.int32)), x[[3, 1]])
assert np.array_equal(m.exp_of(a * 0), np.ones(6)) and "exp_of" in dir(m)
read_only = x.copy()
read_only.flags.writeable = False
assert np.allclose(m.rows(read_only), softmax(x), atol=1e-6)
assert np.array_equal(m.rows(x[:0]), x[:0])
assert np.allclose(m.columns(x), softmax(x, 0), atol=1e-6)

# NumPy has no BF16: arrays of uint16 are its bits.
bits = np.array([0x3f80, 0x4000], np.uint16)
assert np.array_equal(m.add_bf16(bits, bits), np.array([0x4000, 0x4080], np.uint16))

# Records are dicts or objects.
rng = np.random.default_rng(1)
first = {"weight": rng.standard_normal((7, 7)).astype(np.float32), "bias": np.ones(7, np.float32)}
layers = {"weight": rng.standard_normal((2, 7, 7)).astype(np.float32), "bias": np.ones((2, 7), np.float32)}
want = x @ first["weight"].T + first["bias"]
assert np.allclose(m.layer(x, first), want, atol=1e-5)


class Object:
    weight, bias = first["weight"], first["bias"]


assert np.allclose(m.layer(x, Object), want, atol=1e-5)
for w, b in zip(layers["weight"], layers["bias"]):
    want = 0.5 * (want @ w.T + b)
y = m.net(x, {"first": first, "layers": layers, "scale": 0.5}, out=np.empty_like(x))
assert np.allclose(y, want, atol=1e-4)

fails(lambda: m.rows(x.astype(np.float64)), "rows: `x` is f64 [5 7], and must be f32 [n c]")
fails(lambda: m.rows(x[:, ::2]), "rows: `x`, f32 [5 4], has the strides [7 2]")
fails(lambda: m.rows(x.T), "rows: `x`, f32 [7 5], has the strides [1 7]")
fails(lambda: m.rows(x[0]), "rows: `x` is f32 [7], and must be f32 [n c]")
fails(lambda: m.rows(x, out=x), "rows: `result` overlaps `x`")
fails(lambda: m.rows(x, out=np.empty((5, 6), np.float32)), "the size `c` is 7 in `x`, f32 [5 7], and 6 in `result`")
fails(lambda: m.rows(x, out=[out, out]), "2 arrays for 1 results" if CTYPES else "3 arguments, and it takes 1")
fails(lambda: m.rows(), "rows: 0 arguments, and it takes 1")
fails(lambda: m.rows(3), "rows: `x` must be an array, not int")
fails(lambda: m.rows(x, out=read_only), "rows: `result` is read-only, and the function writes it")
fails(lambda: m.rows(x.astype(">f4")), "rows: `x` has elements of the type >f4")
fails(lambda: m.grown(a, 2.5), "grown: `k` must be an integer of its type")
fails(lambda: m.number(1, 300, True, 0), "number: `b` must be an integer of its type")
fails(lambda: m.layer(x, {"weight": x}), "`w` has no `bias`")
place = fails(lambda: m.picked(x, np.array([9], np.int32)), "the index 9 is outside of axis 0, which has 5 elements").place
assert place.startswith(FOLDER + "/entries.lisp:"), place

# Generic functions are compiled for the types of a call.
g = lispier.source("(defn scaled \"a x.\" [x a] (* a x))\n(defn shifted [x & {:by 1}] (+ x by))")
for kind in (np.float32, np.float64, np.int32, np.float16):
    assert np.array_equal(g.scaled(np.ones((2, 3), kind), 2), np.full((2, 3), 2, kind)), kind
assert np.array_equal(g.scaled(a, 2.0), 2 * a) and g.scaled(2.0, 4.0) == 8.0
assert np.array_equal(g.shifted(a, by=3), a + 3)
assert g.scaled.__doc__.startswith("(scaled x a) -> ") and "a x." in g.scaled.__doc__
assert "linalg" in g.scaled.ir(a, 2.0, stage="module")
assert "kernel" in m.rows.explain(x)
fails(lambda: g.missing(a), "unknown form `missing`", lispier.CompileError)
fails(lambda: g.scaled(a.astype(np.complex64), 1), "elements of the type complex64 are not supported")
error = fails(lambda: lispier.source("(defn f [(: x (tensor n f32))] (+ x y))"), "y", lispier.CompileError)
found = error.diagnostics[0]
assert (found.severity, found.code, found.line, found.column) == ("error", "name-undefined", 1, 37), found

# A library that is there needs no compiler.
os.environ["LISPIER"], tool = "/nothing", os.environ["LISPIER"]
library = m.rows.entry((x,), {}).library
assert np.allclose(lispier.load(library.path).rows(x), softmax(x), atol=1e-6)
fails(lambda: lispier.load(library.path).missing, "has no function `missing`; it has add, add-bf16, both", AttributeError)
os.environ["LISPIER"] = tool

# All libraries have one set of threads.
large = np.ones((2000, 500), np.float32)
m.rows(large)
before = len(os.listdir("/proc/self/task"))
lispier.source("(defn rows [(: x (tensor n c f32))] (softmax (* x 3.0)))").rows(large)
assert len(os.listdir("/proc/self/task")) == before

# A bound function takes the memory of the results.
f = m.rows.bind(x)
f(x, out)
assert np.allclose(out, softmax(x), atol=1e-6)


# Ctrl-C ends a call, in loops over a small and over a large tensor, and Python's handler has its turn.
for size in (8, 1 << 20):
    handled = []
    for handler in (signal.default_int_handler, lambda *_: handled.append(1)):
        signal.signal(signal.SIGINT, handler)
        m._libraries["cpu"]["rows"].library.handle.lispier_catch_interrupts()
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            m.grown(np.ones(size, np.float32), 10 ** 13)
            raise AssertionError("no interrupt")
        except KeyboardInterrupt:
            pass
        timer.join()
        assert np.allclose(m.rows(x), softmax(x), atol=1e-6)
    assert handled == [1]


def work(number):
    mine = np.full((20, 30), number, np.float32)
    for _ in range(200):
        if not np.allclose(m.rows(mine), 1 / 30):
            wrong.append(number)
        try:
            m.rows(mine, out=mine)
            wrong.append(number)
        except lispier.Error as raised:
            if "`result` overlaps `x`" not in str(raised):
                wrong.append(raised)


wrong = []
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong
print("all right")
