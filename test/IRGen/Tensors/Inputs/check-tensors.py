"""check-tensors.py LISPIER COUNT SEED: random tensor programs against an interpreter in double precision.

Each program is a function of two tensors, of which some sizes are known to the compiler and others not: 1 and
primes. 25 are in one file, which LISPIER runs once. The interpreter here knows tensors as (shape, list of numbers) and
shares nothing with the compiler. f32 results agree to 2e-4 of the largest number in the result (println shows six digits).
"""
import itertools, math, random, re, subprocess, sys, tempfile


def count(shape):
    return math.prod(shape)


def indices(shape):
    return itertools.product(*(range(n) for n in shape))


def at(tensor, index):
    shape, data = tensor
    place = 0
    for i, n in zip(index, shape):
        place = place * n + i
    return data[place]


def build(shape, element):
    return tuple(shape), [element(i) for i in indices(shape)]


def broadcast(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    if any(m != n and 1 not in (m, n) for m, n in zip(a, b)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(a, b))


def spread(tensor, shape):
    own = tensor[0]
    skip = len(shape) - len(own)
    return build(shape, lambda i: at(tensor, [0 if n == 1 else k for k, n in zip(i[skip:], own)]))


def zip_with(f, *tensors):
    shape = ()
    for t in tensors:
        shape = broadcast(shape, t[0])
    wide = [spread(t, shape) for t in tensors]
    return shape, [f(*numbers) for numbers in zip(*(t[1] for t in wide))]


def reduce(f, tensor, axis, keep):
    shape = tensor[0]
    left = shape[:axis] + shape[axis + 1:]
    data = build(left, lambda i: f([at(tensor, i[:axis] + (k,) + i[axis:]) for k in range(shape[axis])]))[1]
    return (shape[:axis] + (1,) + shape[axis + 1:] if keep else left), data


def softmax(row):
    e = [math.exp(v - max(row)) for v in row]
    return [v / sum(e) for v in e]


def along(f, tensor, axis):
    """Replaces each row along an axis by f of it."""
    shape = tensor[0]
    rows = {}

    def element(i):
        key = i[:axis] + i[axis + 1:]
        if key not in rows:
            rows[key] = f([at(tensor, key[:axis] + (k,) + key[axis:]) for k in range(shape[axis])])
        return rows[key][i[axis]]
    return build(shape, element)


def window(shape, part, starts):
    """Whether an element of `shape` is in a part, and its place there."""
    def inside(i):
        return all(s <= k < s + n for k, s, n in zip(i, starts, part))
    return inside, lambda i: tuple(k - s for k, s in zip(i, starts))


# Functions that write their first argument in place, by its rank.
WRITERS = "\n".join(
    f"(defn write{r} [(: c (inout (tensor {'_ ' * r}f32))) (: part (tensor {'_ ' * r}f32)) "
    f"{' '.join(f'(: i{d} index)' for d in range(r))}]\n  (update c (* 0.5 part) [{' '.join(f'i{d}' for d in range(r))}]))"
    for r in (1, 2, 3, 4))
TYPES = ["f16", "bf16", "f64", "i8", "i16", "i32", "i64", "index"]

ONE = {"tanh": math.tanh, "abs": abs, "neg": lambda v: -v, "sigmoid": lambda v: 1 / (1 + math.exp(-v)),
       "floor": math.floor, "cos": math.cos, "relu": lambda v: max(v, 0)}
TWO = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "max": max, "min": min}
REDUCED = {"sum": sum, "max": max, "min": min, "mean": lambda r: sum(r) / len(r)}


