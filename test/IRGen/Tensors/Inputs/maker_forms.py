"""Forms that make tensors anew: eye, linspace, full-like, and dropout, which makes a mask."""
from philox import word
from tensor_forms import axis_of, on_any_number, one
from tensor_values import INTEGERS, Tensor, count, need, result, zipped


def size_of(p, name, x):
    """A size of the tensor, and its text: known to the compiler or not, as the tensor's is."""
    axis, spelt = axis_of(p, x)
    return x.shape[axis], f"(dim {name} {spelt})"


@on_any_number
def eye(p, name, x):
    n, text = size_of(p, name, x)
    need(n <= 30)
    kind, k = p.pick(["f32", "f64", "bf16", "i32", "i8"]), p.pick([0, 0, 1, -1, -2, 5])
    keys = ("" if kind == "f32" else f" :type {kind}") + (f" :k {k}" if k else "")
    return f"(eye {text}{keys})", Tensor(kind, (n, n), [int(j == i + k) for i in range(n) for j in range(n)])


@on_any_number
def linspace(p, name, x):
    """Added along the last dimension."""
    need(x.is_float and x.rank)
    n, (start, end) = x.shape[-1], p.pick([(0.0, 1.0), (-1.5, 2.25), (3.0, -1.0), (0.5, 0.5)])
    numbers = [start + i * (end - start) / max(n - 1, 1) for i in range(n)]
    made = result(x.kind, (n,), numbers, 1e-30)
    text = f"(+ {name} (linspace {start} {end} (dim {name} -1) :type {x.kind}))"
    return text, zipped(x.kind, lambda a, b: a + b, lambda a, b: [1, 1], x, made, is_linear=True)


@on_any_number
def full_like(p, name, x):
    number = p.pick([0, 1]) if x.kind == "i1" else p.pick([2.0, -0.75]) if x.is_float else p.pick([3, -7])
    spelt = str(bool(number)).lower() if x.kind == "i1" else number
    text, number = p.pick([(f"(full-like {name} {spelt})", number), (f"(zeros-like {name})", 0), (f"(ones-like {name})", 1)])
    return text, Tensor(x.kind, x.shape, [number] * count(x.shape))


@on_any_number
def dropout(p, name, x):
    need(x.is_float and count(x.shape) <= 200)
    seed, stream, rate = p.pick([1, 7]), p.pick([0, 2]), p.pick([0.5, 0.25])
    dropped = [(word(seed, stream, i) >> 8) * 2.0 ** -24 < rate for i in range(count(x.shape))]
    scaled = zipped(x.kind, lambda v: v / (1 - rate), one(1 / (1 - rate)), x, is_linear=True)
    scaled.data = [0.0 if d else v for d, v in zip(dropped, scaled.data)]
    keys = ("" if rate == 0.5 else f" :p {rate}") + (f" :stream {stream}" if stream else "")
    return f"(dropout {name}{keys} :seed {seed})", scaled


FORMS = [eye, linspace, full_like, dropout]
