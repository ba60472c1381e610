"""The forms of random tensor programs: each makes the text of a form on a value, and what it gives.

A form is a function of the program (`p.pick`, `p.partner`, `p.operand`, `p.helper`), and the name and value of an operand.
One that is marked `on_any_number` says what it gives of NaN and infinities, too. Forms of rows are in row_forms.py, of
windows in window_forms.py, of several ops, with what a compiler may take for something else, in trap_forms.py.
"""
import itertools, math
from philox import word
from tensor_values import INTEGERS, NotTold, Tensor, broadcast, count, decided, einsum, need, result, rows, spread, zipped


def one(slope):
    return lambda x: [slope]


def names(*items):
    return " ".join(map(str, items))


def on_any_number(form):
    form.on_any_number = True
    return form


def on_floats(name, f, slope=1.0, domain=lambda v: True):
    def form(p, x_name, x):
        need(x.is_float and all(domain(v) for v in x.data))
        return f"({name} {x_name})", zipped(x.kind, f, one(slope), x)
    return form


def steady(name, f, slope=1.0):
    """A function of floats that is the same near an infinity as at it, and NaN of NaN."""
    return on_any_number(on_floats(name, lambda v: v if math.isnan(v) else f(v), slope))


def greatest(*numbers):
    return math.nan if any(map(math.isnan, numbers)) else max(numbers)


def least(*numbers):
    return math.nan if any(map(math.isnan, numbers)) else min(numbers)


def divided(a, b):
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def sigmoid(v):
    return 1 / (1 + math.exp(-v)) if v > -700 else 0.0


@on_any_number
def whole(p, name, x):
    need(x.is_float)
    op, f = p.pick([("floor", math.floor), ("ceil", math.ceil), ("round", round)])
    steps = 2 if op == "round" else 1  # Of "round" at halves.
    finite = [v for v in x.data if math.isfinite(v)]
    need(all(not x.error or abs(v * steps - round(v * steps)) > 4 * x.error for v in finite))
    return f"({op} {name})", Tensor(x.kind, x.shape, [f(v) if math.isfinite(v) else v for v in x.data])


@on_any_number
def absolute(p, name, x):
    need(x.kind != "i1")
    op, f = p.pick([("abs", abs), ("neg", lambda v: -v)])
    return f"({op} {name})", zipped(x.kind, f, one(1), x, is_linear=True)


@on_any_number
def limited(p, name, x):
    need(x.kind != "i1")
    low, high = p.pick([(-0.75, 1.25), (0.25, 0.25), (-2.0, 0.5)]) if x.is_float else p.pick([(-2, 3), (0, 0)])
    return (f"(clip {name} {low} {high})",
            zipped(x.kind, lambda v: v if v != v else min(max(v, low), high), one(1), x, is_linear=True))


@on_any_number
def sign(p, name, x):
    need(x.kind != "i1" and all(not x.error or abs(v) > 2 * x.error for v in x.data))
    return f"(sign {name})", zipped(x.kind, lambda v: v if v != v else (v > 0) - (v < 0), one(0), x)


def power(p, name, x):
    need(x.is_float and not x.error)
    exponent = p.pick([2.0, 3.0, 0.5, -1.0])
    need(exponent in (2.0, 3.0) or all(v > 0.2 for v in x.data))
    return f"(pow {name} {exponent})", zipped(x.kind, lambda v: v ** exponent, one(0), x)


TWO = {"+": (lambda a, b: a + b, lambda a, b: [1, 1]), "-": (lambda a, b: a - b, lambda a, b: [1, 1]),
       "*": (lambda a, b: a * b, lambda a, b: [b.largest() + b.error, a.largest()]),
       "max": (greatest, lambda a, b: [1, 1]), "min": (least, lambda a, b: [1, 1])}


def shown(p, pairs):
    """Names of operands of one op: a size of 1 that broadcasts is one that the program's text knows."""
    if len({t.shape for _, t in pairs}) == 1:
        return [n for n, _ in pairs]
    return [f"(reshape {n} [{names(*t.shape)}])" if 1 in t.shape else n for n, t in pairs]


