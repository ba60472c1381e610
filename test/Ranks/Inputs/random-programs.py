"""random-programs [--programs N] [--first SEED] [--ranks 2,3] [--part I/N]: programs of random collectives and formulas, which
are the same on several ranks as on one, and which the compiler accepts where a model of the placements does.

The model is that of the rules in lib/Tensor/README.md, for tensors of 6 x 6: same, split along a dimension, or partial. Of
each file's programs those that the model accepts are run together, on one rank and on others; each that it refuses is
compiled by itself, and has to be an error. Prints how many there were.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

N, EACH = 6, 10
SPECS = ("ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ij,jk->ki")


class Refused(Exception):
    pass


def einsum(spec, a, b):
    operands, result = spec.split("->")
    letters = operands.split(",")
    if "partial" in (a, b) and (a == b or any(isinstance(p, int) for p in (a, b))):
        raise Refused
    if "partial" in (a, b):
        return "partial"
    loops = {l[p] for l, p in zip(letters, (a, b)) if isinstance(p, int)}
    if len(loops) > 1:
        raise Refused
    if not loops:
        return "same"
    loop = loops.pop()
    if any(loop in l and p == "same" for l, p in zip(letters, (a, b))):
        raise Refused
    return result.index(loop) if loop in result else "partial"


def tanh(a):
    if a == "partial":
        raise Refused
    return a


def add(a, b):
    if a != b:
        raise Refused
    return a


def multiply(a, b):
    if "partial" in (a, b):
        if {a, b} != {"partial", "same"}:
            raise Refused
        return "partial"
    return add(a, b)


def reduced(a):
    if a != "partial":
        raise Refused
    return "same"


def gathered(a, d):
    if a != d:
        raise Refused
    return "same"


def own(a, d):
    if a != "same":
        raise Refused
    return d


def scattered(a, d):
    if a != "partial":
        raise Refused
    return d


def program(seed):
    """Definitions in Lisp, and the model's verdict: nothing is drawn after the first refusal."""
    r = random.Random(seed)
    lines, places = [], []

    def define(text, place):
        lines.append(f"(def x{len(places)} {text})")
        places.append(place)

    for _ in range(r.randint(2, 4)):
        leaf = f"(normal f32 [{N} {N}] :seed {r.randint(1, 999)})"
        d = r.choice([None, None, 0, 1])
        define(leaf if d is None else f"(own-part {leaf} :over dp :axis {d})", "same" if d is None else d)
    keeps = r.random() < 0.6  # Most programs go on until they have some ops; a refused draw is tried again.
    wanted = r.randint(3, 8)
    while wanted:
        kind = r.choice(["einsum"] * 3 + ["tanh", "add", "multiply", "reduce", "reduce", "gather", "own", "scatter"])
        i, j, d = r.randrange(len(places)), r.randrange(len(places)), r.randint(0, 1)
        spec, a, b = r.choice(SPECS), places[i], places[j]
        text, place = {
            "einsum": (f'(* 0.4 (einsum "{spec}" x{i} x{j}))', lambda: einsum(spec, a, b)),
            "tanh": (f"(tanh x{i})", lambda: tanh(a)),
            "add": (f"(+ x{i} x{j})", lambda: add(a, b)),
            "multiply": (f"(* x{i} x{j})", lambda: multiply(a, b)),
            "reduce": (f"(all-reduce x{i} :over dp)", lambda: reduced(a)),
            "gather": (f"(all-gather x{i} :over dp :axis {d})", lambda: gathered(a, d)),
            "own": (f"(own-part x{i} :over dp :axis {d})", lambda: own(a, d)),
            "scatter": (f"(reduce-scatter x{i} :over dp :axis {d})", lambda: scattered(a, d)),
        }[kind]
        try:
            define(text, place())
        except Refused:
            if keeps:
                continue
            lines.append(f"(def x{len(places)} {text})")
            lines.append(f"(println x{len(places)})")
            return lines, False
        wanted -= 1
    last, place = len(places) - 1, places[-1]
    whole = (f"x{last}" if place == "same" else f"(all-reduce x{last} :over dp)" if place == "partial"
             else f"(all-gather x{last} :over dp :axis {place})")
    lines.append(f'(println "{seed} %.9g %.9g" (cast f64 (sum {whole})) (cast f64 (sum (* {whole} {whole}))))')
    return lines, True


def text_of(programs):
    functions = [f"(defn p{n} [] {' '.join(lines)})" for n, lines in enumerate(programs)]
    return "(defmesh [dp])\n" + "\n".join(functions) + "\n(defn main [] " + " ".join(f"(p{n})" for n in range(len(programs))) + ")\n"


def run(path, ranks):
    command = ["lispier", "run"] + ([f"--ranks={ranks}"] if ranks > 1 else []) + [path]
    variables = dict(os.environ, LISPIER_COMM="fake", LISPIER_THREADS="1", LISPIER_COMM_CHECK="1")
    return subprocess.run(command, capture_output=True, text=True, env=variables)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ranks", default="2,3")
    options = parser.parse_args()
    drawn = [(seed, *program(seed)) for seed in range(options.first, options.first + options.programs)]
    accepted = [(seed, lines) for seed, lines, fits in drawn if fits]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.lisp")
        for start in range(0, len(accepted), EACH):
            part = accepted[start:start + EACH]
            with open(path, "w") as f:
                f.write(text_of([lines for _, lines in part]))
            one = run(path, 1)
            if one.returncode:
                print(f"seeds {[seed for seed, _ in part]}: refused\n{one.stderr}")
                wrong += len(part)
                continue
            for ranks in map(int, options.ranks.split(",")):
                several = run(path, ranks)
                for a, b in zip(one.stdout.splitlines(), several.stdout.splitlines() + ["nothing"] * len(part)):
                    fits = a.split()[0] == b.split()[0] and all(
                        abs(float(x) - float(y)) <= 1e-5 * max(1, abs(float(x))) for x, y in zip(a.split()[1:], b.split()[1:]))
                    if not fits:
                        print(f"{ranks} ranks: {b}, one: {a}\n{several.stderr}")
                        wrong += 1
        refused = [(seed, lines) for seed, lines, fits in drawn if not fits]
        for seed, lines in refused:
            with open(path, "w") as f:
                f.write(text_of([lines]))
            done = subprocess.run(["lispier", "--emit=tensor", path, "-o", os.devnull], capture_output=True, text=True)
            if done.returncode == 0 or "over dp" not in done.stderr:
                print(f"seed {seed}: not refused: {' '.join(lines)}\n{done.stderr}")
                wrong += 1
    print(f"{len(accepted)} accepted, {len(refused)} refused, {wrong} wrong")
    sys.exit(wrong != 0)


main()
