"""check-aliasing.py LISPIER COUNT SEED [--at-once=N] [OPTION ...]: random programs that read tensors of memory and write
that memory afterwards, against lists of numbers.

A program has two memrefs, views of the first that overlap it, and tensors read of any of them. It writes the memory in
each way there is: an element, a tensor, a linalg op, a copy, a kernel, a tile program, a function that gets a memref, an
inout parameter, a recursive function; at any place, in loops, branches and folds. A tensor is a value: here it is a
list that nothing changes.
"""
import random, re, subprocess, sys, tempfile

N = 8
VIEW = "memref<?xf32, strided<[1], offset: ?>>"
ANY = "memref<?xf32>"
HELPERS = f"""(require-dialect memref linalg scf)
(defn filled [(: m {VIEW}) (: v f32)] (for [i 0 (memref.dim m 0)] (memref.store (+ v (cast f32 i)) m i)))
(defn copied [(: a {VIEW}) (: b {VIEW})] (store (load a) b))
(defn summed [(: a {VIEW}) (: b {VIEW})] (store (+ (load a) (load b)) b))
(defn flipped [(: a {VIEW}) (: b {VIEW})]
  (def x (load a))
  (store (gather x (- (cast i32 (- (memref.dim a 0) 1)) (iota i32 [(memref.dim a 0)]))) b))
(defn kept [(: a {VIEW}) (: b {VIEW})] -> f32
  (def x (load a))
  (store (+ 1.0 (load b)) b)
  (at (sum x)))
(defn bumped [(: c (inout (tensor n f32))) (: row (tensor k f32))]
  (update c (+ (slice c [1] [k]) row) [1]))
(defn walked [(: x (tensor n f32)) (: m {ANY}) (: k i64)] -> (tensor n f32)
  (memref.store (- (at x 1) 3.0) m 2)
  (if (= k 0) (+ x 1.0) (walked (+ x (load m)) m (- k 1))))
(defkernel negated [(: m {ANY})] (let [i (thread-id :x)] (memref.store (- 0.0 (memref.load m i)) m i)))
(deftile raised {{:const [n]}} [(: a {ANY}) (: b {ANY})]
  (def i (* n (program-id 0)))
  (store (+ 1.0 (load a [i] [n])) b [i]))
"""


