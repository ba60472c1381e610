"""check-lanes.py LISPIER COUNT SEED [--at-once=N] [OPTION ...]: ops that may fail, in lanes beyond the end.

Random formulas on tensors and random tile programs divide, take remainders and shift, of memory whose sizes are no
multiples of a vector or a tile. No element of theirs fails, so that none beyond the end may end the program. One
program of ten has one element that does fail: it is run alone, and must name the line. COUNT programs, --at-once=N in
one file.
"""
import random, re, subprocess, sys, tempfile

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
SIZES = [1, 2, 3, 5, 7, 8, 11, 13, 17, 31, 37]


def wrap(number, kind):
    half = 1 << BITS[kind] - 1
    return (number + half) % (2 * half) - half


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class Fails(Exception):
    pass


def divide(kind):
    def op(a, b):
        if b == 0 or (b == -1 and a == wrap(1 << BITS[kind] - 1, kind)):
            raise Fails
        return quotient(a, b)
    return op


def remainder(kind):
    def op(a, b):
        return a - divide(kind)(a, b) * b
    return op


class Program:
    """A function or a tile program of two memrefs, a and b, that writes c, all of one shape."""

    def __init__(self, seed, number):
        self.random = random.Random(seed)
        self.number, self.line = number, 1
        self.kind = self.pick(BITS)
        self.is_tiles = self.random.random() < 0.6
        rank = self.pick([1, 1, 2])
        self.shape = tuple(self.pick(SIZES) for _ in range(rank))
        self.plants = self.random.random() < 0.1
        count = 1
        for n in self.shape:
            count *= n
        step, period, few = self.pick([3, 5, 7]), self.pick([9, 13, 23]), self.pick([3, 5])
        self.a = [k * step % period - period // 2 for k in range(count)]
        self.b = [1 + k % few for k in range(count)]
        self.fill = f"(- (% (* k {step}) {period}) {period // 2})", f"(+ 1 (% k {few}))"
        self.special = []
        if self.random.random() < 0.3:  # The least number, where the divisor is not -1.
            self.special.append(("a", self.random.randrange(count), wrap(1 << BITS[self.kind] - 1, self.kind)))
            self.a[self.special[0][1]] = self.special[0][2]

    def pick(self, items):
        return self.random.choice(list(items))

    def divisor(self, pool):
        """A value without zeros where there are elements; beyond the end it has some."""
        text, values = self.pick(pool)
        choice = self.random.randrange(4)
        if choice == 0:
            return "b", list(self.b)
        if choice == 1:  # What is 0 is replaced by 5; the least number and -1 do not meet.
            values = [5 if v in (0, -1) else v for v in values]
            return f"(where (or (= {text} 0) (= {text} -1)) 5 {text})", values
        if choice == 2:  # Of the padding 0, -1.
            return "(- b 7)", [wrap(v - 7, self.kind) for v in self.b]
        return "(* b 2)", [wrap(v * 2, self.kind) for v in self.b]

    def expression(self):
        kind = self.kind
        pool = [("a", list(self.a)), ("b", list(self.b))]
        steps = []
        for i in range(self.random.randrange(2, 5)):
            text, values = self.pick(pool)
            choice = self.random.randrange(5)
            if i == 0 or choice < 2:
                by, numbers = self.divisor(pool)
                name, op = self.pick([("/", divide(kind)), ("%", remainder(kind))])
                result = [wrap(op(v, d), kind) for v, d in zip(values, numbers)]
                steps.append(f"({name} {text} {by})")
            elif choice == 2 and self.is_tiles:  # A shift by b - 1: of the padding, by -1.
                result = [wrap(v << d - 1, kind) for v, d in zip(values, self.b)]
                steps.append(f"(arith.shli {text} (- b 1))")
            elif choice == 3:
                other, numbers = self.pick(pool)
                result = [max(v, d) for v, d in zip(values, numbers)]
                steps.append(f"(max {text} {other})")
            else:
                other, numbers = self.pick(pool)
                result = [wrap(v - d, kind) for v, d in zip(values, numbers)]
                steps.append(f"(- {text} {other})")
            pool.append((f"v{i}", result))
        return steps, pool[-1][1]

    def plant(self):
        """Makes an element fail in the first step."""
        at = self.random.randrange(len(self.a))
        self.b[at] = 0
        self.special.append(("b", at, 0))
        return [self.pick(["(/ a b)", "(% a b)"])], None

    def text(self):
        """Lines of the program, and what c is; None if it fails in the line with `fails`."""
        steps, result = self.plant() if self.plants else self.expression()
        lets = [f"(def v{i} {step})" + (" ; fails" if self.plants else "") for i, step in enumerate(steps)]
        last = f"v{len(steps) - 1}"
        n, type = self.number, f"memref<{'x'.join('?' * len(self.shape))}x{self.kind}>"
        sizes = " ".join(f"(: {s} index)" for s in self.shape)
        if self.is_tiles:
            tile = [self.pick([4, 8, 16, 32]) for _ in self.shape]
            at = [f"(* {t} (program-id {d}))" for d, t in enumerate(tile)]
            where, extent = f"[{' '.join(at)}]", f"[{' '.join(map(str, tile))}]"
            grid = " ".join(str(-(-s // t)) for s, t in zip(self.shape, tile))
            lines = [f"(deftile f{n} [(: ma {type}) (: mb {type}) (: mc {type})]",
                     f"  (def a (load ma {where} {extent}))", f"  (def b (load mb {where} {extent}))"]
            if len(self.shape) == 2 and self.random.random() < 0.3:
                last = f"(transpose (transpose {last}))"
            if result and self.random.random() < 0.3:  # A loop adds it up.
                lines += [f"  (def sum (fold [sum (full {self.kind} {extent} 0)] [k 0 2]",
                          *(f"    {let}" for let in lets), f"    (+ sum {last})))"]
                result, last = [wrap(2 * v, self.kind) for v in result], "sum"
            else:
                lines += [f"  {let}" for let in lets]
            lines.append(f"  (store {last} mc {where}))")
            call = f"(launch f{n} {{:grid [{grid}]}} a{n} b{n} c{n})"
        else:
            known = " ".join(self.pick(["_", str(s)]) for s in self.shape)
            lines = [f"(defn f{n} [(: a (tensor {known} {self.kind})) (: b (tensor {known} {self.kind}))]",
                     *(f"  {let}" for let in lets)]
            if result and self.random.random() < 0.4:  # A reduction along the last axis.
                last, size = f"(max {last} (max {last} :axis -1 :keep true))", self.shape[-1]
                result = [max(result[k // size * size:k // size * size + size]) for k in range(len(result))]
            lines.append(f"  {last})")
            call = f"(store (f{n} (load a{n}) (load b{n})) c{n})"
        main = [f"(def {m}{n} (memref.alloc {{:result {type}}} {sizes}))" for m in "abc"]
        is_matrix = len(self.shape) == 2
        loop = "(for [i 0 {}] ".format(self.shape[0]) + ("(for [j 0 {}] ".format(self.shape[1]) if is_matrix else "")
        place, end = ("i j", "))") if is_matrix else ("i", ")")
        k = f"(+ (* i {self.shape[1]}) j)" if is_matrix else "i"
        for m, values in zip("ab", self.fill):
            main.append(f"{loop}(let [k {k}] (memref.store (cast {self.kind} {values}) {m}{n} {place})){end}")
        for m, at, value in self.special:
            indices = f"{at // self.shape[-1]} {at % self.shape[-1]}" if "j" in place else str(at)
            main.append(f"(memref.store (: {value} {self.kind}) {m}{n} {indices})")
        main.append(call)
        main.append(f'{loop}(print "%ld " (cast i64 (memref.load c{n} {place}))){end}')
        main.append('(println "")')
        return lines, main, result


def run(lispier, options, programs):
    lines, main = ["(require-dialect memref arith)"], []
    for text, calls, _ in programs:
        lines += text
        main += calls
    source = "\n".join(lines + ["(defn main []", *(f"  {call}" for call in main)]) + ")\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    return source, done


def main():
    lispier, total, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    step = next((int(o.split("=")[1]) for o in sys.argv[4:] if o.startswith("--at-once=")), 20)
    options = [o for o in sys.argv[4:] if not o.startswith("--at-once=")]
    programs = []
    while len(programs) < total:
        try:
            program = Program(seed, len(programs))
            seed += 1
            programs.append(program.text())
        except Fails:
            continue
    good = [p for p in programs if p[2] is not None]
    for i in range(0, len(good), step):
        source, done = run(lispier, options, good[i:i + step])
        found = [[int(n) for n in line.split()] for line in done.stdout.splitlines()]
        expected = [result for _, _, result in good[i:i + step]]
        if done.returncode or found != expected:
            wrong = next((k for k, (f, e) in enumerate(zip(found, expected)) if f != e), len(found))
            sys.exit(f"{source}{done.stderr}result {wrong}: {found[wrong:wrong + 1]} instead of {expected[wrong]}")
    bad = [p for p in programs if p[2] is None]
    for program in bad:
        source, done = run(lispier, options, [program])
        line = next(i for i, text in enumerate(source.splitlines(), 1) if "; fails" in text)
        if done.returncode != 1 or not re.search(rf":{line}:\d+: error\[\w+-division\]: integer division", done.stderr):
            sys.exit(source + done.stderr + f"does not report a division by zero in line {line}")
    print(f"{len(good)} programs agree, and {len(bad)} fail")


main()
