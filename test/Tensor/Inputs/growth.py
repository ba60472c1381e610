"""growth.py FOLDER: how the work of passes grows with programs, by what they count, for programs of two sizes.

Prints for each kind of program the counts, and whether twice the size is at most 2.5 times the work.
"""
import re
import subprocess
import sys

PIPELINE = ("builtin.module(lispier-inline-tensor-calls,func.func(canonicalize,cse,convert-elementwise-to-linalg,"
            "lispier-simplify-shapes,lispier-fuse-elementwise{count-work},canonicalize,cse,lispier-form-groups{count-work}),"
            "lispier-bufferize-tensors{count-work})")


def chain(n):
    steps = "".join(f"  (def x{i + 1} (- x{i} (mean x{i})))\n" for i in range(n))
    return f"(defn f [(: x0 (tensor n f32))]\n{steps}  x{n})\n"


def operands(n):
    return (f"(defn f [{' '.join(f'(: p{i} (tensor n f32))' for i in range(n))}]\n"
            + "".join(f"  (def s{i} (* s{i - 1} p{i}))\n" if i > 1 else "  (def s1 (* p0 p1))\n" for i in range(1, n))
            + f"  s{n - 1})\n")


def joined(form, n):
    return f"(defn f [(: x (tensor n 4 f32))]\n  ({form} {' '.join(f'(softmax (* {i}.5 x))' for i in range(n))} :axis 0))\n"


def records(n):
    items = " ".join(f"(Linear (* {i}.5 w) (* {i}.5 b))" for i in range(n))
    return ("(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])\n"
            "(defrecord Model [layers (list Linear)])\n"
            f"(defn f [(: w (tensor n k f32)) (: b (tensor n f32))]\n  (:weight (:layers (Model {{:layers [{items}]}}))))\n")


CASES = [("chain", chain, 100, "ops compared"), ("operands", operands, 100, "operands read"),
         ("concat", lambda n: joined("concat", n), 40, "insertions before"),
         ("stack", lambda n: joined("stack", n), 40, "insertions before"),
         ("records", records, 40, "insertions before")]

for name, program, size, counted in CASES:
    counts = []
    for n in (size, 2 * size):
        path = f"{sys.argv[1]}/{name}-{n}.lisp"
        with open(path, "w") as file:
            file.write(program(n))
        module = subprocess.run(["lispier", "--emit=module", path], capture_output=True, check=True).stdout
        run = subprocess.run(["lispier-opt", "--pass-pipeline=" + PIPELINE, "-o", "/dev/null"],
                             input=module, capture_output=True, check=True)
        counts.append(int(re.search(rf"(\d+) {counted}", run.stderr.decode()).group(1)))
    grows = "in proportion" if counts[1] <= 2.5 * counts[0] else "faster"
    print(f"{name}: {counts[0]} {counted} for {size}, {counts[1]} for {2 * size}: {grows}")
