"""check-tensors.py LISPIER COUNT SEED [--at-once=N] [--part=K/M] [OPTION ...]: random tensor programs against an interpreter.

Each program is a function of three tensors of any type, of which some sizes are known to the compiler and others not:
0, 1, primes and products. 25 are in one file (--at-once), which LISPIER runs once; of M parts of the programs one can be chosen (--part). The interpreter shares nothing with
the compiler; tensor_values.py says how far a result may be from it.
"""
import random, re, subprocess, sys, tempfile
from tensor_forms import FORMS
from tensor_values import INTEGERS, ROUNDING, NotTold, Tensor, choices, count, indices

KINDS = ["f32"] * 6 + ["f16", "bf16", "f64", "i8", "i32", "i32", "i1", "i16", "i64"]
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 5, 7, 8, 11, 13]


class Programs:
    """Programs of one seed; what forms choose among is in `pool`, a list of (name, tensor)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pool, self.helpers = [], {}

    def pick(self, items):
        return self.random.choice(list(items))

    def partner(self, wanted):
        """Another value of which `wanted` holds."""
        found = [(name, t) for name, t in self.pool if wanted(t)]
        if not found:
            raise NotTold
        return self.pick(found)

    def helper(self, text):
        """The name of a function with this text, in which {} stands for the name."""
        return self.helpers.setdefault(text, f"helper{len(self.helpers)}_{self.number}")

    def parameter(self, name, shape):
        """A parameter, its argument, and its value."""
        kind = self.pick(KINDS)
        # A size of 1 that broadcasts is one that the program's text knows.
        known = [n if n == 1 or self.random.random() < 0.5 else "_" for n in shape]
        text = f"(: {name} (tensor {' '.join(map(str, known))} {kind}))"
        sizes = " ".join(map(str, shape))
        steps = f"(reshape (iota i32 [{count(shape)}]) [{sizes}])"
        if kind == "i1":
            period = self.pick([2, 3, 5])
            numbers = [int(k % period == 1) for k in range(count(shape))]
            return text, f"(= (% {steps} {period}) 1)", Tensor(kind, shape, numbers)
        period = self.pick([7, 11, 13])
        numbers = [k % period - period // 2 for k in range(count(shape))]
        argument = f"(- (% {steps} {period}) {period // 2})"
        if kind in INTEGERS:
            return text, f"(cast {kind} {argument})", Tensor(kind, shape, numbers)
        scale = self.pick([0.25, -0.5])
        return text, f"(* {scale} (cast {kind} {argument}))", Tensor(kind, shape, [scale * k for k in numbers])

    def grow(self):
        """Text and value of a random form; raises NotTold if it does not apply."""
        name, x = self.pick(self.pool)
        text, value = self.pick(FORMS)(self, name, x)
        if count(value.shape) > 400 or value.rank > 5 or any(n > 30 for n in value.shape):
            raise NotTold
        return text, value

    def program(self, number):
        """Text of a function, its call, and what it gives: one or two tensors."""
        self.number, parameters, arguments, body = number, [], [], []
        sizes = [self.pick(SIZES) for _ in range(3)] + ([0] if self.random.random() < 0.1 else [])
        for name in "xyz":
            shape = tuple(self.pick(sizes) for _ in range(self.pick([1, 2, 2, 3, 3, 4])))
            if count(shape) > 400:
                shape = shape[:2]
            parameter, argument, value = self.parameter(name, shape)
            parameters.append(parameter)
            arguments.append(argument)
            self.pool.append((name, value))
        while len(body) < 7:
            try:
                text, value = self.grow()
            except NotTold:
                continue
            name = f"v{len(body)}"
            body.append(f"(def {name} {text})")
            self.pool.append((name, value))
        self.last = parameters, body, arguments
        results = self.pool[-2:] if self.random.random() < 0.5 else self.pool[-1:]
        names = " ".join(name for name, _ in results)
        text = "".join(helper.format(name) + "\n" for helper, name in self.helpers.items())
        text += f"(defn f{number} [{' '.join(parameters)}]\n  " + "\n  ".join(body)
        text += f"\n  [{names}])" if len(results) > 1 else f"\n  {names})"
        renamed = " ".join(f"r{i}" for i in range(len(results)))
        target = f"[{renamed}]" if len(results) > 1 else renamed
        call = f"(let [{target} (f{number} {' '.join(arguments)})] " + " ".join(
            f"(println r{i})" for i in range(len(results))) + ")"
        return text, call, [value for _, value in results]


def numbers_of(text):
    names = {"true": 1.0, "false": 0.0}
    return [names[n] if n in names else float(n) for n in re.findall(r"[-+.\w]+", text.replace("...", ""))]


def agrees(value, kind, printed):
    head, _, rest = printed.partition("]")
    sizes = tuple(int(n) for n in re.findall(r"\d+", head))
    found = numbers_of(rest)
    # println shows six digits, and of more than eight elements along a dimension the first and the last three.
    shown = [value.at(i) for i in indices(value.shape)
             if all(n <= 8 or k < 3 or k >= n - 3 for k, n in zip(i, value.shape))]
    if kind != value.kind or sizes != value.shape or len(found) != len(shown):
        return False
    return all(abs(a - b) <= value.error + 1e-5 * abs(b) if value.is_float else a == b for a, b in zip(found, shown))


def check(lispier, options, programs):
    source = "\n".join(p[0] for p in programs) + "\n(defn main []\n  " + "\n  ".join(p[1] for p in programs) + ")\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    if run.returncode:
        sys.exit(source + run.stderr)
    found = re.split(r"^(%s) (?=\[)" % "|".join([*ROUNDING, *INTEGERS]), run.stdout, flags=re.M)[1:]
    found = list(zip(found[::2], found[1::2]))
    expected = [(text, call, value) for text, call, values in programs for value in values]
    if len(found) != len(expected):
        sys.exit(source + run.stdout + f"{len(found)} results of {len(expected)}")
    for (text, call, value), (kind, printed) in zip(expected, found):
        if not agrees(value, kind, printed):
            sys.exit(f"{text}\n{call}\ngives {kind} {printed}instead of {value.kind} {value.shape} {value.data} "
                     f"up to {value.error}")


def main():
    lispier, total, seed, options, step, numbers = choices(sys.argv)
    programs = [Programs(seed + i).program(i) for i in numbers]
    for i in range(0, len(programs), step):
        check(lispier, options, programs[i:i + step])
    print(f"{len(programs)} of {total} programs agree")


if __name__ == "__main__":
    main()
