"""The forms of random tensor programs: each makes the text of a form on a value, and what it gives.

A form is a function of the program (`p.pick`, `p.partner`, `p.helper`), and the name and value of an operand.
"""
import itertools, math
from philox import word
from tensor_values import (INTEGERS, NotTold, Tensor, count, decided, einsum, need, result, rows, spread, zipped)


def one(slope):
    return lambda x: [slope]


def names(*items):
    return " ".join(map(str, items))


def on_floats(name, f, slope=1.0, domain=lambda v: True):
    def form(p, x_name, x):
        need(x.is_float and all(domain(v) for v in x.data))
        return f"({name} {x_name})", zipped(x.kind, f, one(slope), x)
    return form


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def floor_or_ceil(p, name, x):
    need(x.is_float and all(not x.error or abs(v - round(v)) > 2 * x.error for v in x.data))
    op, f = p.pick([("floor", math.floor), ("ceil", math.ceil)])
    return f"({op} {name})", Tensor(x.kind, x.shape, map(f, x.data))


def absolute(p, name, x):
    need(x.kind != "i1")
    op, f = p.pick([("abs", abs), ("neg", lambda v: -v)])
    return f"({op} {name})", zipped(x.kind, f, one(1), x)


TWO = {"+": (lambda a, b: a + b, lambda a, b: [1, 1]), "-": (lambda a, b: a - b, lambda a, b: [1, 1]),
       "*": (lambda a, b: a * b, lambda a, b: [b.largest() + b.error, a.largest()]),
       "max": (max, lambda a, b: [1, 1]), "min": (min, lambda a, b: [1, 1])}


def shown(p, pairs):
    """Names of operands of one op: a size of 1 that broadcasts is one that the program's text knows."""
    if len({t.shape for _, t in pairs}) == 1:
        return [n for n, _ in pairs]
    return [f"(reshape {n} [{names(*t.shape)}])" if 1 in t.shape else n for n, t in pairs]


def literal(p, name, x):
    need(x.kind != "i1")
    op = p.pick(TWO)
    number = p.pick([0.5, -1.25, 2.0]) if x.is_float else p.pick([2, 3, -1])
    f, slopes = TWO[op]
    return f"({op} {name} {number})", zipped(x.kind, f, slopes, x, Tensor(x.kind, (), [number]))


def two(p, name, x):
    need(x.kind != "i1")
    other, y = p.partner(lambda t: t.kind == x.kind or (t.is_float and x.is_float and "f32" in (t.kind, x.kind)))
    kind = x.kind if x.kind == y.kind else "f64" if "f64" in (x.kind, y.kind) else "f32"
    op = p.pick(TWO)
    f, slopes = TWO[op]
    value = zipped(kind, f, slopes, x, y)
    return f"({op} {names(*shown(p, [(name, x), (other, y)]))})", value


def quotient(p, name, x):
    if x.is_float:
        other, y = p.partner(lambda t: t.kind == x.kind and all(abs(v) > 0.25 + 2 * t.error for v in t.data))
        least = min((abs(v) for v in y.data), default=1.0)
        slopes = lambda a, b: [1 / least, 2 * a.largest() / least ** 2]
        return f"(/ {names(*shown(p, [(name, x), (other, y)]))})", zipped(x.kind, lambda a, b: a / b, slopes, x, y)
    need(x.kind != "i1")
    number = p.pick([2, 3, 5])
    op, f = p.pick([("/", lambda v: math.trunc(v / number)), ("%", lambda v: int(math.fmod(v, number)))])
    return f"({op} {name} {number})", Tensor(x.kind, x.shape, map(f, x.data))


BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def signed(v, bits):
    """The number of a type of this many bits that has the low bits of v."""
    return ((v + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)


def bits(p, name, x):
    need(x.kind in BITS)
    width = BITS[x.kind]
    op, f = p.pick([("bit-and", lambda a, b: a & b), ("bit-or", lambda a, b: a | b), ("bit-xor", lambda a, b: a ^ b)])
    if p.pick([True, False]):
        other, y = p.partner(lambda t: t.kind == x.kind)
        return (f"({op} {names(*shown(p, [(name, x), (other, y)]))})",
                zipped(x.kind, f, lambda a, b: [0, 0], x, y))
    number = p.pick([0, 1, 2, width - 1])
    op, f = p.pick([("shift-left", lambda v: signed(v << number, width)), ("shift-right", lambda v: v >> number)])
    value = Tensor(x.kind, x.shape, map(f, x.data))
    need(all(abs(v) <= INTEGERS[x.kind] for v in value.data))
    return f"({op} {name} {number})", value


def random_numbers(p, name, x):
    need(x.kind in ("f32", "f64") and count(x.shape) <= 64)
    seed, stream, words = p.pick([1, 5, 2 ** 40]), p.pick([0, 3]), 1 if x.kind == "f32" else 2
    digits = 24 if words == 1 else 53
    numbers = [sum(word(seed, stream, words * i + j) << 32 * j for j in range(words)) >> 32 * words - digits
               for i in range(count(x.shape))]
    sizes = p.pick([name, f"[{names(*x.shape)}]"])
    return (f"(+ {name} (uniform {x.kind} {sizes} :seed {seed} :stream {stream}))",
            zipped(x.kind, lambda a, b: a + b, lambda a, b: [1, 1], x,
                   Tensor(x.kind, x.shape, [n / 2 ** digits for n in numbers])))


COMPARISONS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
               "=": lambda a, b: a == b, "!=": lambda a, b: a != b}


def compare(p, name, x):
    need(x.kind != "i1")
    other, y = p.partner(lambda t: t.kind == x.kind)
    a, b = decided(x, y)
    op = p.pick(COMPARISONS)
    return (f"({op} {names(*shown(p, [(name, x), (other, y)]))})",
            Tensor("i1", a.shape, [int(COMPARISONS[op](v, w)) for v, w in zip(a.data, b.data)]))


def logic(p, name, x):
    need(x.kind == "i1")
    op, f = p.pick([("and", min), ("or", max), ("not", None)])
    if op == "not":
        return f"(not {name})", Tensor("i1", x.shape, [1 - v for v in x.data])
    other, y = p.partner(lambda t: t.kind == "i1")
    return f"({op} {names(*shown(p, [(name, x), (other, y)]))})", zipped("i1", f, lambda a, b: [0, 0], x, y)


def where(p, name, x):
    condition, c = p.partner(lambda t: t.kind == "i1")
    other, y = p.partner(lambda t: t.kind == x.kind)
    value = zipped(x.kind, lambda c, a, b: a if c else b, lambda c, a, b: [0, 1, 1], c, x, y)
    return f"(where {names(*shown(p, [(condition, c), (name, x), (other, y)]))})", value


def cast(p, name, x):
    kind = p.pick(["f32", "f32", "f16", "bf16", "f64", *INTEGERS])
    need(kind != "i1" and kind != x.kind)
    if x.is_float and kind in INTEGERS:
        need(all(not x.error or abs(v - round(v)) > 2 * x.error for v in x.data))
        return f"(cast {kind} {name})", result(kind, x.shape, map(math.trunc, x.data))
    return f"(cast {kind} {name})", result(kind, x.shape, x.data, x.error)


def axis_of(p, x):
    need(x.rank > 0)
    axis = p.random.randrange(x.rank)
    return axis, p.pick([axis, axis - x.rank])


def sums_of(kind):
    """The type of a sum of elements of this type."""
    return "i64" if kind in ("i8", "i16", "i32") else kind