class Program:
    """The text of one function, and what it prints, computed as the text is made: bodies of loops are text and a
    function of the state, which is called for each iteration."""

    def __init__(self, seed, number):
        self.random, self.number, self.names = random.Random(seed), number, 0

    def pick(self, items):
        return self.random.choice(list(items))

    def name(self):
        self.names += 1
        return f"t{self.names}"

    # Memory: name -> (array, first, size). Arrays of the state are changed in place, tensors never.
    MEMORY = {"a": ("A", 0, N), "b": ("B", 0, N), "v": ("A", 0, N - 2), "w": ("A", 2, N - 2), "u": ("B", 1, N - 2)}

    def memory(self, whole=False, size=None):
        fits = [m for m, (_, _, n) in self.MEMORY.items() if n == (N if whole else size or n)]
        return self.pick(fits)

    def at(self, state, m):
        array, first, size = self.MEMORY[m]
        return tuple(state[array][first:first + size])

    def put(self, state, m, values):
        array, first, size = self.MEMORY[m]
        state[array][first:first + size] = list(values)

    def viewed(self, m):
        return f"{m}-part" if m in "ab" else m

    def value(self, tensors):
        """A tensor: text, its size, and a function of the state."""
        if not tensors or self.random.random() < 0.5:
            m = self.memory()
            return f"(load {m})", self.MEMORY[m][2], lambda s: self.at(s, m)
        name, n = self.pick(tensors.items())
        x = lambda s: s[name]
        form = self.random.randrange(6)
        if form == 0:
            return f"(* 1.0 {name})", n, x
        if form == 1:
            return f"(gather {name} (- {n - 1} (iota i32 [{n}])))", n, lambda s: x(s)[::-1]
        if form == 2 and n > 3:
            return f"(slice {name} [1] [{n - 2}])", n - 2, lambda s: x(s)[1:-1]
        if form == 3:
            return f"(+ {name} (sum {name} :keep true))", n, lambda s: tuple(e + sum(x(s)) for e in x(s))
        other = self.pick([o for o, k in tensors.items() if k == n])
        if form == 4:
            return f"(- {name} {other})", n, lambda s: tuple(p - q for p, q in zip(x(s), s[other]))
        return f"(+ {name} {other})", n, lambda s: tuple(p + q for p, q in zip(x(s), s[other]))

    def write(self, tensors):
        """A write to memory: text and a function that does it to the state."""
        r, way = self.random, self.random.randrange(14)
        k = r.randrange(-5, 6)
        if way == 0:
            m = self.memory()
            i = r.randrange(self.MEMORY[m][2])
            return (f"(memref.store {k}.0 {m} {i})",
                    lambda s: self.put(s, m, [k if j == i else e for j, e in enumerate(self.at(s, m))]))
        if way in (1, 2):
            text, n, value = self.value(tensors)
            fits = [m for m in self.MEMORY if self.MEMORY[m][2] == n]
            if not fits:
                return self.write(tensors)
            m = self.pick(fits)
            return f"(store {text} {m})", lambda s: self.put(s, m, value(s))
        if way == 3:
            m = self.memory()
            return f"(linalg.fill {k}.0 {m})", lambda s: self.put(s, m, [k] * self.MEMORY[m][2])
        if way == 4:
            m, o = self.pick([("a", "b"), ("b", "a"), ("v", "u"), ("u", "w")])
            return f"(memref.copy {m} {o})", lambda s: self.put(s, o, self.at(s, m))
        if way == 5:
            m = self.memory()
            return (f"(filled {self.viewed(m)} {k}.0)",
                    lambda s: self.put(s, m, [k + j for j in range(self.MEMORY[m][2])]))
        if way in (6, 7, 8):
            m = self.memory()
            o = self.memory(size=self.MEMORY[m][2])
            callee, what = [("copied", lambda x, y: x), ("summed", lambda x, y: [p + q for p, q in zip(x, y)]),
                            ("flipped", lambda x, y: x[::-1])][way - 6]
            return (f"({callee} {self.viewed(m)} {self.viewed(o)})",
                    lambda s: self.put(s, o, what(self.at(s, m), self.at(s, o))))
        if way == 9:
            m = self.memory(whole=True)
            return f"(launch negated {{:grid [1] :block [{N}]}} {m})", lambda s: self.put(s, m, [-e for e in self.at(s, m)])
        if way == 10:
            m, o = self.memory(whole=True), self.memory(whole=True)
            return (f"(launch raised {{:grid [2] :const {{:n 4}}}} {m} {o})",
                    lambda s: self.put(s, o, [e + 1 for e in self.at(s, m)]))
        if way == 11:
            m, o = self.memory(whole=True), self.memory(size=N - 2)

            def bump(s):
                x, row = list(self.at(s, m)), self.at(s, o)
                x[1:-1] = [p + q for p, q in zip(x[1:-1], row)]
                self.put(s, m, x)
            name = self.name()
            return f"(let [{name} (load {o})] (bumped {m} {name}))", bump
        if way == 12:
            m = self.memory()
            o, name = self.memory(size=self.MEMORY[m][2]), self.name()

            def keep(s):
                total = sum(self.at(s, m))
                self.put(s, o, [e + 1 for e in self.at(s, o)])
                s["printed"].append((total,))
            call = f"(kept {self.viewed(m)} {self.viewed(o)})"
            return f"(let [{name} (full f32 [1] {call})] (println {name}))", keep
        m, (text, n, value) = self.memory(whole=True), self.value(tensors)
        if n != N:
            return self.write(tensors)
        name = self.name()

        def walk(s):
            x = value(s)
            for _ in range(2):
                self.put(s, m, [x[1] - 3 if j == 2 else e for j, e in enumerate(self.at(s, m))])
                x = tuple(p + q for p, q in zip(x, self.at(s, m)))
            self.put(s, m, [x[1] - 3 if j == 2 else e for j, e in enumerate(self.at(s, m))])
            s["printed"].append(tuple(e + 1 for e in x))
        return f"(let [{name} (walked {text} {m} 2)] (println {name}))", walk

    def show(self, tensors):
        name = self.pick(tensors)
        return f"(println {name})", lambda s: s["printed"].append(s[name])

    def body(self, tensors, depth, length):
        """Text and a function of the state; tensors that it names are visible in it only."""
        tensors, lines, steps = dict(tensors), [], []
        for _ in range(length):
            kind = self.random.random()
            if kind < 0.35 or not tensors:
                text, n, value = self.value(tensors)
                name = self.name()
                line, step = f"(def {name} {text})", (lambda s, name=name, value=value: s.__setitem__(name, value(s)))
                tensors[name] = n
            elif kind < 0.7:
                line, step = self.write(tensors)
            elif kind < 0.8:
                line, step = self.show(tensors)
            elif depth == 0:
                continue
            elif kind < 0.88:
                inner, run = self.body(tensors, depth - 1, 4)
                line = f"(for [i{self.names} 0 2] {inner})"
                step = lambda s, run=run: [run(s) for _ in range(2)]
            elif kind < 0.94:
                inner, run = self.body(tensors, depth - 1, 3)
                taken = self.random.random() < 0.7
                line = f"(if (> count {0 if taken else 9}) (do {inner}))"
                step = run if taken else lambda s: None
            else:
                line, step = self.fold(tensors, depth)
            lines.append(line)
            steps.append(step)
        if tensors:
            line, step = self.show(tensors)
            lines.append(line)
            steps.append(step)
        return "\n  ".join(lines), lambda s: [step(s) for step in steps]

    def fold(self, tensors, depth):
        """A tensor that a loop carries, and memory that it writes."""
        first, n = self.pick(tensors.items())
        name, carried = self.name(), self.name()
        inner, run = self.body({**tensors, carried: n}, depth - 1, 3)
        fits = [m for m in self.MEMORY if self.MEMORY[m][2] == n]
        last = f"(+ {carried} (load {self.pick(fits)}))" if fits and self.random.random() < 0.5 else None
        read = last.split()[-1].rstrip(")") if last else None
        other = self.pick([t for t, k in tensors.items() if k == n])

        def go(s):
            x = s[first]
            for _ in range(3):
                s[carried] = x
                run(s)
                x = tuple(p + q for p, q in zip(x, self.at(s, read))) if read else s[other]
            s["printed"].append(x)
        text = f"(let [{name} (fold [{carried} {first}] [i{self.names} 0 3] {inner} {last or other})] (println {name}))"
        return text, go

    def program(self):
        text, run = self.body({}, 2, 9)
        state = {"A": list(range(1, N + 1)), "B": [10 * e for e in range(1, N + 1)], "printed": []}
        run(state)
        state["printed"] += [tuple(state["A"]), tuple(state["B"])]
        views = "\n  ".join(f"(def {self.viewed(m)} (memref.subview {'a' if array == 'A' else 'b'} [(+ zero {first})] "
                            f"[(+ zero {size})] [1]))" for m, (array, first, size) in self.MEMORY.items())
        return f"""(defn f{self.number} [(: count i64) (: zero index)]
  (def a (memref.alloc {{:result {ANY}}} (: {N} index)))
  (def b (memref.alloc {{:result {ANY}}} (: {N} index)))
  (for [i 0 {N}] (memref.store (cast f32 (+ i 1)) a i) (memref.store (* 10.0 (cast f32 (+ i 1))) b i))
  {views}
  {text}
  (println (load a))
  (println (load b)))""", state["printed"]


