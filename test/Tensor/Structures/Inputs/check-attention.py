#!/usr/bin/env python3
"""check-attention.py LISPIER COUNT SEED [OPTION...]: random attention, alone and as ops that are kernels of their own.

Each program has an attention of random orders of dimensions, batches, heads that share keys, changes of the scores, types and
results. What it prints with the options is compared with what it prints with --fuse=false, where each op is a kernel; tokens
that see nothing count as 7. Prints the programs that differ, and how many agree."""
import math
import random
import re
import subprocess
import sys
import tempfile


def shuffled(r, letters):
    letters = list(letters)
    r.shuffle(letters)
    return "".join(letters)


def attention(r):
    """A program."""
    outer = r.choice(["", "h", "h", "bh", "bh", "bhr", "hr"])
    sizes = {"b": r.choice([1, 2]), "h": r.choice([1, 2, 3, 6]), "r": r.choice([2, 3]), "t": r.choice([1, 3, 9, 17, 70]),
             "s": r.choice([1, 5, 16, 33, 70]), "d": r.choice([4, 8, 40]), "n": r.choice([4, 8, 40, 72])}
    shared = "".join(each for each in outer if each != "r" and r.random() < 0.85)
    of_values = shared if r.random() < 0.8 else "".join(each for each in outer if each != "r" and r.random() < 0.85)
    inner = lambda letters, last: shuffled(r, letters) + last if r.random() < 0.85 else shuffled(r, letters + last)
    q, k, v, o = inner(outer + "t", "d"), inner(shared + "s", "d"), inner(of_values + "s", "n"), inner(outer + "t", "n")
    scores = shuffled(r, outer + "t") + "s" if r.random() < 0.8 else shuffled(r, outer + "ts")
    axis = scores.index("s")
    bf16 = r.random() < 0.3
    type = "bf16" if bf16 else "f32"
    static = r.random() < 0.4
    shape = lambda letters: " ".join(str(sizes[each]) if static else each for each in letters)
    own = lambda letters: "[" + " ".join(str(sizes[each]) if each in letters else "1" for each in scores) + "]"
    place = lambda letter: f"(iota i32 {own(letter)} :axis {scores.index(letter)})"
    parameters = [(name, letters, type) for name, letters in (("q", q), ("k", k), ("v", v))]
    s = f'(einsum "{q},{k}->{scores}" q k :out f32)'
    if r.random() < 0.2:
        s = f'(einsum "{q},{k}->{scores}" (* 0.5 q) k :out f32)'
    for change in r.sample(["scale", "cap", "bias", "slopes", "causal", "window", "padding", "low"], r.randint(0, 3)):
        if change == "scale":
            s = f"(* {r.choice(['0.3', '(rsqrt 8.0)'])} {s})"
        elif change == "cap":
            s = f"(* 3.0 (tanh (/ {s} 3.0)))"
        elif change == "bias":
            letters = "".join(each for each in scores if r.random() < 0.7)
            parameters.append(("bias", letters, "f32"))
            s = f"(+ {s} (reshape bias {own(letters)}))"
        elif change == "slopes":
            s = f"(+ {s} (* -0.1 (abs (cast f32 (- {place('s')} {place('t')})))))"
        elif change == "causal":
            s = f"(where (<= {place('s')} (+ {r.randint(0, 3)} {place('t')})) {s} -inf)"
        elif change == "window":
            s = f"(where (> {place('s')} (- {place('t')} {r.randint(1, 9)})) {s} -inf)"
        elif change == "padding":
            letters = "".join(each for each in scores if each in "bs")
            parameters.append(("real", letters, "f32"))
            s = f"(where (> (reshape real {own(letters)}) -0.5) {s} -inf)"
        else:
            s = f"(where (!= {place('s')} 1) {s} -1e30)"
    row = "(max s :axis %d :keep true)" % axis
    weights = r.choice([f"(softmax s :axis {axis})", f"(exp (log-softmax s :axis {axis}))", "(exp (- s l))",
                        f"(/ (exp (- s m)) (sum (exp (- s m)) :axis {axis} :keep true))"])
    with_sums = "l" in weights.replace("softmax", "").replace("log", "") or r.random() < 0.4
    if bf16 and r.random() < 0.5:
        weights = f"(cast bf16 {weights})"
    # Heads of keys and values that are copied for several heads of queries.
    count = r.choice([2, 3]) if "h" in shared and "h" in of_values and sizes["h"] == 6 else 1
    sizes["g"], copies = sizes["h"] // count, ""
    if count > 1 and r.random() < 0.6:
        for name, letters in (("k", k), ("v", v)):
            apart, both = letters.replace("h", "g1"), letters.replace("h", f"g{count}")
            size = lambda each: each if each.isdigit() else str(sizes[each])
            copied = [f"[{' '.join(map(size, each))}]" for each in (apart, both, letters)]
            copies += f"  (def {name} (reshape (broadcast (reshape {name} {copied[0]}) {copied[1]}) {copied[2]}))\n"
        parameters[1:3] = [(name, letters.replace("h", "g"), type) for name, letters in (("k", k), ("v", v))]
    result = f'(einsum "{scores},{v}->{o}" {weights} v :out f32)'
    if bf16 and r.random() < 0.5:
        result = f"(cast f32 (cast bf16 {result}))"
    signature = " ".join(f"(: {name} (tensor {shape(letters)} {each}))" for name, letters, each in parameters)
    values = f"[{result} l]" if with_sums and r.random() < 0.8 else f"[{result} {result}]"
    count = lambda letters: math.prod(sizes[each] for each in letters)
    arguments = []
    for i, (name, letters, each) in enumerate(parameters):
        flat = f"(sin (* {0.37 + 0.11 * i:.2f} (iota f32 [{count(letters)}])))"
        arguments.append(f"(cast {each} (reshape {flat} [{' '.join(str(sizes[x]) for x in letters)}]))")
    return f"""(defn attention [{signature}]
{copies}  (def s {s})
  (def m {row})
  (def l (+ m (log (sum (exp (- s m)) :axis {axis} :keep true))))
  {values})
(defn shown [x (: n index)]
  (def y (reshape (where (and (= x x) (> x -1e20)) x 7.0) [n]))
  (println (sum (* y (cos (iota f32 [n])))) :digits 6)
  (println (max (abs y)) :digits 6))
(defn main []
  (def [o l] (attention {' '.join(arguments)}))
  (shown o {count(o)})
  (shown l {count(scores.replace("s", "") if values.endswith(" l]") else o)}))
""", 3e-2 if bf16 else 2e-4


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    numbers = [float(each) for each in re.findall(r"\] (\S+)", done.stdout)]
    return numbers, done.stderr if done.returncode else ""


def main():
    lispier, count, seed, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    agree = 0
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        for i in range(count):
            program, tolerance = attention(random.Random(seed + i))
            file.seek(0), file.truncate(), file.write(program), file.flush()
            expected, error = run([lispier, "run", "--fuse=false", file.name])
            found, wrong = run([lispier, "run", *options, file.name])
            close = len(expected) == 4 and len(found) == 4 and all(
                abs(a - b) <= tolerance * (1 + max(abs(a), abs(expected[j | 1]))) for j, (a, b) in enumerate(zip(expected, found)))
            agree += close
            if not close:
                print(f"seed {seed + i}: {expected} and {found}\n{error}{wrong}{program}")
    print(f"{agree} of {count} attentions agree")


if __name__ == "__main__":
    main()
