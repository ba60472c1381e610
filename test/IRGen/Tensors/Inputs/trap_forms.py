"""Forms of several ops, each nearly what a compiler has a kernel or a rewrite for: attention, norms, linear layers and
activations with steps, clamps, rounding constants, pairs of scales, NaN and infinities planted in them."""
import itertools, math
from row_forms import place_of
from tensor_forms import along, axis_of, divided, names, on_any_number, sigmoid
from tensor_values import ROUNDING, Tensor, broadcast, count, einsum, need, result, rows, spread, zipped


def decided_at(x, *limits):
    need(all(abs(v - limit) > 2 * x.error for v in x.data for limit in limits) or not x.error)


@on_any_number
def rounded(p, name, x):
    """To whole numbers, by a constant whose last bit is 1."""
    need(x.kind in ("f32", "f64") and x.largest() < 1e5)
    need(all(not x.error or abs(2 * v - round(2 * v)) > 4 * x.error for v in x.data if math.isfinite(v)))
    number = "12582912.0" if x.kind == "f32" else "6755399441055744.0"
    text = p.pick([f"(- (+ {name} {number}) {number})", f"(+ (- {name} {number}) {number})"])
    return text, Tensor(x.kind, x.shape, [round(v) if math.isfinite(v) else v for v in x.data])


@on_any_number
def scaled(p, name, x):
    """Far and back; or until nothing, or everything, is left."""
    need(x.kind == "f32" and 0 < x.largest() < 1e4 and not x.error and all(v == 0 or abs(v) > 1e-2 for v in x.data))
    back = lambda f: result("f32", x.shape, x.data, 1e-30)
    gone = lambda v: v * 0 if math.isfinite(v) else v
    beyond = lambda v: v if v != v or v == 0 else math.copysign(math.inf, v)
    kind = p.pick(["up", "down", "gone", "beyond"])
    if kind in ("up", "down"):
        first, second = ("1e30", "1e-30") if kind == "up" else ("1e-30", "1e30")
        return f"(* (* {name} {first}) {second})", back(x)
    first, f = ("1e-30", gone) if kind == "gone" else ("1e30", beyond)
    second = "1e30" if kind == "gone" else "1e-30"
    return (f"(* (* (* (* {name} {first}) {first}) {second}) {second})",
            Tensor("f32", x.shape, [f(v) for v in x.data]))


@on_any_number
def beyond_numbers(p, name, x):
    """Makes NaN and infinities, or takes them away."""
    need(x.is_float and not x.error)
    k = p.pick([2, 3])
    log = lambda v: v if v != v else -math.inf if v == 0 else math.nan if v < 0 else math.log(v)
    text, f = p.pick([
        (f"(/ {name} 0.0)", lambda v: divided(v, 0.0)),
        (f"(log {name})", log),
        (f"(sqrt (* {name} -1.0))", lambda v: v if v != v else math.nan if v > 0 else math.sqrt(-v)),
        (f"(- {name} {name})", lambda v: v - v),
        (f"(where (!= {name} {name}) 0.5 {name})", lambda v: 0.5 if v != v else v),
        (f"(where (= (abs {name}) inf) -1.0 {name})", lambda v: -1.0 if abs(v) == math.inf else v),
        (f"(where (= {name} {name}) {name} -2.0)", lambda v: v if v == v else -2.0),
        (f"(* {name} (/ {name} {name}))", lambda v: v * divided(v, v)),
        (f"(max (log {name}) -3.0)", lambda v: math.nan if log(v) != log(v) else max(log(v), -3.0)),
        (f"(/ 1.0 (* {name} {k}.0))", lambda v: divided(1.0, v * k))])
    need(not text.startswith("(/ 1.0") or all(x.data) or any(x is t for _, t in p.pool[:3]))
    return text, result(x.kind, x.shape, [f(v) for v in x.data], 0.0)


