"""check-tensors.py LISPIER COUNT SEED [--at-once=N] [--part=K/M] [OPTION ...]: tensor programs against an interpreter.

Each program is a function of tensors of any type, of which some sizes are known to the compiler and others not: 0, 1,
primes, products, some beyond a tile. 25 are in one file (--at-once), which LISPIER runs once; of M parts of the
programs one can be chosen (--part). The interpreter shares nothing with the compiler; tensor_values.py says how far a
result may be from it. `tools/dev/check-formulas` runs thousands of these programs for every target.
"""
import math, os, random, re, shutil, struct, subprocess, sys, tempfile
from all_forms import FORMS
from tensor_values import INTEGERS, ROUNDING, NotTold, Tensor, choices, count, need

KINDS = ["f32"] * 6 + ["f16", "bf16", "f64", "i8", "i32", "i32", "i1", "i16", "i64"]
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 5, 7, 8, 11, 13]
LARGE_SIZES = [1, 3, 8, 16, 17, 32, 33, 48, 64, 65, 130]
# Of NumPy's types, for struct.
CODES = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "f2": "e", "f4": "f", "f8": "d"}
NUMPY = {"i1": "b1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "index": "i8", "f16": "f2", "bf16": "f4",
         "f32": "f4", "f64": "f8"}