@on_any_number
def literal(p, name, x):
    need(x.kind != "i1")
    op = p.pick(TWO)
    number = p.pick([0.5, -1.25, 2.0]) if x.is_float else p.pick([2, 3, -1])
    f, slopes = TWO[op]
    value = zipped(x.kind, f, slopes, x, Tensor(x.kind, (), [number]), is_linear=True)
    return f"({op} {name} {number})", value


@on_any_number
def two(p, name, x):
    need(x.kind != "i1")
    other, y = p.partner(lambda t: t.kind == x.kind or (t.is_float and x.is_float and "f32" in (t.kind, x.kind)))
    kind = x.kind if x.kind == y.kind else "f64" if "f64" in (x.kind, y.kind) else "f32"
    op = p.pick(TWO)
    f, slopes = TWO[op]
    value = zipped(kind, f, slopes, x, y, is_linear=op != "*")
    return f"({op} {names(*shown(p, [(name, x), (other, y)]))})", value


@on_any_number
def quotient(p, name, x):
    if x.is_float and not x.error and p.pick([True, False]):
        # By zeros of either sign, too, where it is certain which.
        other, y = p.partner(lambda t: t.kind == x.kind and (all(t.data) or any(t is u for _, u in p.pool[:3])) and not t.error and
                             all(abs(v) > 0.2 or v == 0 for v in t.data))
        return f"(/ {names(*shown(p, [(name, x), (other, y)]))})", zipped(x.kind, divided, lambda a, b: [0, 0], x, y)
    if x.is_float:
        need(x.is_finite)
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


@on_any_number
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


@on_any_number
def where(p, name, x):
    condition, c = p.partner(lambda t: t.kind == "i1")
    other, y = p.partner(lambda t: t.kind == x.kind)
    value = zipped(x.kind, lambda c, a, b: a if c else b, lambda c, a, b: [0, 1, 1], c, x, y, is_linear=True)
    return f"(where {names(*shown(p, [(condition, c), (name, x), (other, y)]))})", value


@on_any_number
def cast(p, name, x):
    kind = p.pick(["f32", "f32", "f16", "bf16", "f64", *INTEGERS])
    need(kind != "i1" and kind != x.kind)
    if x.is_float and kind in INTEGERS:
        need(x.is_finite)
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


@on_any_number
def reduction(p, name, x):
    axes = sorted(p.random.sample(range(x.rank), p.random.randint(1, x.rank))) if x.rank else []
    need(axes)
    op = p.pick(["sum", "sum", "max", "min", "mean", "prod"] if x.is_float else ["any", "all"] if x.kind == "i1" else
                ["sum", "max", "min", "prod"])
    terms = count([x.shape[a] for a in axes])
    need(terms > 0 or op in ("sum", "any", "all", "prod"))
    need(op != "prod" or (terms <= 5 and x.largest() <= 2 and x.is_finite))
    keep = p.pick([True, False])
    where_ = p.pick([f":axes [{names(*axes)}]", f":axis {axes[0]}" if len(axes) == 1 else f":axes [{names(*axes)}]"])
    if len(axes) == x.rank and not keep:
        where_ = p.pick([where_, ""])
    f = {"sum": sum, "max": lambda r: greatest(*r), "min": lambda r: least(*r), "mean": lambda r: sum(r) / len(r), "prod": math.prod, "any": lambda r: max(r, default=0),
         "all": lambda r: min(r, default=1)}[op]
    # The summed axes last, as one row.
    left = [a for a in range(x.rank) if a not in axes]
    order = left + axes
    shape = [x.shape[a] for a in order]
    turned = x.moved(shape, lambda i: [i[order.index(a)] for a in range(x.rank)])
    table = rows(lambda r: r, turned.reshaped(shape[:len(left)] + [terms]), len(left))
    parts = [v for r in table.values() for v in r]
    total = max((sum(abs(v) for v in r if math.isfinite(v)) for r in table.values()), default=0) if op in ("sum", "mean") else 0
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


@on_any_number
def argmax(p, name, x):
    need(x.kind not in ("i1", "f64", "i64", "index"))
    axis, _ = axis_of(p, x)
    need(x.shape[axis] > 0)
    op, of = p.pick([("argmax", 1), ("argmin", -1)])

    def first(row):
        if any(map(math.isnan, row)):
            return next(i for i, v in enumerate(row) if v != v)
        row = [of * v for v in row]
        most = max(row)
        need(not x.error or sum(v > most - 3 * x.error for v in row) == 1)
        return row.index(most)
    table = rows(first, x, axis)
    keep = p.pick([True, False])
    shape = x.shape[:axis] + (1,) * keep + x.shape[axis + 1:]
    return f"({op} {name} :axis {axis}{' :keep true' if keep else ''})", Tensor("i32", shape, table.values())