def reduction(p, name, x):
    axes = sorted(p.random.sample(range(x.rank), p.random.randint(1, x.rank))) if x.rank else []
    need(axes)
    op = p.pick(["sum", "sum", "max", "min", "mean", "prod"] if x.is_float else ["any", "all"] if x.kind == "i1" else
                ["sum", "max", "min", "prod"])
    terms = count([x.shape[a] for a in axes])
    need(terms > 0 or op in ("sum", "any", "all", "prod"))
    need(op != "prod" or (terms <= 5 and x.largest() <= 2))
    keep = p.pick([True, False])
    where_ = p.pick([f":axes [{names(*axes)}]", f":axis {axes[0]}" if len(axes) == 1 else f":axes [{names(*axes)}]"])
    if len(axes) == x.rank and not keep:
        where_ = p.pick([where_, ""])
    f = {"sum": sum, "max": max, "min": min, "mean": lambda r: sum(r) / len(r), "prod": math.prod, "any": lambda r: max(r, default=0),
         "all": lambda r: min(r, default=1)}[op]
    # The summed axes last, as one row.
    left = [a for a in range(x.rank) if a not in axes]
    order = left + axes
    shape = [x.shape[a] for a in order]
    turned = x.moved(shape, lambda i: [i[order.index(a)] for a in range(x.rank)])
    table = rows(lambda r: r, turned.reshaped(shape[:len(left)] + [terms]), len(left))
    parts = [v for r in table.values() for v in r]
    total = max((sum(map(abs, r)) for r in table.values()), default=0) if op in ("sum", "mean") else 0
    after = [1 if a in axes else n for a, n in enumerate(x.shape)] if keep else [x.shape[a] for a in left]
    total = 32 if op == "prod" else total
    error = x.error * {"sum": terms, "prod": terms * 2 ** terms}.get(op, 1)
    value = result(sums_of(x.kind) if op in ("sum", "prod") else x.kind, after, [f(r) for r in table.values()], error, total,
                   parts if op in ("sum", "mean") else None)
    return f"({op} {name} {where_}{' :keep true' if keep else ''})", value


def along(f, x, axis, error, total=None, kind=None):
    """Each row along an axis replaced by f of it."""
    table = rows(f, x, axis)
    data = [table[i[:axis] + i[axis + 1:]][i[axis]] for i in itertools.product(*map(range, x.shape))]
    return result(kind or x.kind, x.shape, data, error, total)


def softmax(p, name, x):
    need(x.is_float)
    axis, spelt = axis_of(p, x)

    def soft(row):
        e = [math.exp(v - max(row)) for v in row]
        return [v / sum(e) for v in e]
    # The differences are rounded, too: up to the largest of them times what the type rounds by.
    error = 4 * x.error + (0 if x.kind == "f64" else 1e-6 if x.kind == "f32" else
                           (2 + 2 * x.largest()) * (2.0 ** -10 if x.kind == "f16" else 2.0 ** -7))
    return f"(softmax {name} :axis {spelt})", along(soft, x, axis, error, 1.0)


def scan(p, name, x):
    need(x.kind != "i1")
    axis, spelt = axis_of(p, x)
    op = p.pick(["cumsum", "cumsum", "cumprod", "cummax", "cummin"])
    reverse, exclusive = p.pick([True, False]), p.pick([True, False])
    f = {"cumsum": lambda a, b: a + b, "cumprod": lambda a, b: a * b, "cummax": max, "cummin": min}[op]
    # The extremes of a type stand where no element is before.
    need(not exclusive or op in ("cumsum", "cumprod"))
    need(op != "cumprod" or (x.largest() <= 2 and x.shape[axis] <= 6))
    first = {"cumsum": 0, "cumprod": 1}.get(op)

    def along_row(r):
        r = r[::-1] if reverse else r
        so_far = list(itertools.accumulate(r, f))
        so_far = ([first] + so_far)[:len(r)] if exclusive else so_far
        return so_far[::-1] if reverse else so_far
    table = rows(lambda r: sum(map(abs, r)), x, axis)
    total = max(table.values(), default=0) if op == "cumsum" else 64 if op == "cumprod" else None
    more = x.shape[axis] if op == "cumsum" else 200 if op == "cumprod" else 1
    keys = (" :reverse true" if reverse else "") + (" :exclusive true" if exclusive else "")
    kind = sums_of(x.kind) if op in ("cumsum", "cumprod") else x.kind
    return f"({op} {name} :axis {spelt}{keys})", along(along_row, x, axis, more * x.error, total, kind)


