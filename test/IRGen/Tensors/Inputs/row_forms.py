"""Forms of rows of tensors: softmax, norms, statistics, scans, orders, and what counts or adds by indices."""
import itertools, math
from tensor_forms import along, axis_of, greatest, least, names, on_any_number, sums_of
from tensor_values import ROUNDING, Tensor, count, need, result, rows, spread


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


@on_any_number
def scan(p, name, x):
    need(x.kind != "i1")
    axis, spelt = axis_of(p, x)
    op = p.pick(["cumsum", "cumsum", "cumprod", "cummax", "cummin"])
    reverse, exclusive = p.pick([True, False]), p.pick([True, False])
    f = {"cumsum": lambda a, b: a + b, "cumprod": lambda a, b: a * b, "cummax": greatest, "cummin": least}[op]
    need(x.is_finite or op != "cumprod")
    # The extremes of a type stand where no element is before.
    need(not exclusive or op in ("cumsum", "cumprod"))
    need(op != "cumprod" or (x.largest() <= 2 and x.shape[axis] <= 6))
    first = {"cumsum": 0, "cumprod": 1}.get(op)

    def along_row(r):
        r = r[::-1] if reverse else r
        so_far = list(itertools.accumulate(r, f))
        so_far = ([first] + so_far)[:len(r)] if exclusive else so_far
        return so_far[::-1] if reverse else so_far
    table = rows(lambda r: sum(abs(v) for v in r if math.isfinite(v)), x, axis)
    total = max(table.values(), default=0) if op == "cumsum" else 64 if op == "cumprod" else None
    more = x.shape[axis] if op == "cumsum" else 200 if op == "cumprod" else 1
    keys = (" :reverse true" if reverse else "") + (" :exclusive true" if exclusive else "")
    kind = sums_of(x.kind) if op in ("cumsum", "cumprod") else x.kind
    text = f"({op} {name} :axis {spelt}{keys})"
    if x.is_float and op in ("cumsum", "cumprod") and p.random.random() < 0.25:  # The same, written as a scan of a function.
        init, function = {"cumsum": (0, "+"), "cumprod": (1, "*")}[op]
        text = f"(scan {function} {name} :init {init} :axis {spelt}{keys})"
    return text, along(along_row, x, axis, more * x.error, total, kind)


@on_any_number
def scan_of(p, name, x):
    """A scan of an extreme, or of a function of the program, which need not be associative."""
    need(x.is_float or x.kind in ("i8", "i32", "i64"))
    axis, spelt = axis_of(p, x)
    need(x.shape[axis] <= 30)
    reverse, exclusive = p.pick([True, False]), p.pick([True, False])
    init = p.pick([0, 1, -2])
    halved = "(defn {} [sofar x] (+ (* 0.5 sofar) x))"
    difference = "(defn {} [sofar x] (- x sofar))"
    kept = "(defn {} [sofar x] (where (> x 0) x sofar))"
    text, f = p.pick([("max", greatest), ("min", least), (kept, lambda a, b: b if b > 0 else a)] +
                     ([(halved, lambda a, b: 0.5 * a + b)] if x.is_float else []) +
                     ([(difference, lambda a, b: b - a)] if x.kind != "i8" else []))
    need(text in ("max", "min") or x.is_finite)
    need(text is not kept or all(not x.error or abs(v) > 2 * x.error for v in x.data))
    function = p.helper(text) if text.startswith("(") else text

    def along_row(r):
        sofar = list(itertools.accumulate(r[::-1] if reverse else r, f, initial=init))
        sofar = sofar[:-1] if exclusive else sofar[1:]
        return sofar[::-1] if reverse else sofar
    n = x.shape[axis]
    error = x.error * (2 if text is halved else n + 1 if text is difference else 1)
    total = 2 * x.largest() + 2 if text is halved else (n + 1) * (x.largest() + 2) if text is difference else None
    total = total if x.is_float else None
    if text in (halved, difference) and x.is_float:  # Sums of halves need digits.
        error = max(error, 1e-30)
    keys = (" :reverse true" if reverse else "") + (" :exclusive true" if exclusive else "")
    return f"(scan {function} {name} :init {init} :axis {spelt}{keys})", along(along_row, x, axis, error, total)


def place_of(v):
    """Sorts as numbers, and a NaN last."""
    return (v != v, v)


def place_down(v):
    return (v == v, -v)


