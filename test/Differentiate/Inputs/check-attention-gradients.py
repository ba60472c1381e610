"""check-attention-gradients.py LISPIER COUNT SEED [OPTION ...]: gradients of random attention against central differences, in f64.

The attention is that of test/Tensor/Structures/Inputs/check-attention.py: any order of dimensions, batches, shared heads, and
changes of the scores, such as biases, windows and caps. Its result and, where the program has it, the log-sum-exp are in the
loss; rows that see nothing are left out of it, and have gradients of 0.
"""
import importlib, os, random, re, subprocess, sys, tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Tensor", "Structures", "Inputs"))
attentions = importlib.import_module("check-attention")
STEP = 1e-6


def program(number, rng):
    """Text of a random attention, and of a function that prints its derivative along a direction and a difference."""
    text = re.sub(r"\bb?f(16|32)\b", "f64", attentions.attention(rng)[0])
    if re.search(r"\(> \(iota i32 \[[1 ]*\]", text):  # A window of one position is no attention: rows that see nothing have NaNs.
        return program(number, rng)
    definition, rest = text.split("(defn shown")
    signature = re.match(r"\(defn attention \[(.*)\]\n", definition).group(1)
    names = re.findall(r"\(: (\w+) ", signature)
    values = re.findall(r"\(cast f64 (\(reshape .*?\)\)\) \[[\d ]*\]\))\)", rest)
    moving = [i for i, name in enumerate(names) if name != "real"]
    text = definition.replace("defn attention", f"defn attention{number}")
    text += (f"(defn loss{number} [{signature}]\n  (def [o l] (attention{number} {' '.join(names)}))\n"
             "  (+ (sum (sin (* 3.0 (where (= o o) o 0.0)))) (sum (cos (where (> l -1e20) l 0.0)))))\n")
    call = " ".join(f"{n} {v}" for n, v in zip(names, values))
    call += "".join(f" v{names[i]} (cos (+ {i}.5 (* 7.3 {values[i]})))" for i in moving)
    moved = lambda sign: " ".join(f"({sign} {n} (* {STEP} v{n}))" if i in moving else n for i, n in enumerate(names))
    text += (f"(defn c{number} [] (let [{call}]\n"
             f"  (def [_ {' '.join('d' + names[i] for i in moving)}] (value-and-grad loss{number} {' '.join(names)} "
             f":wrt [{' '.join(map(str, moving))}]))\n"
             f"  (println (+ 0.0 {' '.join(f'(sum (* v{names[i]} d{names[i]}))' for i in moving)}) :digits full)\n"
             f"  (println (/ (- (loss{number} {moved('+')}) (loss{number} {moved('-')})) {2 * STEP}) :digits full)))\n")
    return text


def main():
    lispier, count, seed, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    programs = [program(i, random.Random(seed + i)) for i in range(count)]
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write("".join(programs) + f"(defn main [] {' '.join(f'(c{i})' for i in range(count))})\n")
        file.flush()
        run = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    found = [float(number) for number in re.findall(r"f64 \[\] (\S+)", run.stdout)]
    if run.returncode or len(found) != 2 * count:
        sys.exit(("".join(programs) if count == 1 else "") + run.stderr + f"{len(found)} numbers of {2 * count} programs")
    agree = 0
    for i, (exact, numeric) in enumerate(zip(found[::2], found[1::2])):
        close = abs(exact - numeric) <= 1e-6 * max(1.0, abs(numeric))
        agree += close
        if not close:
            print(f"seed {seed + i}: {exact} instead of {numeric}\n{programs[i]}")
    print(f"{agree} of {count} gradients agree")


main()