class Programs:
    """Programs of one seed; what forms choose among is in `pool`, a list of (name, tensor)."""
    forms = FORMS
    one = "one"  # A number that only the run knows.

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pool, self.helpers, self.parameters, self.arguments = [], {}, [], []
        self.on_any_number = True

    def pick(self, items):
        return self.random.choice(list(items))

    def partner(self, wanted):
        """Another value of which `wanted` holds."""
        found = [(name, t) for name, t in self.pool if (self.on_any_number or t.is_finite) and wanted(t)]
        if not found:
            raise NotTold
        return self.pick(found)

    def operand(self, wanted, kind, shape):
        """Another value of which `wanted` holds, or a new parameter."""
        try:
            need(self.random.random() < 0.5)
            return self.partner(wanted)
        except NotTold:
            need(len(self.parameters) < 8 and count(shape) <= 3000)
            return self.parameter(f"w{len(self.parameters)}", shape, kind)

    def helper(self, text):
        """The name of a function with this text, in which {} stands for the name."""
        return self.helpers.setdefault(text, f"helper{len(self.helpers)}_{self.number}")

    def parameter(self, name, shape, kind=None):
        """A parameter, its argument, and its value, in the lists of these."""
        is_planted = kind is None and self.random.random() < 0.15
        kind = kind or self.pick(KINDS)
        # A size of 1 that broadcasts is one that the program's text knows.
        known = [n if n == 1 or self.random.random() < 0.5 else "_" for n in shape]
        text = f"(: {name} (tensor {' '.join(map(str, known))} {kind}))"
        sizes = " ".join(str(n) if k == n or self.random.random() < 0.3 else f"(* {self.one} {n})" for k, n in zip(known, shape))
        steps = f"(reshape (iota i32 [(* {self.one} {count(shape)})]) [{sizes}])"
        if kind == "i1":
            period = self.pick([2, 3, 5])
            numbers = [int(k % period == 1) for k in range(count(shape))]
            argument = f"(= (% {steps} {period}) 1)"
        else:
            period = self.pick([7, 11, 13])
            numbers = [k % period - period // 2 for k in range(count(shape))]
            argument = f"(- (% {steps} {period}) {period // 2})"
            if kind in INTEGERS:
                argument = f"(cast {kind} {argument})"
            else:
                scale = self.pick([0.25, -0.5])
                numbers = [scale * k for k in numbers]
                argument = f"(* {scale} (cast {kind} {argument}))"
                if is_planted:
                    argument, numbers = self.planted(argument, numbers, steps)
        self.parameters.append(text)
        self.arguments.append(argument)
        self.pool.append((name, Tensor(kind, shape, numbers)))
        return self.pool[-1]

    def planted(self, argument, numbers, steps):
        """One or two numbers replaced by a NaN, an infinity or a zero of either sign."""
        for _ in range(self.pick([1, 2])):
            number = self.pick(["nan", "inf", "-inf", "-0.0", "0.0"])
            place = self.random.randrange(len(numbers) + 1)
            argument = f"(where (= {steps} {place}) {number} {argument})"
            numbers = [float(number) if i == place else v for i, v in enumerate(numbers)]
        return argument, numbers

    def grow(self):
        """Text and value of a random form; raises NotTold if it does not apply."""
        before = len(self.pool), len(self.parameters)
        # Long chains: one of the last values more often than another.
        name, x = self.pick(self.pool[-3:] if self.random.random() < 0.4 else self.pool)
        form = self.pick(self.forms)
        self.on_any_number = getattr(form, "on_any_number", False)
        try:
            need(self.on_any_number or x.is_finite)
            text, value = form(self, name, x)
            need(count(value.shape) <= self.most and value.rank <= 5 and all(n <= self.longest for n in value.shape))
        except NotTold:
            del self.pool[before[0]:], self.parameters[before[1]:], self.arguments[before[1]:]
            raise
        return text, value

    def grown(self, number):
        """Fills the lists with parameters, and definitions of `body`, in a program of this number."""
        self.number, self.body = number, []
        is_large = self.random.random() < 0.15
        self.most, self.longest = (3000, 200) if is_large else (400, 30)
        sizes = [self.pick(LARGE_SIZES if is_large else SIZES) for _ in range(3)] + ([0] if self.random.random() < 0.1 else [])
        for name in "xyz":
            shape = tuple(self.pick(sizes) for _ in range(self.pick([1, 2, 2, 3, 3, 4])))
            while count(shape) > self.most:
                shape = shape[:-1]
            self.parameter(name, shape)
        while len(self.body) < (5 if is_large else 7):
            try:
                text, value = self.grow()
            except NotTold:
                continue
            name = f"v{len(self.body)}"
            self.body.append((name, text))
            self.pool.append((name, value))

    def program(self, number):
        """The program of this number: text of a function, its call, and what it gives: all values that no other needs."""
        self.grown(number)
        used = {word for _, text in self.body for word in re.findall(r"\w+", text)}
        return Program(self, [name for name, _ in self.body if name not in used])


class Program:
    def __init__(self, made, results):
        self.number, self.results = made.number, results
        values = dict(made.pool)
        self.values = [values[r] for r in results]
        helpers = "".join(helper.format(name) + "\n" for helper, name in made.helpers.items())
        needed = set(results)
        for name, text in reversed(made.body):  # Without what these results do not need.
            if name in needed:
                needed |= set(re.findall(r"\w+", text))
        body = "".join(f"  (def {name} {text})\n" for name, text in made.body if name in needed)
        self.text = f"{helpers}(defn p{self.number} [{' '.join(made.parameters)}]\n{body}  {self.listed(results)})"
        bound = self.listed([f"r{i}" for i in range(len(results))])
        self.call = (f"(defn run{self.number} [(: one index)]\n"
                     f"  (let [{bound} (p{self.number} {' '.join(made.arguments)})] "
                     + " ".join(self.saved(f"r{i}", v, i) for i, v in enumerate(self.values)) + "))")
        self.made = made

    def listed(self, items):
        return f"[{' '.join(items)}]" if len(items) > 1 else items[0]

    def saved(self, name, value, i):
        return f'(save-npy {f"(cast i64 {name})" if value.kind == "index" else name} "{self.file(i)}")'

    def file(self, i):
        return f"f{self.number}_{i}.npy"

    def of_one(self, i):
        """The program with this result alone."""
        return Program(self.made, [self.results[i]])

    def difference(self, folder):
        """The first result that is not what the interpreter says, with a text of both; None if there is none."""
        for i, value in enumerate(self.values):
            try:
                kind, shape, found = numbers_of(os.path.join(folder, self.file(i)))
            except (OSError, ValueError) as error:
                return i, str(error)
            if (kind, shape) != (NUMPY[value.kind], value.shape):
                return i, f"gives {kind} {shape} instead of {value.kind} {value.shape}"
            wrong = [k for k, (a, b) in enumerate(zip(found, value.data, strict=True)) if not agrees(a, b, value)]
            if wrong:
                shown = ", ".join(f"{found[k]} instead of {value.data[k]} at {k}" for k in wrong[:4])
                return i, f"{self.results[i]}, {value.kind} {value.shape}: {len(wrong)} wrong, {shown}, up to {value.error:.3g}"
        return None


def numbers_of(path):
    """NumPy's name of the type, the shape and the numbers of a file of NumPy."""
    data = open(path, "rb").read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    header = data[10:start].decode()
    kind = re.search(r"'descr': '[<|](\w+)'", header).group(1)
    shape = tuple(int(n) for n in re.findall(r"\d+", header.split("'shape':")[1]))
    if len(data) - start != math.prod(shape) * struct.calcsize(CODES[kind]):
        raise ValueError(f"{path} has {len(data)} bytes")
    return kind, shape, struct.unpack_from(f"<{math.prod(shape)}{CODES[kind]}", data, start)


def agrees(found, wanted, value):
    if not value.is_float or not math.isfinite(wanted):
        return found == wanted or (found != found and wanted != wanted)
    return abs(found - wanted) <= value.error + ROUNDING[value.kind] * abs(wanted)


def source(programs):
    """A file of these programs. Its main has one argument, whose number is the `one` that no compiler knows."""
    texts = "\n".join(f"{p.text}\n{p.call}" for p in programs)
    calls = "\n  ".join(f"(run{p.number} (cast index count))" for p in programs)
    return f"{texts}\n(defn main [(: count i64) (: paths !llvm.ptr)]\n  {calls})\n"


def run(lispier, options, programs, folder):
    """What LISPIER says of these programs, which it runs in the folder."""
    path = os.path.join(folder, "programs.lisp")
    with open(path, "w") as file:
        file.write(source(programs))
    return subprocess.run([lispier, "run", "--cache=false", "--effort=quick", *options, path, "--", "one"],
                          capture_output=True, text=True, cwd=folder)


def check(lispier, options, programs):
    with tempfile.TemporaryDirectory() as folder:
        done = run(lispier, options, programs, folder)
        if done.returncode:
            sys.exit(source(programs) + done.stderr)
        for program in programs:
            if wrong := program.difference(folder):
                sys.exit(f"{program.text}\n{program.call}\n{wrong[1]}")


def main():
    lispier, total, seed, options, step, numbers = choices(sys.argv)
    lispier = os.path.abspath(shutil.which(lispier))
    programs = [Programs(seed + i).program(i) for i in numbers]
    for i in range(0, len(programs), step):
        check(lispier, options, programs[i:i + step])
    print(f"{len(programs)} of {total} programs agree")


if __name__ == "__main__":
    main()