ACTIVATIONS = [  # Text, function, the most that its slope is, where it has steps.
    ("(where (< {0} -0.3) 0.0 {0})", lambda v: 0 if v < -0.3 else v, 1, [-0.3]),
    ("(where (> (abs {0}) 0.45) {0} 0.0)", lambda v: v if abs(v) > 0.45 else 0, 1, [0.45, -0.45]),
    ("(where (and (> {0} -0.4) (< {0} 0.7)) 0.25 {0})", lambda v: 0.25 if -0.4 < v < 0.7 else v, 1, [-0.4, 0.7]),
    ("(max {0} 0.125)", lambda v: max(v, 0.125), 1, []),
    ("(* {0} (sigmoid (min {0} 1.5)))", lambda v: v * sigmoid(min(v, 1.5)), 1.5, []),
    ("(* {0} (sigmoid (* 1.6 {0})))", lambda v: v * sigmoid(1.6 * v), 1.5, []),
    ("(* 0.5 {0} (+ 1.0 (tanh (* 0.79788456 (+ {0} (* 0.05 {0} {0} {0}))))))",
     lambda v: 0.5 * v * (1 + math.tanh(0.79788456 * (v + 0.05 * v ** 3))), 1.6, []),
    ("(+ (gelu {0}) (where (> {0} 2.6) 0.5 0.0))",
     lambda v: 0.5 * v * (1 + math.tanh(0.7978845608028654 * (v + 0.044715 * v ** 3))) + 0.5 * (v > 2.6), 1.6, [2.6]),
    ("(gelu {0})", lambda v: 0.5 * v * (1 + math.tanh(0.7978845608028654 * (v + 0.044715 * v ** 3))), 1.6, []),
    ("(gelu-erf {0})", lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))), 1.6, []),
    ("(silu {0})", lambda v: v * sigmoid(v), 1.5, []),
    ("(relu {0})", lambda v: max(v, 0), 1, []),
    ("(/ (+ {0} (abs {0})) 2.0)", lambda v: max(v, 0), 1, []),
    ("(min (max {0} 0.0) 1.75)", lambda v: min(max(v, 0), 1.75), 1, []),
    ("(softplus {0})", lambda v: max(v, 0) + math.log1p(math.exp(-abs(v))), 1, []),
    ("(where (> {0} 0) {0} (expm1 {0}))", lambda v: v if v > 0 else math.expm1(v), 1, []),
]


def activated(p, text, x):
    """An activation of what the text computes, and its value."""
    template, f, slope, steps = p.pick(ACTIVATIONS)
    decided_at(x, *steps)
    value = zipped(x.kind, f, lambda a: [slope], x)
    value.error = max(value.error, ROUNDING[x.kind] * x.largest())  # 1 + tanh(y) is 0 where a double has a few bits.
    return f"(let [y {text}] {template.format('y')})", value


def activation(p, name, x):
    need(x.is_float)
    return activated(p, name, x)


def linear(p, name, x):
    """A product of the last dimension, a bias, an activation; or two products that an activation gates."""
    need(x.is_float and x.kind != "f64" and 1 <= x.rank <= 3 and all(x.shape) and count(x.shape) <= 800)
    k, n = x.shape[-1], p.pick([1, 3, 8, 16, 33])
    need(count(x.shape) * n <= 20000)
    weights, w = p.operand(lambda t: t.kind == x.kind and t.rank == 2 and t.shape[1] == k and t.shape[0], x.kind, (n, k))
    letters = "abc"[:x.rank - 1]
    product = lambda v: einsum(f"{letters}k,nk->{letters}n", "f32", x, v)
    written = lambda v: f'(einsum "{letters}k,nk->{letters}n" {name} {v}{"" if x.kind == "f32" else " :out f32"})'
    text, y = written(weights), product(w)
    kind = p.pick(["plain", "bias", "gated"])
    if kind == "gated":
        others, v = p.operand(lambda t: t.kind == x.kind and t.shape == w.shape, x.kind, w.shape)
        first, a = activated(p, text, y)
        return f"(* {first} {written(others)})", zipped("f32", lambda a, b: a * b, lambda a, b: [b.largest() + b.error, a.largest()], a, product(v))
    if kind == "bias":
        bias, b = p.operand(lambda t: t.kind == "f32" and t.shape == w.shape[:1], "f32", w.shape[:1])
        y = zipped("f32", lambda a, b: a + b, lambda a, b: [1, 1], y, b)
        text = f"(+ {text} {bias})"
    return activated(p, text, y)


MASKS = [("(<= {s} {t})", lambda t, s: s <= t), ("(< {s} (+ {t} 2))", lambda t, s: s < t + 2),
         ("(and (<= {s} {t}) (> {s} (- {t} 3)))", lambda t, s: t - 3 < s <= t), ("(!= {s} {t})", lambda t, s: s != t),
         ("(or (<= {s} {t}) (= {s} 1))", lambda t, s: s <= t or s == 1), ("(>= {s} {t})", lambda t, s: s >= t),
         ("(and (<= {s} {t}) (!= {t} (+ {s} 2)))", lambda t, s: s <= t and t != s + 2), ("(< {s} 3)", lambda t, s: s < 3)]

