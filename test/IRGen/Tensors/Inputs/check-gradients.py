"""check-gradients.py LISPIER COUNT SEED [--at-once=N] [--part=K/M] [OPTION ...]: gradients of random tensor programs against differences.

The programs of check-tensors.py, of F64 in place of other floats, with a loss over all values that they make. The derivative
along a direction in which every element of every float argument differs is compared with the difference of two losses. A
program whose differences of two steps are not the same to six digits, as near a step of `floor`, is left out.
"""
import importlib, math, re, subprocess, sys, tempfile
from all_forms import DIFFERENTIABLE
from tensor_values import NotTold, Tensor, choices, count

tensors = importlib.import_module("check-tensors")
STEPS = [2e-6, 1e-6]


class Programs(tensors.Programs):
    forms, one = DIFFERENTIABLE, "1"

    def operand(self, wanted, kind, shape):
        return self.partner(wanted)

    def parameter(self, name, shape, kind=None):
        """As there, with float elements that no comparison finds equal."""
        kind = self.pick(["f64", "f64", "f64", "f64", "i32", "i64", "i1"])
        if kind != "f64":
            return super().parameter(name, shape, kind)
        known = [n if n == 1 or self.random.random() < 0.5 else "_" for n in shape]
        sizes = " ".join(map(str, shape))
        phase = self.random.randint(1, 99)
        text = f"(reshape (* 1.5 (sin (+ {phase}.0 (* 2.3 (iota f64 [{count(shape)}]))))) [{sizes}])"
        numbers = [1.5 * math.sin(phase + 2.3 * k) for k in range(count(shape))]
        self.parameters.append(f"(: {name} (tensor {' '.join(map(str, known))} f64))")
        self.arguments.append(text)
        self.pool.append((name, Tensor("f64", shape, numbers)))

    def grow(self):
        text, value = super().grow()
        # No gradient, or no difference that tells.
        if re.search(r":while|cast (f32|f16|bf16)|argmax", text) or value.kind in ("f32", "f16", "bf16"):
            raise NotTold
        return text, value

    def program(self, number):
        """Text of a function and of one that prints the derivative and two differences; nothing if no argument is a float."""
        self.grown(number)
        floats = [i for i, (_, t) in enumerate(self.pool[:3]) if t.kind == "f64"]
        values = [name for name, t in self.pool[3:] if t.kind == "f64"]
        if not floats or not values:
            return None
        parameters, arguments = self.parameters, self.arguments
        body = [f"(def {name} {text})" for name, text in self.body]
        terms = " ".join(f"(sum (/ {v} (+ 1.0 (* {v} {v}))))" for v in values)
        text = "".join(helper.format(name) + "\n" for helper, name in self.helpers.items())
        text += f"(defn f{number} [{' '.join(parameters)}]\n  " + "\n  ".join(body) + f"\n  (+ 0.0 {terms}))\n"
        names = "xyz"
        shapes = {i: self.pool[i][1].shape for i in floats}
        directions = " ".join(f"(def d{names[i]} (reshape (cos (+ {i}.5 (* 1.9 (iota f64 [{count(s)}])))) "
                              f"[{' '.join(map(str, s))}]))" for i, s in shapes.items())
        text += f"(defn c{number} []\n  " + "\n  ".join(f"(def {n} {a})" for n, a in zip(names, arguments))
        text += f"\n  {directions}\n  (def [_ {' '.join('g' + names[i] for i in floats)}] (value-and-grad f{number} x y z :wrt [{' '.join(map(str, floats))}]))\n"
        text += f"  (println (+ 0.0 {' '.join(f'(sum (* d{names[i]} g{names[i]}))' for i in floats)}) :digits full)\n"
        for h in STEPS:
            moved = lambda sign: " ".join(f"({sign} {n} (* {h} d{n}))" if i in floats else n for i, n in enumerate(names))
            text += f"  (println (/ (- (f{number} {moved('+')}) (f{number} {moved('-')})) {2 * h}) :digits full)\n"
        return text + ")\n"


def check(lispier, options, programs, numbers):
    source = "".join(programs) + f"(defn main [] {' '.join(f'(c{n})' for n in numbers)})\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    if run.returncode:
        sys.exit((source if len(programs) == 1 else "") + run.stderr)
    found = [float(n) for n in re.findall(r"f64 \[\] (\S+)", run.stdout)]
    if len(found) != 3 * len(programs):
        sys.exit(source + run.stdout + f"{len(found)} numbers of {3 * len(programs)}")
    told = 0
    for program, exact, far, near in zip(programs, found[::3], found[1::3], found[2::3]):
        if not abs(far - near) <= 1e-6 * max(1.0, abs(near)):
            continue
        told += 1
        if not abs(exact - near) <= 1e-5 * max(1.0, abs(near)):
            sys.exit(f"{program}gives {exact} instead of {near}")
    return told


def main():
    lispier, total, seed, options, step, numbers = choices(sys.argv)
    programs = [(i, Programs(seed + i).program(i)) for i in numbers]
    programs = [(i, text) for i, text in programs if text]
    told = 0
    for i in range(0, len(programs), step):
        some = programs[i:i + step]
        told += check(lispier, options, [text for _, text in some], [number for number, _ in some])
    print(f"{told} of {total} programs agree")


if __name__ == "__main__":
    main()
