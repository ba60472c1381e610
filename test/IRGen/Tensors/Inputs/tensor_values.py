"""Tensors of the interpreter of check-tensors.py: numbers in double precision, and how far a program may be from them.

`error` bounds the difference of each number: 0 if the program has to have these numbers exactly, as of whole numbers
whose sums fit the type. It grows by the rounding of each form, and by what the form makes of its operands' errors. NaN
and infinities are numbers that no error makes finite.
"""
import functools, itertools, math

# The most that one form rounds a result by, as a part of it: elementary functions are some units in the last place off,
# and f32 factors may be two bf16 terms.
ROUNDING = {"f64": 2.0 ** -45, "f32": 2.0 ** -20, "f16": 2.0 ** -9, "bf16": 2.0 ** -6}
DIGITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}
INTEGERS = {"i8": 2 ** 7 - 1, "i16": 2 ** 15 - 1, "i32": 2 ** 31 - 1, "i64": 2 ** 53, "index": 2 ** 53, "i1": 1}


class NotTold(Exception):
    """The program's result is not determined, or this form does not apply to these operands."""


def need(condition):
    if not condition:
        raise NotTold


def count(shape):
    return math.prod(shape)


def indices(shape):
    return itertools.product(*(range(n) for n in shape))


class Tensor:
    def __init__(self, kind, shape, data, error=0.0):
        self.kind, self.shape, self.data, self.error = kind, tuple(shape), list(data), error

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_float(self):
        return self.kind in ROUNDING

    def at(self, index):
        place = 0
        for i, n in zip(index, self.shape):
            place = place * n + i
        return self.data[place]

    @functools.cached_property
    def is_finite(self):
        return all(map(math.isfinite, self.data))

    def largest(self):
        return max((abs(v) for v in self.data if math.isfinite(v)), default=0.0)

    def moved(self, shape, place):
        """The numbers in another shape, that of an index at `place(index)`."""
        return Tensor(self.kind, shape, [self.at(place(i)) for i in indices(shape)], self.error)

    def reshaped(self, shape):
        return Tensor(self.kind, shape, self.data, self.error)


def is_exact(kind, data, total):
    """Whether all partial sums of the finite numbers, whose absolute values add up to `total`, are numbers of the type."""
    unit = max((v.as_integer_ratio()[1] for v in data if math.isfinite(v)), default=1)
    return total * unit < 2 ** DIGITS[kind]


def result(kind, shape, data, error=0.0, total=None, parts=None):
    """A form's result: `error` is that of its operands, `total` what the sums add up to, `parts` what they add."""
    made = Tensor(kind, shape, data, error)
    if not made.is_float:
        need(all(abs(v) <= INTEGERS[kind] for v in made.data))
        return made
    total = made.largest() if total is None else max(total, made.largest())
    if error or not is_exact(kind, (parts or []) + made.data, total):
        made.error = error + ROUNDING[kind] * total
    need(total < 6e4 and made.error < max(0.05, 0.2 * made.largest()))
    return made


def broadcast(*shapes):
    rank = max(len(s) for s in shapes)
    wide = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    sizes = [{n for n in column if n != 1} or {1} for column in zip(*wide)]
    need(all(len(s) == 1 for s in sizes))
    return tuple(s.pop() for s in sizes)


def spread(tensor, shape):
    skip = len(shape) - tensor.rank
    return tensor.moved(shape, lambda i: [0 if n == 1 else k for k, n in zip(i[skip:], tensor.shape)])


def zipped(kind, f, slopes, *tensors, is_linear=False):
    """f of each element; `slopes(spread operands)`: how much of each operand's error the result has. Unless it `is_linear`, f of
    a NaN or an infinity and an operand with an error may be anything."""
    need(is_linear or all(t.is_finite for t in tensors) or not any(t.error for t in tensors))
    shape = broadcast(*(t.shape for t in tensors))
    wide = [spread(t, shape) for t in tensors]
    data = [f(*numbers) for numbers in zip(*(t.data for t in wide))]
    error = sum(slope * t.error for slope, t in zip(slopes(*wide), wide) if t.error)
    return result(kind, shape, data, error)


def decided(a, b):
    """The operands of a comparison, of which errors must not change the outcome."""
    shape = broadcast(a.shape, b.shape)
    a, b = spread(a, shape), spread(b, shape)
    error = a.error + b.error
    need(not error or all(abs(x - y) > 2 * error for x, y in zip(a.data, b.data)))
    return a, b


def rows(f, tensor, axis):
    """f of the numbers along the axis, for each place in the other dimensions: {place: f(row)}."""
    left = tensor.shape[:axis] + tensor.shape[axis + 1:]
    return {i: f([tensor.at(i[:axis] + (k,) + i[axis:]) for k in range(tensor.shape[axis])]) for i in indices(left)}


def einsum(text, kind, *factors):
    """As the form; sums are of at most as many terms as the types of the results allow."""
    before, after = text.split("->")
    letters = before.split(",")
    sizes = {c: n for part, t in zip(letters, factors) for c, n in zip(part, t.shape)}
    summed = [c for c in sizes if c not in after]
    sums, totals = [], [0.0]
    for i in indices([sizes[c] for c in after]):
        place = dict(zip(after, i))
        terms = []
        for k in indices([sizes[c] for c in summed]):
            place.update(zip(summed, k))
            terms.append(math.prod(t.at([place[c] for c in part]) for part, t in zip(letters, factors)))
        sums.append(sum(terms))
        totals.append(sum(map(abs, terms)))
    terms = math.prod(sizes[c] for c in summed)
    error = terms * sum(t.error * math.prod(u.largest() + u.error for u in factors if u is not t)
                        for t in factors if t.error)
    if kind in ROUNDING and not error and any(t.kind in ("f32", "f64") for t in factors):
        error = 1e-30  # Not exact: the terms may be split.
    return result(kind, [sizes[c] for c in after], sums, error, max(totals))


def choices(argv):
    """Of `LISPIER COUNT SEED [--at-once=N] [--part=K/M] [OPTION ...]`: LISPIER, COUNT, SEED, options of `lispier run`, how many
    programs one run has, and the numbers of the programs of this part."""
    lispier, total, seed, options = argv[1], int(argv[2]), int(argv[3]), argv[4:]
    own = dict(o.split("=") for o in options if o.startswith(("--at-once=", "--part=")))
    options = [o for o in options if not o.startswith(("--at-once=", "--part="))]
    part, parts = map(int, own.get("--part", "1/1").split("/"))
    return lispier, total, seed, options, int(own.get("--at-once", 25)), range(part - 1, total, parts)