SCORES = [("{0}", lambda v: v, []), ("(* 0.5 {0})", lambda v: 0.5 * v, []), ("(* 2.0 (tanh (/ {0} 2.0)))", lambda v: 2 * math.tanh(v / 2), []),
          ("(where (< {0} 0.1) (* 0.25 {0}) {0})", lambda v: 0.25 * v if v < 0.1 else v, [0.1]),
          ("(min {0} 1.5)", lambda v: min(v, 1.5), []), ("(abs {0})", abs, [])]


def soft(row):
    most = max(row)
    e = [math.exp(v - most) if most > -math.inf else math.nan for v in row]
    return [v / sum(e) for v in e]


def attention(p, name, x):
    need(x.kind in ("f32", "bf16", "f16") and 2 <= x.rank <= 4 and all(x.shape) and count(x.shape) <= 800)
    *batch, t, d = x.shape
    s, c = p.pick([1, 3, 5, 8, 17]), p.pick([1, 4, 8])
    keys, k = p.operand(lambda u: u.kind == x.kind and u.rank == x.rank and u.shape[:-2] == x.shape[:-2] and
                        u.shape[-1] == d and 0 < u.shape[-2] < 20, x.kind, (*batch, s, d))
    s = k.shape[-2]
    values, v = p.operand(lambda u: u.kind == x.kind and u.rank == x.rank and u.shape[:-1] == k.shape[:-1], x.kind, (*batch, s, c))
    need(v.shape[-1] and count(batch) * t * s * (d + v.shape[-1]) <= 30000)
    g = "gh"[:len(batch)]
    template, f, steps = p.pick(SCORES)
    scale = p.pick([1.0, 0.25, 1 / math.sqrt(d)])
    scores = einsum(f"{g}td,{g}sd->{g}ts", "f32", x, k)
    scores = zipped("f32", lambda a: a * scale, lambda a: [scale], scores)
    decided_at(scores, *steps)
    scores = zipped("f32", f, lambda a: [1], scores)
    mask, sees = p.pick(MASKS + [("", lambda t, s: True)])
    data = [a if sees(*i[-2:]) else -math.inf for i, a in zip(itertools.product(*map(range, scores.shape)), scores.data)]
    weights = along(soft, Tensor("f32", scores.shape, data), x.rank - 1, 4 * scores.error + 1e-6, 1.0)
    value = einsum(f"{g}ts,{g}sc->{g}tc", "f32", weights, v)
    row = f"(iota i32 [(dim {keys} -2)])"
    column = f"(iota i32 [(dim {name} -2) 1] :axis 0)"
    of_score = template.format("a")
    seen = f"(where {mask.format(s=row, t=column)} {of_score} -inf)" if mask else of_score
    out = "" if x.kind == "f32" else " :out f32"
    return (f'(let [a (* {scale!r} (einsum "{g}td,{g}sd->{g}ts" {name} {keys}{out}))] '
            f'(einsum "{g}ts,{g}sc->{g}tc" (softmax {seen}) {values}))', value)


def masked_softmax(p, name, x):
    need(x.kind in ("f32", "f64") and x.rank >= 2 and all(x.shape))
    mask, sees = p.pick(MASKS)
    data = [v if sees(*i[-2:]) else -math.inf for i, v in zip(itertools.product(*map(range, x.shape)), x.data)]
    text = mask.format(s=f"(iota i32 [(dim {name} -1)])", t=f"(iota i32 [(dim {name} -2) 1] :axis 0)")
    return (f"(softmax (where {text} {name} -inf))",
            along(soft, Tensor(x.kind, x.shape, data), x.rank - 1, 4 * x.error + 1e-6, 1.0))


def nearly_norm(p, name, x):
    """A root mean square with something planted in the statistic, or in what it divides."""
    need(x.kind in ("f32", "f64") and x.rank and all(x.shape) and x.largest() > 0.5)
    axis, spelt = axis_of(p, x)
    template, f, limits = p.pick([
        ("(max m 0.5)", lambda m: max(m, 0.5), []), ("(where (< m 1.1) (* m 4.0) m)", lambda m: 4 * m if m < 1.1 else m, [1.1]),
        ("(+ m 0.25)", lambda m: m + 0.25, []), ("(min (+ m 0.5) 2.5)", lambda m: min(m + 0.5, 2.5), [])])
    roots = []

    def row(r):
        m = sum(v * v for v in r) / len(r)
        error = 4 * x.largest() * x.error + 1e-5 * m
        need(all(abs(m - limit) > 2 * error for limit in limits))
        roots.append(math.sqrt(f(m)))
        return [v / roots[-1] for v in r] if roots[-1] > 0.2 else need(False)
    value = along(row, x, axis, 0.0)
    factor = 1 / min(roots)
    error = factor * (1 + 4 * value.largest() * x.largest() * factor) * x.error * 4 + 16 * ROUNDING[x.kind] * value.largest()
    return (f"(let [m (mean (* {name} {name}) :axis {spelt} :keep true)] (* {name} (rsqrt {template})))",
            Tensor(x.kind, x.shape, value.data, error))