@on_any_number
def order(p, name, x):
    need(x.kind not in ("i1", "index"))
    axis, spelt = axis_of(p, x)
    need(x.shape[axis] > 0)
    kind = p.pick(["sort", "sort-down", "argsort", "argsort-down", "flip", "flip", "roll", "roll", "repeat"])
    n = x.shape[axis]
    need("sort" not in kind or count(x.shape) <= 400)
    if kind.startswith("argsort"):
        need(not x.error)
        key, more = (place_down, " :descending true") if kind.endswith("down") else (place_of, "")
        table = rows(lambda r: sorted(range(n), key=lambda i: key(r[i])), x, axis)
        data = [table[i[:axis] + i[axis + 1:]][i[axis]] for i in itertools.product(*map(range, x.shape))]
        return f"(argsort {name} :axis {spelt}{more})", Tensor("i32", x.shape, data)
    k = p.pick([1, 2, -1, 3])
    if kind == "repeat":
        shape = x.shape[:axis] + (2 * n,) + x.shape[axis + 1:]
        return f"(repeat {name} 2 :axis {spelt})", x.moved(shape, lambda i: i[:axis] + (i[axis] // 2,) + i[axis + 1:])
    f = {"sort": lambda r: sorted(r, key=place_of), "sort-down": lambda r: sorted(r, key=place_down), "flip": lambda r: r[::-1],
         "roll": lambda r: [r[(i - k) % n] for i in range(n)]}[kind]
    text = {"sort": f"(sort {name} :axis {spelt})", "sort-down": f"(sort {name} :axis {spelt} :descending true)",
            "flip": f"(flip {name} :axis {spelt})", "roll": f"(roll {name} {k} :axis {spelt})"}[kind]
    table = rows(f, x, axis)
    data = [table[i[:axis] + i[axis + 1:]][i[axis]] for i in itertools.product(*map(range, x.shape))]
    return text, Tensor(x.kind, x.shape, data, x.error)


@on_any_number
def topk(p, name, x):
    need(x.is_float and x.rank and x.shape[-1] and count(x.shape) <= 400)
    k = p.random.randint(1, min(4, x.shape[-1]))
    result_ = p.pick(["values", "places"])
    need(result_ == "values" or not x.error)
    table = rows(lambda r: sorted(range(len(r)), key=lambda i: place_down(r[i]))[:k], x, x.rank - 1)
    shape = x.shape[:-1] + (k,)
    places = Tensor("i32", shape, [i for order in table.values() for i in order])
    text = f"(let [[values places] (topk {name} {k})] {result_})"
    if result_ == "places":
        return text, places
    return text, x.moved(shape, lambda i: i[:-1] + (places.at(i),))


def statistic(p, name, x):
    """Of rows over any set of axes."""
    need(x.kind in ("f32", "f64", "f16", "bf16") and x.rank and all(x.shape))
    axes = sorted(p.random.sample(range(x.rank), p.random.randint(1, x.rank)))
    keep = p.pick([True, False])
    op = p.pick(["var", "std", "norm", "logsumexp"])
    left = [a for a in range(x.rank) if a not in axes]
    order = left + axes
    terms = count([x.shape[a] for a in axes])
    shape = [x.shape[a] for a in order]
    turned = x.moved(shape, lambda i: [i[order.index(a)] for a in range(x.rank)])
    table = rows(lambda r: r, turned.reshaped(shape[:len(left)] + [terms]), len(left)).values()
    unit, most = ROUNDING[x.kind], x.largest()
    var = lambda r: sum((v - sum(r) / len(r)) ** 2 for v in r) / len(r)
    if op == "logsumexp":
        f, error = lambda r: max(r) + math.log(sum(math.exp(v - max(r)) for v in r)), 3 * x.error + unit * (8 + 2 * most)
    else:
        square = (2 * most * terms if op == "norm" else 8 * most) * (x.error + 2 * unit * most) + 2 * unit * most ** 2
        squares = [var(r) if op != "norm" else sum(v * v for v in r) for r in table]
        root = math.sqrt(min(squares))
        need(op == "var" or root > 0.2)
        f = {"var": var, "std": lambda r: math.sqrt(var(r)), "norm": lambda r: math.sqrt(sum(v * v for v in r))}[op]
        error = square if op == "var" else square / root
    after = [1 if a in axes else n for a, n in enumerate(x.shape)] if keep else [x.shape[a] for a in left]
    where = f" :axes [{names(*axes)}]" if len(axes) < x.rank or keep else p.pick(["", f" :axes [{names(*axes)}]"])
    return (f"({op} {name}{where}{' :keep true' if keep else ''})",
            result(x.kind, after, [f(r) for r in table], error))


def layer(p, name, x):
    """A norm of rows with gains; or the logarithm of a softmax."""
    need(x.is_float and x.rank and all(x.shape) and x.shape[-1] > 1)
    op = p.pick(["layer-norm", "rms-norm", "log-softmax"])
    unit, most = ROUNDING[x.kind], x.largest()
    if op == "log-softmax":
        axis, spelt = axis_of(p, x)
        soft = lambda r: [v - max(r) - math.log(sum(math.exp(u - max(r)) for u in r)) for v in r]
        return f"(log-softmax {name} :axis {spelt})", along(soft, x, axis, 4 * x.error + unit * (8 + 4 * most))
    c = x.shape[-1]
    gain, g = p.operand(lambda t: t.kind == x.kind and t.shape == (c,), x.kind, (c,))
    bias, b = p.operand(lambda t: t.kind == x.kind and t.shape == (c,), x.kind, (c,))
    least_square = []

    def row(r):
        mean = sum(r) / c if op == "layer-norm" else 0
        square = sum((v - mean) ** 2 for v in r) / c
        least_square.append(square)
        return [(v - mean) / math.sqrt(square + 1e-5) for v in r]
    normed = along(row, x, x.rank - 1, 0.0)
    scale = math.sqrt(min(least_square))
    need(scale > 0.2)
    error = (4 * (x.error + 4 * unit * most) / scale) * (1 + normed.largest()) * g.largest() + normed.largest() * g.error + b.error
    wide_g, wide_b = spread(g, x.shape), spread(b, x.shape)
    data = [v * k + (m if op == "layer-norm" else 0) for v, k, m in zip(normed.data, wide_g.data, wide_b.data)]
    operands = f"{gain} {bias}" if op == "layer-norm" else gain
    return f"({op} {name} {operands})", result(x.kind, x.shape, data, error)


def triangle(p, name, x):
    need(x.rank >= 2 and x.kind not in ("i1", "index"))
    op, k = p.pick(["tril", "triu"]), p.pick([0, 0, 1, -1, -2])
    keep = (lambda i: i[-1] <= i[-2] + k) if op == "tril" else (lambda i: i[-1] >= i[-2] + k)
    data = [v if keep(i) else 0 for i, v in zip(itertools.product(*map(range, x.shape)), x.data)]
    return f"({op} {name}{f' :k {k}' if k else ''})", Tensor(x.kind, x.shape, data, x.error)


def by_segment(p, name, x):
    need(x.kind in ("f32", "f64") and x.rank and x.shape[0])
    m, n, width = x.shape[0], p.pick([1, 3, 6]), count(x.shape[1:])
    other, y = p.operand(lambda t: t.kind == "i32" and t.shape == (m,), "i32", (m,))
    data, totals = [0.0] * (n * width), [0.0] * (n * width)
    for i, s in enumerate(y.data):
        for j in range(width):
            data[abs(s) % n * width + j] += x.data[i * width + j]
            totals[abs(s) % n * width + j] += abs(x.data[i * width + j])
    return (f"(segment-sum {name} (% (abs {other}) {n}) {n})",
            result(x.kind, (n, *x.shape[1:]), data, m * x.error, max(totals, default=0)))


def put(old, number, how):
    return number if how == "set" else greatest(old, number) if how == "max" else least(old, number)


@on_any_number
def put_at(p, name, x):
    """Rows that replace those of a table, or extremes of both."""
    need(x.rank and x.shape[0])
    how = p.pick(["set", "max", "min"] if x.kind != "i1" else ["set"])
    other, y = p.partner(lambda t: t.kind in ("i32", "i64") and t.rank <= 2 and count(t.shape) <= 60)
    n, width, shape = x.shape[0], count(x.shape[1:]), y.shape + x.shape[1:]
    need(count(shape) <= 3000)
    given, z = p.operand(lambda t: t.kind == x.kind and t.shape == shape, x.kind, shape)
    data = list(x.data)
    for i, v in enumerate(y.data):
        for j in range(width):
            place = abs(v) % n * width + j
            data[place] = put(data[place], z.data[i * width + j], how)
    return (f"(add-at {name} (% (abs {other}) {n}) {given} :with {how})",
            Tensor(x.kind, x.shape, data, max(x.error, z.error)))


@on_any_number
def extremes_by_segment(p, name, x):
    need(x.kind not in ("i1", "index") and x.rank and x.shape[0])
    m, n, width = x.shape[0], p.pick([1, 3, 6]), count(x.shape[1:])
    how = p.pick(["max", "min"])
    other, y = p.operand(lambda t: t.kind == "i32" and t.shape == (m,), "i32", (m,))
    segments = [abs(s) % n for s in y.data]
    need(x.is_float or set(segments) == set(range(n)))
    none = -math.inf if how == "max" else math.inf
    data = [none] * (n * width)
    for i, s in enumerate(segments):
        for j in range(width):
            data[s * width + j] = put(data[s * width + j], x.data[i * width + j], how)
    return (f"(segment-{how} {name} (% (abs {other}) {n}) {n})", Tensor(x.kind, (n, *x.shape[1:]), data, x.error))


def histogram(p, name, x):
    need(x.kind in ("i32", "i64"))
    n = p.pick([1, 3, 10])
    places = [abs(v) % n for v in x.data]
    return f"(bincount (% (abs {name}) {n}) {n})", Tensor("i64", (n,), [places.count(i) for i in range(n)])


def gather_of_rows(p, name, x):
    """Of each row of a batch its own elements."""
    need(x.rank >= 2 and x.shape[1] and x.kind != "i1")
    b, n = x.shape[0], x.shape[1]
    m = p.pick([1, 2, 4])
    other, y = p.operand(lambda t: t.kind == "i32" and t.rank == 2 and t.shape[0] == b and 0 < t.shape[1] < 6, "i32", (b, m))
    shape = (b, y.shape[1], *x.shape[2:])
    return (f"(gather {name} (% (abs {other}) {n}) :axis 1 :batch 1)",
            x.moved(shape, lambda i: (i[0], abs(y.at(i[:2])) % n) + i[2:]))


FORMS = [softmax, softmax, scan, scan, scan_of, put_at, put_at, extremes_by_segment, order, order, topk, statistic, statistic, layer, layer, triangle, by_segment, histogram,
         gather_of_rows]
