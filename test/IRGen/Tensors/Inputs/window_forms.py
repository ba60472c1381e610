"""Forms of windows of tensors: windows that are kept or reduced, pools, and convolutions of both directions."""
import itertools, math
from tensor_forms import greatest, names, on_any_number, sums_of
from tensor_values import Tensor, count, need, result


@on_any_number
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
        return f"(max {text} :axes [{last}])", Tensor(x.kind, tuple(shape), [greatest(*w) for w in all_], x.error)
    total = max((sum(abs(v) for v in w if math.isfinite(v)) for w in all_), default=0)
    return (f"(sum {text} :axes [{last}])",
            result(sums_of(x.kind), tuple(shape), [sum(w) for w in all_], x.error * len(taps), total, [v for w in all_ for v in w]))


def per_axis(p, items, axes):
    """A number for each axis, and how the program has it."""
    numbers = [p.pick(items) for _ in range(axes)]
    return numbers, (str(numbers[0]) if len(set(numbers)) == 1 and p.pick([True, False]) else f"[{names(*numbers)}]")


def correlated(x, w, stride, pad, dilation, groups, kind):
    """x: [b c n ...], w: [o c/groups k ...]."""
    axes = x.rank - 2
    c, o = w.shape[1], w.shape[0]
    shape = (x.shape[0], o, *((n + 2 * q - d * (k - 1) - 1) // s + 1 for n, q, d, k, s in
                              zip(x.shape[2:], pad, dilation, w.shape[2:], stride)))
    need(all(n > 0 for n in shape))
    taps = list(itertools.product(*map(range, w.shape[2:])))
    need(count(shape) * len(taps) * c <= 20000)
    data, most = [], 0
    for b, j, *place in itertools.product(*map(range, shape)):
        total = absolute = 0
        for tap in taps:
            at = [i * s + t * d - q for i, s, t, d, q in zip(place, stride, tap, dilation, pad)]
            if all(0 <= i < n for i, n in zip(at, x.shape[2:])):
                for g in range(c):
                    term = x.at((b, j // (o // groups) * c + g, *at)) * w.at((j, g, *tap))
                    total, absolute = total + term, absolute + abs(term)
        data.append(total)
        most = max(most, absolute)
    error = c * len(taps) * (x.error * w.largest() + w.error * x.largest() + x.error * w.error)
    if not error and kind in ("f32", "f64"):
        error = 1e-30  # The factors may be split.
    return result(kind, shape, data, error, most)


def convolution(p, name, x):
    need(3 <= x.rank <= 5 and x.is_float and all(x.shape) and count(x.shape) <= 800)
    axes, c = x.rank - 2, x.shape[1]
    groups = p.pick([g for g in (1, 1, 1, 2, 3, c) if c % g == 0])
    stride, stride_text = per_axis(p, [1, 1, 2], axes)
    pad, pad_text = per_axis(p, [0, 1], axes)
    dilation, dilation_text = per_axis(p, [1, 1, 2], axes)
    o = groups * p.pick([1, 2, 3, 13, 48])  # From 12 on, or 48, a CPU computes them by panels.
    other, w = p.operand(lambda t: t.kind == x.kind and t.rank == x.rank and t.shape[1] * groups == c and
                         t.shape[0] % groups == 0 and 0 < t.shape[0] <= 8 and all(0 < k <= 4 for k in t.shape[2:]),
                         x.kind, (o, c // groups, *(p.pick([1, 2, 3]) for _ in range(axes))))
    value = correlated(x, w, stride, pad, dilation, groups, x.kind)
    return (f"(conv{axes}d {name} {other} :stride {stride_text} :padding {pad_text} :dilation {dilation_text}"
            f"{f' :groups {groups}' if groups > 1 else ''})", value)


def transposed_convolution(p, name, x):
    need(3 <= x.rank <= 4 and x.is_float and all(x.shape) and count(x.shape) <= 200)
    axes, c = x.rank - 2, x.shape[1]
    groups = p.pick([g for g in (1, 1, 1, 2) if c % g == 0])
    stride, stride_text = per_axis(p, [1, 2, 3], axes)
    pad, pad_text = per_axis(p, [0, 0, 1], axes)
    dilation, dilation_text = per_axis(p, [1, 1, 2], axes)
    o = p.pick([1, 2, 13])
    other, w = p.operand(lambda t: False, x.kind, (c, o, *(p.pick([1, 2, 3]) for _ in range(axes))))
    k = w.shape[2:]
    shape = (x.shape[0], o * groups, *((n - 1) * s - 2 * q + d * (m - 1) + 1 for n, s, q, d, m in
                                       zip(x.shape[2:], stride, pad, dilation, k)))
    need(all(n > 0 for n in shape) and all(q <= d * (m - 1) for q, d, m in zip(pad, dilation, k)))
    need(count(x.shape) * count(k) * o <= 20000)
    sums, totals = [0.0] * count(shape), [0.0] * count(shape)
    for i in itertools.product(*map(range, x.shape)):
        group = i[1] // (c // groups)
        for j, *tap in itertools.product(range(o), *map(range, k)):
            at = [a * s + t * d - q for a, s, t, d, q in zip(i[2:], stride, tap, dilation, pad)]
            if all(0 <= a < n for a, n in zip(at, shape[2:])):
                place = 0
                for a, n in zip((i[0], group * o + j, *at), shape):
                    place = place * n + a
                term = x.at(i) * w.at((i[1], j, *tap))
                sums[place] += term
                totals[place] += abs(term)
    error = c * count(k) * (x.error * w.largest() + w.error * x.largest() + x.error * w.error)
    if not error and x.kind in ("f32", "f64"):
        error = 1e-30
    return (f"(conv-transpose{axes}d {name} {other} :stride {stride_text} :padding {pad_text} :dilation {dilation_text}"
            f"{f' :groups {groups}' if groups > 1 else ''})", result(x.kind, shape, sums, error, max(totals)))


@on_any_number
def pool(p, name, x):
    axes = p.pick([1, 2, 3])
    need(x.is_float and axes <= x.rank and all(x.shape) and count(x.shape) <= 400)
    op = p.pick(["max", "avg"])
    size, size_text = per_axis(p, [1, 2, 3], axes)
    stride, stride_text = per_axis(p, [1, 2], axes) if p.pick([True, False]) else (size, "")
    pad, pad_text = per_axis(p, [0, 0, 1], axes)
    need(all(q < k for q, k in zip(pad, size)))
    dilation, dilation_text = per_axis(p, [1, 1, 2], axes) if op == "max" else ([1] * axes, "")
    before = x.shape[:x.rank - axes]
    shape = (*before, *((n + 2 * q - d * (k - 1) - 1) // s + 1 for n, q, d, k, s in
                        zip(x.shape[-axes:], pad, dilation, size, stride)))
    need(all(n > 0 for n in shape))
    outside = -math.inf if op == "max" else 0.0
    all_ = []
    for i in itertools.product(*map(range, shape)):
        window = []
        for tap in itertools.product(*map(range, size)):
            at = [a * s + t * d - q for a, s, t, d, q in zip(i[len(before):], stride, tap, dilation, pad)]
            inside = all(0 <= a < n for a, n in zip(at, x.shape[-axes:]))
            window.append(x.at((*i[:len(before)], *at)) if inside else outside)
        all_.append(window)
    text = (f"({op}-pool{axes}d {name} :size {size_text}{f' :stride {stride_text}' if stride_text else ''} :padding {pad_text}"
            f"{f' :dilation {dilation_text}' if dilation_text else ''})")
    if op == "max":
        return text, Tensor(x.kind, shape, [greatest(*w) for w in all_], x.error)
    total = max(sum(abs(v) for v in w if math.isfinite(v)) for w in all_)
    return text, result(x.kind, shape, [sum(w) / len(w) for w in all_], x.error, total, [v for w in all_ for v in w])


FORMS = [windows, windows, windows, convolution, convolution, transposed_convolution, pool, pool]