def loss(p, name, x):
    """A reduction over any axes of what two operands make."""
    need(x.is_float and x.kind != "f64" and x.rank and all(x.shape))
    other, y = p.operand(lambda t: t.kind == x.kind and t.shape == x.shape and t is not x, x.kind, x.shape)
    template, f, slope, steps = p.pick([
        ("(* (- {0} {1}) (- {0} {1}))", lambda a, b: (a - b) ** 2, 2 * (x.largest() + y.largest()), False),
        ("(max 0.0 (- 1.0 (* {0} {1})))", lambda a, b: max(0, 1 - a * b), x.largest() + y.largest(), False),
        ("(abs (- {0} {1}))", lambda a, b: abs(a - b), 1, False),
        ("(* {0} {1})", lambda a, b: a * b, x.largest() + y.largest(), False),
        ("(let [d (abs (- {0} {1}))] (where (< d 0.9) (* 0.5 d d) (- d 0.4)))",
         lambda a, b: 0.5 * (a - b) ** 2 if abs(a - b) < 0.9 else abs(a - b) - 0.4, 1, True)])
    each = zipped(x.kind, f, lambda a, b: [slope, slope], x, y)
    if steps:
        decided_at(zipped(x.kind, lambda a, b: abs(a - b), lambda a, b: [1, 1], x, y), 0.9)
    axes = sorted(p.random.sample(range(x.rank), p.random.randint(1, x.rank)))
    left = [a for a in range(x.rank) if a not in axes]
    order, terms = left + axes, count([x.shape[a] for a in axes])
    shape = [x.shape[a] for a in order]
    turned = each.moved(shape, lambda i: [i[order.index(a)] for a in range(x.rank)])
    table = list(rows(lambda r: r, turned.reshaped(shape[:len(left)] + [terms]), len(left)).values())
    op = p.pick(["sum", "mean", "max"])
    of = {"sum": sum, "mean": lambda r: sum(r) / len(r), "max": max}[op]
    total = max(sum(map(abs, r)) for r in table)
    # In 16 bits each op rounds, or none does.
    error = (terms if op == "sum" else 1) * (each.error + 4 * ROUNDING[x.kind] * (each.largest() + x.largest() + y.largest()))
    return (f"({op} {template.format(name, other)} :axes [{names(*axes)}])",
            result(x.kind, [x.shape[a] for a in left], [of(r) for r in table], error, total))


def shares(p, name, x):
    """Rows divided by a statistic of them, or running sums by their last one."""
    need(x.kind in ("f32", "f64") and x.rank and all(x.shape))
    axis, spelt = axis_of(p, x)
    kind = p.pick(["sum", "range", "median"])
    if kind == "median":
        need(count(x.shape) <= 300)
        f = lambda r: [v - sorted(r, key=place_of)[len(r) // 2] for v in r]
        text = f"(- {name} (slice (sort {name} :axis {spelt}) :axis {spelt} :from {x.shape[axis] // 2} :size 1))"
        return text, along(f, x, axis, 2 * x.error)
    if kind == "range":
        text = f"(- (* 2.0 {name}) (+ (max {name} :axis {spelt} :keep true) (min {name} :axis {spelt} :keep true)))"
        return text, along(lambda r: [2 * v - max(r) - min(r) for v in r], x, axis, 4 * x.error)
    n = x.shape[axis]
    error = 2 * n * x.error + 4 * ROUNDING[x.kind] * n * x.largest()
    return (f"(let [a (abs {name})] (/ a (+ 1.0 (sum a :axis {spelt} :keep true))))",
            along(lambda r: [abs(v) / (1 + sum(map(abs, r))) for v in r], x, axis, error))


FORMS = [rounded, scaled, beyond_numbers, beyond_numbers, activation, activation, linear, linear, linear, attention, attention,
         masked_softmax, nearly_norm, loss, loss, shares]