def made(seed, number):
    while True: # Numbers that println shows exactly.
        text, printed = Program(seed, number).program()
        if all(abs(e) < 100000 for tensor in printed for e in tensor) and len(printed) < 60:
            return text, printed
        seed += 1000003


def check(lispier, options, programs):
    calls = "\n  ".join(f'(println "program {i}") (f{i} count (cast index (- count 1)))' for i in range(len(programs)))
    source = HELPERS + "\n".join(p[0] for p in programs)
    source += f"\n(defn main [(: count i64) (: words !llvm.ptr)]\n  {calls})\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([lispier, "run", "--cache=false", *options, file.name, "--", "x"], capture_output=True,
                             text=True)
    if run.returncode:
        sys.exit(source + run.stderr)
    parts = re.split(r"^program \d+$", run.stdout, flags=re.M)[1:]
    for (text, printed), part in zip(programs, parts):
        found = [tuple(float(n) for n in line.split()) for line in re.findall(r"^f32 \[\d+\]\s*\[([^\]]*)\]", part, re.M)]
        if found != [tuple(float(e) for e in tensor) for tensor in printed]:
            wrong = next((i for i, (x, y) in enumerate(zip(found, printed)) if x != y), min(len(found), len(printed)))
            sys.exit(f"{text}\nprints{part}and tensor {wrong} is {printed[wrong]}")


def main():
    lispier, total, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    options = sys.argv[4:]
    step = next((int(o.split("=")[1]) for o in options if o.startswith("--at-once=")), 25)
    options = [o for o in options if not o.startswith("--at-once=")]
    programs = [made(seed + i, i) for i in range(total)]
    for i in range(0, total, step):
        part = [(text.replace(f"defn f{i + j} ", f"defn f{j} "), printed)
                for j, (text, printed) in enumerate(programs[i:i + step])]
        check(lispier, options, part)
    print(f"{total} programs agree")


main()