def order(p, name, x):
    need(x.kind not in ("i1", "index"))
    axis, spelt = axis_of(p, x)
    need(x.shape[axis] > 0)
    kind = p.pick(["sort", "sort-down", "argsort", "flip", "roll", "repeat"])
    n = x.shape[axis]
    if kind == "argsort":
        need(not x.error)
        table = rows(lambda r: sorted(range(n), key=r.__getitem__), x, axis)
        data = [table[i[:axis] + i[axis + 1:]][i[axis]] for i in itertools.product(*map(range, x.shape))]
        return f"(argsort {name} :axis {spelt})", Tensor("i32", x.shape, data)
    k = p.pick([1, 2, -1, 3])
    if kind == "repeat":
        shape = x.shape[:axis] + (2 * n,) + x.shape[axis + 1:]
        return f"(repeat {name} 2 :axis {spelt})", x.moved(shape, lambda i: i[:axis] + (i[axis] // 2,) + i[axis + 1:])
    f = {"sort": sorted, "sort-down": lambda r: sorted(r, reverse=True), "flip": lambda r: r[::-1],
         "roll": lambda r: [r[(i - k) % n] for i in range(n)]}[kind]
    text = {"sort": f"(sort {name} :axis {spelt})", "sort-down": f"(sort {name} :axis {spelt} :descending true)",
            "flip": f"(flip {name} :axis {spelt})", "roll": f"(roll {name} {k} :axis {spelt})"}[kind]
    table = rows(f, x, axis)
    data = [table[i[:axis] + i[axis + 1:]][i[axis]] for i in itertools.product(*map(range, x.shape))]
    return text, Tensor(x.kind, x.shape, data, x.error)


def windows(p, name, x):
    """Windows, of which each is kept, or its sum, or its greatest element."""
    need(x.rank in (1, 2, 3) and x.kind not in ("i1", "index") and count(x.shape) <= 200)
    axes = sorted(p.random.sample(range(x.rank), p.random.randint(1, min(2, x.rank))))
    size, stride, dilation, before, after, spread = ([p.pick(c) for _ in axes] for c in (
        [1, 2, 3], [1, 1, 2], [1, 1, 2], [0, 1], [0, 2], [1, 1, 2]))
    whole = [(n - 1) * u + 1 + a + b for n, u, a, b in zip((x.shape[d] for d in axes), spread, before, after)]
    need(all(x.shape[d] for d in axes) and all(n > d * (k - 1) for n, d, k in zip(whole, dilation, size)))
    shape = list(x.shape)
    for d, n, k, s, t in zip(axes, whole, size, stride, dilation):
        shape[d] = (n - t * (k - 1) - 1) // s + 1
    number = 1.5 if x.is_float else 1

    def element(i, taps):
        place, gap = list(i), False
        for d, tap, s, t, a, b, u, n in zip(axes, taps, stride, dilation, before, after, spread, whole):
            at = i[d] * s + tap * t - a
            if at < 0 or at >= n - a - b:
                return number
            gap |= at % u != 0
            place[d] = at // u
        return 0 if gap else x.at(tuple(place))
    vector = lambda v: p.pick([str(v[0])]) if len(set(v)) == 1 else f"[{names(*v)}]"
    pads = " ".join(f"[{a} {b}]" for a, b in zip(before, after))
    text = (f"(windows {name} [{names(*size)}] :axes [{names(*axes)}] :stride {vector(stride)} :dilation {vector(dilation)} "
            f":pad [{pads}] :value {number} :spread {vector(spread)})")
    taps = list(itertools.product(*map(range, size)))
    all_ = [[element(i, tap) for tap in taps] for i in itertools.product(*map(range, shape))]
    last = names(*range(-len(axes), 0))
    kind = p.pick(["kept", "sum", "max"])
    if kind == "kept":
        return text, Tensor(x.kind, tuple(shape) + tuple(size), [v for w in all_ for v in w], x.error)
    if kind == "max":
        return f"(max {text} :axes [{last}])", Tensor(x.kind, tuple(shape), [max(w) for w in all_], x.error)
    total = max((sum(map(abs, w)) for w in all_), default=0)
    return (f"(sum {text} :axes [{last}])",
            result(sums_of(x.kind), tuple(shape), [sum(w) for w in all_], x.error * len(taps), total, [v for w in all_ for v in w]))


def convolution(p, name, x):
    need(x.rank == 3 and x.is_float and all(x.shape) and count(x.shape) <= 120)
    other, y = p.partner(lambda t: t.rank == 3 and t.kind == x.kind and t.shape[1] == x.shape[1] and 0 < t.shape[2] <= x.shape[2] + 2 and t.shape[0])
    stride, pad = p.pick([1, 2]), p.pick([0, 1])
    b, c, n, o, k = *x.shape, y.shape[0], y.shape[2]
    m = (n + 2 * pad - k) // stride + 1
    need(n + 2 * pad >= k)
    data, total = [], 0
    for i, j, q in itertools.product(range(b), range(o), range(m)):
        terms = [x.at((i, d, q * stride + t - pad)) * y.at((j, d, t)) for d in range(c) for t in range(k)
                 if 0 <= q * stride + t - pad < n]
        data.append(sum(terms))
        total = max(total, sum(map(abs, terms)))
    error = c * k * (x.error * y.largest() + y.error * x.largest() + x.error * y.error)
    return f"(conv1d {name} {other} :stride {stride} :padding {pad})", result(x.kind, (b, o, m), data, error, total)


def argmax(p, name, x):
    need(x.kind not in ("i1", "f64", "i64", "index"))
    axis, _ = axis_of(p, x)
    need(x.shape[axis] > 0)

    def first(row):
        most = max(row)
        need(not x.error or sum(v > most - 3 * x.error for v in row) == 1)
        return row.index(most)
    table = rows(first, x, axis)
    return f"(argmax {name} :axis {axis})", Tensor("i32", x.shape[:axis] + x.shape[axis + 1:], table.values())


def transpose(p, name, x):
    axes = p.random.sample(range(x.rank), x.rank)
    need(axes)
    return (f"(transpose {name} [{names(*axes)}])",
            x.moved([x.shape[a] for a in axes], lambda i: [i[axes.index(d)] for d in range(x.rank)]))


def reshape(p, name, x):
    total = count(x.shape)
    need(total)
    first = p.pick([n for n in range(1, total + 1) if total % n == 0])
    second = p.pick([n for n in range(1, total // first + 1) if total // first % n == 0])
    shape = p.pick([(first, total // first), (total,), (second, first, total // first // second)])
    text = list(shape)
    if p.pick([True, False]):
        text[p.random.randrange(len(text))] = "_"
    return f"(reshape {name} [{names(*text)}])", x.reshaped(shape)


def broadcast_to(p, name, x):
    n = p.pick([1, 2, 3])
    need(x.kind != "i1" or n)
    sizes = names(n, *(f"(dim {name} {d})" for d in range(x.rank)))
    return f"(broadcast {name} [{sizes}])", spread(x, (n, *x.shape))


def product(p, name, x):
    need(x.kind not in ("i1", "index") and x.rank <= 4)
    other, y = p.partner(lambda t: t.rank <= 4 and t.kind != "i1" and
                         (t.kind == x.kind or {t.kind, x.kind} in ({"f32", "bf16"}, {"f32", "f16"})))
    free = list("abcdefgh")
    first = [free.pop(0) for _ in x.shape]
    second = []
    for n in y.shape:
        fits = [c for c, m in zip(first, x.shape) if m == n and c not in second]
        second.append(p.pick(fits) if fits and p.random.random() < 0.7 else free.pop(0))
    letters = sorted(set(first + second))
    need(len(letters) <= 6)
    after = [c for c in letters if p.random.random() < (0.4 if c in first and c in second else 0.7)]
    p.random.shuffle(after)
    kind = x.kind if x.kind == y.kind else "f32"
    kind = "i32" if kind in ("i8",) else kind
    text = f"{''.join(first)},{''.join(second)}->{''.join(after)}"
    return f'(einsum "{text}" {name} {other})', einsum(text, kind, x, y)


def concat(p, name, x):
    axis, spelt = axis_of(p, x)
    other, y = p.partner(lambda t: t.kind == x.kind and t.rank == x.rank and
                         t.shape[:axis] + t.shape[axis + 1:] == x.shape[:axis] + x.shape[axis + 1:])
    shape = x.shape[:axis] + (x.shape[axis] + y.shape[axis],) + x.shape[axis + 1:]
    n = x.shape[axis]
    data = [x.at(i) if i[axis] < n else y.at(i[:axis] + (i[axis] - n,) + i[axis + 1:])
            for i in itertools.product(*map(range, shape))]
    return f"(concat {name} {other} :axis {spelt})", Tensor(x.kind, shape, data, max(x.error, y.error))


def stack(p, name, x):
    other, y = p.partner(lambda t: t.kind == x.kind and t.shape == x.shape)
    axis = p.random.randint(0, x.rank)
    shape = x.shape[:axis] + (2,) + x.shape[axis:]
    data = [(x, y)[i[axis]].at(i[:axis] + i[axis + 1:]) for i in itertools.product(*map(range, shape))]
    return f"(stack {name} {other} :axis {axis})", Tensor(x.kind, shape, data, max(x.error, y.error))


def pad(p, name, x):
    need(x.rank > 0)
    sides = [(p.pick([0, 0, 1]), p.pick([0, 0, 2])) for _ in x.shape]
    number = 1 if x.kind == "i1" else 3.0 if x.is_float else 3
    need(x.kind != "i1")
    shape = [a + n + b for (a, b), n in zip(sides, x.shape)]
    data = []
    for i in itertools.product(*map(range, shape)):
        place = [k - a for k, (a, _) in zip(i, sides)]
        data.append(x.at(place) if all(0 <= k < n for k, n in zip(place, x.shape)) else number)
    return f"(pad {name} [{' '.join(f'[{a} {b}]' for a, b in sides)}] {number})", Tensor(x.kind, shape, data, x.error)


def slice_(p, name, x):
    axis, spelt = axis_of(p, x)
    need(x.shape[axis])
    start = p.random.randrange(x.shape[axis])
    end = p.random.randint(start, x.shape[axis])
    until = p.pick([f" :to {end}", ""])
    size = (end if until else x.shape[axis]) - start
    step = p.pick([1, 1, 2, 3])
    first, by = start, step
    text = f"(slice {name} :axis {spelt} :from {start}{until}{f' :step {step}' if step > 1 else ''})"
    if p.random.random() < 0.3:  # Backwards, from start on.
        size, by = start + 1, -step
        text = f"(slice {name} :axis {spelt} :from {start} :step {by})"
    shape = x.shape[:axis] + ((size + step - 1) // step,) + x.shape[axis + 1:]
    return text, x.moved(shape, lambda i: i[:axis] + (i[axis] * by + first,) + i[axis + 1:])


def gather(p, name, x):
    axis, _ = axis_of(p, x)
    need(x.shape[axis])
    other, y = p.partner(lambda t: t.kind in ("i32", "i64") and t.rank <= 2)
    n = x.shape[axis]
    shape = x.shape[:axis] + y.shape + x.shape[axis + 1:]
    places = Tensor("i32", y.shape, [abs(v) % n for v in y.data])

    def place(i):
        return i[:axis] + (places.at(i[axis:axis + y.rank]),) + i[axis + y.rank:]
    return f"(gather {name} (% (abs {other}) {n}) :axis {axis})", x.moved(shape, place)


def add_at(p, name, x):
    need(x.is_float and x.rank > 0 and x.shape[0])
    other, y = p.partner(lambda t: t.kind in ("i32", "i64") and t.rank <= 2)
    n, width = x.shape[0], math.prod(x.shape[1:])
    counts = [0] * n
    for v in y.data:
        counts[abs(v) % n] += 1
    data = [v + 0.25 * counts[i // width] for i, v in enumerate(x.data)]
    shape = " ".join(map(str, y.shape + x.shape[1:]))
    return (f"(add-at {name} (% (abs {other}) {n}) (full {x.kind} [{shape}] 0.25))",
            result(x.kind, x.shape, data, x.error, x.largest() + 0.25 * len(y.data)))


def part_of(p, x):
    """Shape and offset of a part, and where in `x` it may be read."""
    part = tuple(p.random.randint(0 if n == 0 else 1, n) for n in x.shape)
    return part, *(tuple(p.random.randint(0, n - m) for n, m in zip(x.shape, part)) for _ in range(2))


def updated(x, part, starts, source, f):
    def element(i):
        place = [k - s for k, s in zip(i, starts)]
        inside = all(0 <= k < n for k, n in zip(place, part))
        return f(x.at([k + s for k, s in zip(place, source)])) if inside else x.at(i)
    return result(x.kind, x.shape, [element(i) for i in itertools.product(*map(range, x.shape))], x.error)


def changed(kind, text):
    """Text that changes numbers, and how."""
    if kind == "i1":
        return f"(not {text})", lambda v: 1 - v
    if kind in INTEGERS:
        return f"(- 1 {text})", lambda v: 1 - v
    return f"(* 0.5 {text})", lambda v: 0.5 * v


def update(p, name, x):
    need(0 < x.rank <= 4)
    part, source, starts = part_of(p, x)
    # An offset may be a tensor of one integer.
    offsets = [p.pick([s, f"(+ (zeros i32 []) {s})"]) for s in starts]
    text, f = changed(x.kind, f"(slice {name} [{names(*source)}] [{names(*part)}])")
    return f"(update {name} {text} [{names(*offsets)}])", updated(x, part, starts, source, f)


def write(p, name, x):
    """A function writes into its argument: a new tensor, or what another form made."""
    need(0 < x.rank <= 4)
    part, source, starts = part_of(p, x)
    text, f = changed(x.kind, "part")
    kind = f"(tensor {'_ ' * x.rank}{x.kind})"
    offsets = " ".join(f"(: i{d} index)" for d in range(x.rank))
    helper = p.helper(f"(defn {{}} [(: c (inout {kind})) (: part {kind}) {offsets}]\n"
                      f"  (update c {text} [{names(*(f'i{d}' for d in range(x.rank)))}]))")
    read = f"(slice {name} [{names(*source)}] [{names(*part)}])"
    call = f"({helper} c {read} {names(*starts)})"
    call = p.pick([call, f"(for [i 0 2] {call})", f"(if (< (dim c 0) 1000) {call})"])
    new = {"i1": f"(not (not {name}))"}.get(x.kind, f"(+ {name} {0.0 if x.is_float else 0})")
    return f"(let [c {new}] {call} c)", updated(x, part, starts, source, f)


def loop(p, name, x):
    """Carries a tensor, and maybe a number or a second tensor."""
    need(x.is_float)
    other, y = p.partner(lambda t: t.kind == x.kind and t.shape == x.shape)
    halved = lambda a, b: zipped(x.kind, lambda v, w: 0.5 * v + w, lambda v, w: [0.5, 1], a, b)
    start = zipped(x.kind, lambda v, w: v + w, lambda v, w: [1, 1], x, y)  # With the sizes that either of them knows.
    form = p.pick(["one", "two", "three", "while", "index"])
    value = start
    if form == "index":
        for i in range(3):
            value = zipped(x.kind, lambda v: v * 0.5 + i, one(0.5), value)
        return f"(fold [a (+ {name} {other})] [i 0 3] (+ (* 0.5 a) (cast {x.kind} i)))", value
    if form == "two":
        second = y
        for _ in range(2):
            value, second = second, halved(value, second)
        need(second.error < 1)
        return (f"(let [[a b] (fold [a (+ {name} {other}) b (+ {other} (* 0.0 {name}))] [i 0 2] "
                f"[b (+ (* 0.5 a) b)])] (+ a (* 0.0 b)))"), value
    if form == "three":
        second = third = y
        for _ in range(3):
            value, second, third = halved(value, third), value, second
        need(second.error < 1)
        first = f"(+ {other} (* 0.0 {name}))"
        return (f"(let [[a b c] (fold [a (+ {name} {other}) b {first} c {first}] [i 0 3] "
                f"[(+ (* 0.5 a) c) a b])] (+ a (* 0.0 (+ b c))))"), value
    for _ in range(3):
        value = halved(value, y)
    if form == "one":
        return f"(fold [a (+ {name} {other})] [i 0 3] (+ (* 0.5 a) {other}))", value
    return (f"(let [[a n] (loop [a (+ {name} {other}) n 0] :while (< n 3) :do [(+ (* 0.5 a) {other}) (+ n 1)])] a)",
            value)


def rows_of(p, name, x):
    """A loop over elements along the first dimension; or one that reads and writes rows by number."""
    need(x.is_float and x.rank >= 2 and x.shape[0])
    n, rest = x.shape[0], count(x.shape[1:])
    row = lambda i: Tensor(x.kind, x.shape[1:], x.data[i * rest:(i + 1) * rest], x.error)
    if p.pick([True, False]):
        value = result(x.kind, x.shape[1:], [0.0] * rest)
        for i in range(n):
            value = zipped(x.kind, lambda a, b: 0.5 * a + b, lambda a, b: [0.5, 1], value, row(i))
        sizes = names(*(f"(dim {name} {d})" for d in range(1, x.rank)))
        return f"(fold [a (zeros {x.kind} [{sizes}])] [b {name}] (+ (* 0.5 a) b))", value
    made = []
    for i in range(n):  # Each row, and half of the row before it as it is now.
        before = made[i - 1] if i else row(0)
        made.append(zipped(x.kind, lambda a, b: a + 0.5 * b, lambda a, b: [1, 0.5], row(i), before))
    value = Tensor(x.kind, x.shape, [v for r in made for v in r.data], max(r.error for r in made))
    return (f"(fold [a {name}] [i 0 {n}] (update a (reshape (+ (at a i) (* 0.5 (at a (max 0 (- i 1))))) "
            f"[1 {names(*x.shape[1:])}]) [i {'0 ' * (x.rank - 1)}]))"), value


def branch(p, name, x):
    other, y = p.partner(lambda t: t.kind == x.kind and t.shape == x.shape)
    need(x.rank > 0 and x.kind != "i1")
    limit = p.pick([0, 3, 100])
    zero = f"(* {name} {0.0 if x.is_float else 0})"
    taken = x if x.shape[0] < limit else y
    return (f"(if (< (dim {name} 0) {limit}) (+ {name} (* 0 {other})) (+ {other} {zero}))".replace(
        "(* 0 ", "(* 0.0 " if x.is_float else "(* 0 "), Tensor(x.kind, x.shape, taken.data, x.error + y.error))


def helper(p, name, x):
    """A call of a function with several results, of which one is used."""
    need(x.is_float)
    kind = f"(tensor {'_ ' * x.rank}{x.kind})"
    called = p.helper(f"(defn {{}} [(: x {kind})] [(* x 0.5) (+ x 1.0)])")
    k = p.pick([0, 1])
    f = (lambda v: 0.5 * v, lambda v: v + 1)[k]
    return f"(let [[a b] ({called} {name})] {'ab'[k]})", zipped(x.kind, f, one(1), x)


FORMS = [on_floats("tanh", math.tanh), on_floats("sigmoid", sigmoid), on_floats("cos", math.cos),
         on_floats("exp", math.exp, 8.0, lambda v: abs(v) < 2), on_floats("sqrt", math.sqrt, 2.0, lambda v: v > 0.1),
         on_floats("relu", lambda v: max(v, 0)), floor_or_ceil, absolute, literal, literal, two, two, two, quotient, bits,
         random_numbers, compare, compare, logic, where, where, cast, cast, reduction, reduction, reduction, softmax, scan, order, windows, windows,
         convolution, argmax,
         transpose, transpose, reshape, reshape, broadcast_to, product, product, product, concat, stack, pad, slice_,
         slice_, gather, add_at, update, update, write, loop, loop, rows_of, branch, helper]