@on_any_number
def transpose(p, name, x):
    axes = p.random.sample(range(x.rank), x.rank)
    need(axes)
    return (f"(transpose {name} [{names(*axes)}])",
            x.moved([x.shape[a] for a in axes], lambda i: [i[axes.index(d)] for d in range(x.rank)]))


@on_any_number
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


@on_any_number
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


def matmul(p, name, x):
    """A matrix product whose batches broadcast; a factor may be a vector."""
    need(x.rank >= 1 and x.kind not in ("i1", "index", "i16", "i64") and count(x.shape) <= 2000)
    k = x.shape[-1]
    fits = lambda t: t.kind == x.kind and t.rank <= 4 and t.shape[-2 if t.rank > 1 else -1:][0] == k if t.rank else False
    batch = tuple(p.pick([n, n, 1]) for n in p.pick([x.shape[:-2], x.shape[-3:-2], ()]))
    n = p.pick([1, 2, 5, 8, 16, 17])
    other, y = p.operand(fits, x.kind, p.pick([(*batch, k, n), (k, n), (k,)]))
    a, b = (x.reshaped((1, k)) if x.rank == 1 else x), (y.reshaped((k, 1)) if y.rank == 1 else y)
    batches = broadcast(a.shape[:-2], b.shape[:-2])
    need(count(batches) * a.shape[-2] * b.shape[-1] * k <= 60000)
    a, b = spread(a, batches + a.shape[-2:]), spread(b, batches + b.shape[-2:])
    letters = "ghijk"[:len(batches)]
    kind = "i32" if x.kind == "i8" else x.kind
    value = einsum(f"{letters}ab,{letters}bc->{letters}ac", kind, a, b)
    shape = batches + ((a.shape[-2],) if x.rank > 1 else ()) + ((b.shape[-1],) if y.rank > 1 else ())
    return f"(matmul {names(*shown(p, [(name, x), (other, y)]))})", value.reshaped(shape)


@on_any_number
def concat(p, name, x):
    axis, spelt = axis_of(p, x)
    other, y = p.partner(lambda t: t.kind == x.kind and t.rank == x.rank and
                         t.shape[:axis] + t.shape[axis + 1:] == x.shape[:axis] + x.shape[axis + 1:])
    shape = x.shape[:axis] + (x.shape[axis] + y.shape[axis],) + x.shape[axis + 1:]
    n = x.shape[axis]
    data = [x.at(i) if i[axis] < n else y.at(i[:axis] + (i[axis] - n,) + i[axis + 1:])
            for i in itertools.product(*map(range, shape))]
    return f"(concat {name} {other} :axis {spelt})", Tensor(x.kind, shape, data, max(x.error, y.error))


@on_any_number
def split(p, name, x):
    axis, spelt = axis_of(p, x)
    n = x.shape[axis]
    need(n >= 2)
    k = p.pick([0, 1])
    if n % 2 == 0 and p.pick([True, False]):
        sizes, text = [n // 2, n // 2], "2"
    else:
        first = p.random.randint(1, n - 1)
        sizes, text = [first, n - first], f"[{first} {n - first}]"
    shape = x.shape[:axis] + (sizes[k],) + x.shape[axis + 1:]
    return (f"(let [[a b] (split {name} {text} :axis {spelt})] {'ab'[k]})",
            x.moved(shape, lambda i: i[:axis] + (i[axis] + k * sizes[0],) + i[axis + 1:]))


@on_any_number
def stack(p, name, x):
    other, y = p.partner(lambda t: t.kind == x.kind and t.shape == x.shape)
    axis = p.random.randint(0, x.rank)
    shape = x.shape[:axis] + (2,) + x.shape[axis:]
    data = [(x, y)[i[axis]].at(i[:axis] + i[axis + 1:]) for i in itertools.product(*map(range, shape))]
    return f"(stack {name} {other} :axis {axis})", Tensor(x.kind, shape, data, max(x.error, y.error))


@on_any_number
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


@on_any_number
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


@on_any_number
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
