"""check-chains.py LISPIER COUNT SEED [TARGET ...]: random products of what other products make, on each target beside
the CPU's, which computes op by op. Prints the seeds of the programs that differ, and their number."""
import random
import re
import subprocess
import sys
import tempfile

TYPES = ["bf16", "bf16", "f16"]


def tensor(rng, dims, sizes, salt, element):
    dims = list(dims)
    rng.shuffle(dims)
    shape = " ".join(str(sizes[d]) for d in dims)
    return "".join(dims), f"(cast {element} (noise {salt} {shape}))"


def scores(rng, sizes, salt, element, batch, shared, lines):
    """A product with the dimensions m and n, in random order of dimensions of its factors; all results are bmn. Those of
    `shared` are among the batch dimensions of the first factor only."""
    a, x = tensor(rng, batch + "mk", sizes, salt, element)
    c, y = tensor(rng, "".join(d for d in batch if d not in shared) + "nk", sizes, salt + 1, element)
    lines.append(f'(def s{salt} (einsum "{a},{c}->{batch}mn" {x} {y} :out f32))')
    return f"s{salt}"


def changed(rng, value, sizes, batch):
    """What is computed with each score."""
    for _ in range(rng.randint(1, 3)):
        value = rng.choice([
            f"(max 0.1 {value})", f"(tanh {value})", f"(* 0.3 {value})", f"(/ {value} 4.0)", f"(exp (* 0.5 {value}))",
            f"(* {value} {value})", f"(+ {value} (noise 90 {sizes['n']}))",
            f"(* {value} (reshape (noise 91 {sizes['m']}) [{sizes['m']} 1]))"])
    rows, columns = f"(iota i32 [{sizes['m']} 1] :axis 0)", f"(iota i32 [{sizes['n']}])"
    seen = rng.choice([None, None, f"(<= {columns} {rows})", f"(< {rows} (+ {columns} 40))", f"(> {columns} {rows})",
                       f"(and (<= {columns} {rows}) (> {columns} (- {rows} 30)))"])
    if seen:
        value = rng.choice([f"(where {seen} {value} 0.0)", f"(exp (- (where {seen} (tanh {value}) -inf) 0.5))"])
    return value


def program(seed):
    rng = random.Random(seed)
    element, shared = rng.choice(TYPES), rng.choice(["", "", "r", "r", "rq"])
    batch = rng.choice(["", "b", "b", "bh"]) + shared
    sizes = {"m": rng.choice([17, 64, 100, 130]), "n": rng.choice([20, 64, 90, 150]), "k": rng.choice([4, 8, 16, 40]),
             "d": rng.choice([3, 16, 24, 72]), "b": rng.randint(1, 2), "h": rng.randint(1, 3),
             "r": rng.randint(1, 3), "q": 2}
    lines = []
    x = changed(rng, scores(rng, sizes, 10, element, batch, shared, lines), sizes, batch)
    if rng.random() < 0.5:
        x = f"(* {x} {scores(rng, sizes, 20, element, batch, shared, lines)})"
    lines.append(f"(def p {x})")
    lines.append(f"(def w (cast {element} p))")
    if rng.random() < 0.3:
        lines.append(f"(def w2 (cast {element} (* p (noise 92 {sizes['n']}))))")
    for i in range(rng.randint(1, 3)):
        kept, summed = rng.choice(["mn", "nm"])
        # With the rows, what they alone have is summed or kept.
        also = "".join(d for d in shared if rng.random() < 0.7) if summed == "m" else ""
        factor = "".join(d for d in batch if d not in shared or summed == "m")
        c, y = tensor(rng, factor + summed + "d", sizes, 30 + 2 * i, element)
        out = list("".join(d for d in batch if d not in also) + kept + "d")
        rng.shuffle(out)
        made = "w2" if any(line.startswith("(def w2") for line in lines) and rng.random() < 0.5 else "w"
        formula = [f"{batch}mn,{c}", f"{made} {y}"]
        if rng.random() < 0.5:
            formula = [f"{c},{batch}mn", f"{y} {made}"]
        shape = " ".join(str(sizes[d]) for d in out)
        lines.append(f'(def r{i} (einsum "{formula[0]}->{"".join(out)}" {formula[1]} :out f32))')
        lines.append(f'(println "%.7g %.7g" (sum (abs r{i})) (sum (* r{i} (noise 93 {shape}))))')
    body = "\n  ".join(lines)
    return ("(defmacro noise [salt & sizes]\n  `(reshape (- (/ (cast f32 (% (+ ~salt (* 7919 (iota i64 [(* ~@sizes)]))) 10007))"
            f" 10007.0) 0.5) [~@sizes]))\n(defn main []\n  {body})\n")


def output(lispier, options, path):
    done = subprocess.run([lispier, "run", "--cache=false", *options, path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{path} {options}: {done.stderr}")
    return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]


def differ(expected, actual):
    # A product of 16 bits rounds to the next number where another order of sums does not: 2^-8 of few elements.
    return any(abs(e - a) > 1e-3 * (abs(line[0]) + 1) for line, other in zip(expected, actual)
               for e, a in zip(line, other)) or len(expected) != len(actual)


def main(lispier, count, seed, *targets):
    bad = chains = 0
    for number in range(int(seed), int(seed) + int(count)):
        with tempfile.NamedTemporaryFile("w", suffix=".lisp", delete=False) as f:
            f.write(program(number))
        expected = output(lispier, ["--fuse=false"], f.name)
        explained = subprocess.run([lispier, "--emit=tensor", "--target=cuda:sm_90a", f.name, "-o", "-"], check=True,
                                   capture_output=True, text=True).stdout
        kernels = re.findall(r"group\.kernel.*?group\.yield", explained, re.S)
        chains += any(kernel.count("linalg.contract") > 1 for kernel in kernels)
        for target in targets:
            if differ(expected, output(lispier, [f"--target={target}"], f.name)):
                bad += 1
                print(f"seed {number} differs on {target}")
    print(f"{count} programs, {chains} with chains, {bad} differ")


main(*sys.argv[1:])