class Programs:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, items):
        return self.random.choice(list(items))

    def grow(self, pool):
        """Adds the value of a random form to the pool of (name, tensor); returns its text, or None."""
        name, x = self.pick(pool)
        shape, rank = x[0], len(x[0])
        kind = self.pick(["one", "two", "two", "literal", "where", "reduce", "reduce", "softmax", "transpose", "reshape",
                          "product", "concat", "slice", "cumsum", "stack", "pad", "update", "write", "loop", "type"])
        if kind == "one":
            op = self.pick(ONE)
            return f"({op} {name})", zip_with(ONE[op], x)
        if kind == "literal":
            op, number = self.pick(TWO), self.pick([0.5, -1.25, 2.0])
            return f"({op} {name} {number})", zip_with(lambda v: TWO[op](v, number), x)
        if kind in ("two", "where"):
            other, y = self.pick(pool)
            if broadcast(shape, y[0]) is None:
                return None
            if shape != y[0]:  # A size of 1 that broadcasts is one that the program's text knows.
                name, other = (f"(reshape {n} [{' '.join(map(str, t[0]))}])" if 1 in t[0] else n
                               for n, t in ((name, x), (other, y)))
            if kind == "where":
                return f"(where (> {name} {other}) {name} (* 0.5 {other}))", zip_with(
                    lambda a, b: a if a > b else 0.5 * b, x, y)
            op = self.pick(TWO)
            return f"({op} {name} {other})", zip_with(TWO[op], x, y)
        if kind == "type":  # Whole numbers, of which each type has these exactly.
            if any(abs(v) > 30 or abs(v - round(v)) < 1e-3 for v in x[1]):
                return None
            whole = f"(cast {self.pick(TYPES)} (floor {name}))"
            return f"(cast f32 (+ {whole} {whole}))", zip_with(lambda v: 2 * math.floor(v), x)
        if kind == "loop":
            other, y = self.pick(pool)
            if y[0] != shape:
                return None
            result = zip_with(lambda a, b: a + b, x, y)  # With the sizes that either of them knows.
            for _ in range(3):
                result = zip_with(lambda a, b: 0.5 * a + b, result, y)
            return f"(fold [a (+ {name} {other})] [i 0 3] (+ (* 0.5 a) {other}))", result
        if rank == 0:
            return None
        if kind in ("update", "write") and rank > 4:
            return None
        if kind in ("update", "write"):
            part = tuple(self.random.randint(0 if n == 0 else 1, n) for n in shape)
            source, starts = (tuple(self.random.randint(0, n - m) for n, m in zip(shape, part)) for _ in range(2))
            inside, place = window(shape, part, starts)
            read = f"(slice {name} [{' '.join(map(str, source))}] [{' '.join(map(str, part))}])"
            offsets = " ".join(map(str, starts))
            result = build(shape, lambda i: 0.5 * at(x, tuple(a + b for a, b in zip(place(i), source)))
                           if inside(i) else at(x, i))
            if kind == "update":
                return f"(update {name} (* 0.5 {read}) [{offsets}])", result
            # The tensor that is written is a new one; in a loop it is written again with the same numbers.
            call = f"(write{rank} c {read} {offsets})"
            call = self.pick([call, f"(for [i 0 2] {call})", f"(if (< (dim c 0) 1000) {call})"])
            return f"(let [c (+ 0.0 {name})] {call} c)", result
        axis = self.random.randrange(rank)
        spelt = self.pick([axis, axis - rank])
        if kind == "reduce":
            op, keep = "sum" if shape[axis] == 0 else self.pick(REDUCED), self.pick([True, False])
            text = f"({op} {name} :axis {spelt}{' :keep true' if keep else ''})"
            return text, reduce(REDUCED[op], x, axis, keep)
        if kind == "softmax":
            return f"(softmax {name} :axis {spelt})", along(softmax, x, axis)
        if kind == "cumsum":
            return f"(cumsum {name} :axis {spelt})", along(lambda r: list(itertools.accumulate(r)), x, axis)
        if kind == "transpose":
            axes = self.random.sample(range(rank), rank)
            return (f"(transpose {name} [{' '.join(map(str, axes))}])",
                    build([shape[a] for a in axes], lambda i: at(x, [i[axes.index(d)] for d in range(rank)])))
        if kind == "reshape":
            total = count(shape)
            if total == 0:
                return None
            first = self.pick([n for n in range(1, total + 1) if total % n == 0])
            return f"(reshape {name} [{first} _])", ((first, total // first), x[1])
        if kind == "product":
            other, y = self.pick(pool)
            if rank != 2 or len(y[0]) != 2 or shape[1] != y[0][1]:
                return None
            return f'(einsum "mk,nk->nm" {name} {other})', build(
                (y[0][0], shape[0]), lambda i: sum(at(x, (i[1], k)) * at(y, (i[0], k)) for k in range(shape[1])))
        if kind == "concat":
            twice = lambda i: at(x, i[:axis] + (i[axis] % shape[axis],) + i[axis + 1:])
            return f"(concat {name} {name} :axis {spelt})", build(
                shape[:axis] + (2 * shape[axis],) + shape[axis + 1:], twice)
        if kind == "slice" and shape[axis] == 0:
            return None
        if kind == "slice":
            start = self.random.randrange(shape[axis])
            return f"(slice {name} :axis {spelt} :from {start})", build(
                shape[:axis] + (shape[axis] - start,) + shape[axis + 1:],
                lambda i: at(x, i[:axis] + (i[axis] + start,) + i[axis + 1:]))
        if kind == "stack":
            return f"(stack {name} (neg {name}) :axis {axis})", build(
                shape[:axis] + (2,) + shape[axis:], lambda i: (-1) ** i[axis] * at(x, i[:axis] + i[axis + 1:]))
        pairs = " ".join("[1 0]" if d == axis else "[0 0]" for d in range(rank))
        return f"(pad {name} [{pairs}] 3.0)", build(
            shape[:axis] + (shape[axis] + 1,) + shape[axis + 1:],
            lambda i: at(x, i[:axis] + (i[axis] - 1,) + i[axis + 1:]) if i[axis] else 3.0)

    def program(self, number):
        """A function of two tensors, its call, and what it gives."""
        sizes = [self.pick([1, 1, 2, 2, 3, 3, 5, 5, 7]) for _ in range(3)]
        shapes = [tuple(self.pick(sizes) for _ in range(self.pick([1, 2, 2, 3]))) for _ in range(2)]
        pool, parameters, arguments = [], [], []
        for name, shape in zip("xy", shapes):
            # A size of 1 that broadcasts is one that the program's text knows.
            known = [n if n == 1 or self.random.random() < 0.5 else "_" for n in shape]
            parameters.append(f"(: {name} (tensor {' '.join(map(str, known))} f32))")
            scale = self.pick([0.25, -0.5])
            pool.append((name, (shape, [scale * k - 1 for k in range(count(shape))])))
            arguments.append(f"(- (* {scale} (reshape (iota f32 [{count(shape)}]) [{' '.join(map(str, shape))}])) 1.0)")
        body = []
        while len(body) < 6:
            grown = self.grow(pool)
            if grown is None or count(grown[1][0]) > 400 or any(n > 8 for n in grown[1][0]) or not all(
                    abs(v) < 1e4 for v in grown[1][1]):
                continue
            # A step at an exact number may fall to either side in f32.
            if grown[0].startswith("(floor") and any(abs(v - round(v)) < 1e-3 for v in dict(pool)[grown[0][7:-1]][1]):
                continue
            body.append(f"(def v{len(body)} {grown[0]})")
            pool.append((f"v{len(body) - 1}", grown[1]))
        text = f"(defn f{number} [{' '.join(parameters)}]\n  " + "\n  ".join(body) + f"\n  v{len(body) - 1})"
        return text, f"(println (f{number} {' '.join(arguments)}))", pool[-1][1]


def check(lispier, options, programs):
    source = WRITERS + "\n" + "\n".join(p[0] for p in programs) + "\n(defn main []\n  " + "\n  ".join(
        p[1] for p in programs) + ")\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([lispier, "run", *options, file.name], capture_output=True, text=True)
    if run.returncode:
        sys.exit(source + run.stderr)
    found = re.split(r"^f32 ", run.stdout, flags=re.M)[1:]
    if len(found) != len(programs):
        sys.exit(source + run.stdout + f"{len(found)} results of {len(programs)}")
    for (text, call, (shape, data)), printed in zip(programs, found):
        head, _, rest = printed.partition("]")
        numbers = [float(n) for n in re.findall(r"[-+.\w]+", rest)]
        sizes = tuple(int(n) for n in re.findall(r"\d+", head))
        largest = max([abs(v) for v in data] + [1e-3])
        if sizes != tuple(shape) or len(numbers) != len(data) or any(
                not abs(a - b) <= 2e-4 * largest for a, b in zip(numbers, data)):
            sys.exit(f"{text}\n{call}\ngives f32 {printed}instead of {shape} {data}")


def main():
    lispier, total, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    programs = [Programs(seed + i).program(i) for i in range(total)]
    for i in range(0, total, 25):
        check(lispier, sys.argv[4:], programs[i:i + 25])
    print(f"{total} programs agree")


main()
