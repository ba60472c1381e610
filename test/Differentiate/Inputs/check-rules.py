"""check-rules.py LISPIER [--shapes=N] [--only=NAME] [OPTION ...]: each rule of a gradient against central differences.

A case is a formula of tensors x, y, z; its loss is a sum of sines, so that each element has a cotangent of its own. The
derivative along a direction, in which every element of every argument differs, is compared with the difference of two
losses, in f64. Cases whose sizes are letters are run with N sets of sizes, the second all 0 and the third all 1, known to the
compiler or not in turns. All are one program, which
LISPIER runs once, with a function for each.
"""
import random, re, subprocess, sys, tempfile

LOSS = "(sum (sin (+ r (* 0.3 r r))))"
# name: (formula, arguments' shapes)
CASES = {
    "add": ("(+ x y)", ["a b", "a b"]), "add-rows": ("(+ x y)", ["a b", "b"]), "add-number": ("(+ x 2.0)", ["a b"]),
    "sub": ("(- x y)", ["a b", "b"]), "neg": ("(- x)", ["a"]), "mul": ("(* x y)", ["a b", "a b"]),
    "mul-self": ("(* x x x)", ["a b"]), "mul-rows": ("(* x (reshape y [_ 1]))", ["a b", "a"]),
    "div": ("(/ x (+ 3.0 y))", ["a b", "b"]), "div-number": ("(/ x 3.0)", ["a b"]), "rem": ("(% (* 5.0 x) (+ 1.2 (* 0.1 y)))", ["a", "a"]),
    "max": ("(max x y)", ["a b", "b"]), "min": ("(min x y)", ["a b", "a b"]), "relu": ("(relu x)", ["a b"]),
    "where": ("(where (> x 0.1) (* x x) y)", ["a b", "a b"]), "abs": ("(abs x)", ["a b"]),
    "exp": ("(exp x)", ["a b"]), "log": ("(log (+ 2.0 x))", ["a b"]), "sqrt": ("(sqrt (+ 2.0 x))", ["a b"]),
    "rsqrt": ("(rsqrt (+ 2.0 x))", ["a b"]), "sin": ("(sin x)", ["a b"]), "cos": ("(cos x)", ["a b"]),
    "tanh": ("(tanh x)", ["a b"]), "erf": ("(erf x)", ["a b"]), "sigmoid": ("(sigmoid x)", ["a b"]),
    "pow": ("(pow (+ 2.0 x) y)", ["a b", "a b"]), "floor": ("(+ x (floor (* 3.0 x)))", ["a"]),
    "ceil": ("(* x (ceil (* 3.0 x)))", ["a"]),
    "gelu": ("(gelu x)", ["a b"]), "gelu-erf": ("(gelu-erf x)", ["a b"]), "silu": ("(silu x)", ["a b"]),
    "atan": ("(math.atan x)", ["a b"]), "exp2": ("(math.exp2 x)", ["a b"]), "expm1": ("(math.expm1 x)", ["a b"]),
    "log2": ("(math.log2 (+ 2.0 x))", ["a b"]), "log10": ("(math.log10 (+ 2.0 x))", ["a b"]),
    "log1p": ("(math.log1p (* 0.5 x))", ["a b"]), "cbrt": ("(math.cbrt (+ 2.0 x))", ["a b"]), "tan": ("(math.tan x)", ["a b"]),
    "sinh": ("(math.sinh x)", ["a b"]), "cosh": ("(math.cosh x)", ["a b"]), "asin": ("(math.asin (* 0.5 x))", ["a b"]),
    "acos": ("(math.acos (* 0.5 x))", ["a b"]), "asinh": ("(math.asinh x)", ["a b"]),
    "acosh": ("(math.acosh (+ 2.5 x))", ["a b"]), "atanh": ("(math.atanh (* 0.5 x))", ["a b"]), "erfc": ("(math.erfc x)", ["a b"]),
    "atan2": ("(math.atan2 x (+ 2.0 y))", ["a b", "a b"]), "copysign": ("(math.copysign x y)", ["a b", "a b"]),
    "fma": ("(math.fma x y z)", ["a b", "a b", "a b"]), "powi": ("(math.fpowi x (+ 1 (% (iota i32 [5]) 3)))", ["5"]),
    "sum": ("(sum (* x x))", ["a b"]), "sum-0": ("(sum (* x y) :axis 0)", ["a b", "a b"]),
    "sum-1": ("(sum x :axis 1 :keep true)", ["a b"]), "sum-axes": ("(sum x :axes [0 2])", ["a b c"]),
    "mean": ("(mean (* x x) :axis -1)", ["p q"]), "max-1": ("(max (* x x) :axis 1)", ["p q"]),
    "min-0": ("(min x :axis 0 :keep true)", ["p q"]), "max-all": ("(max x)", ["p q"]),
    "transpose": ("(transpose x [2 0 1])", ["a b c"]), "transposed-sum": ("(sum (* (transpose x) y) :axis 0)", ["a b", "b a"]),
    "broadcast": ("(broadcast x [3 (dim x 0) (dim x 1)])", ["a b"]), "reshape": ("(reshape x [_])", ["a b"]),
    "expand": ("(* y (reshape x [4 3]))", ["12", "4 3"]), "units": ("(+ (stack x :axis -1) y)", ["a", "a b"]),
    "matmul": ("(matmul x y)", ["a b", "b c"]), "einsum": ('(einsum "ab,cb->ca" x y)', ["a b", "c b"]),
    "einsum-batch": ('(einsum "hab,hbc->hac" x y)', ["a b c", "a c b"]), "outer": ('(einsum "a,b->ab" x y)', ["a", "b"]),
    "dot": ('(einsum "a,a->" x y)', ["a", "a"]), "matvec": ('(einsum "ab,b->a" x y)', ["a b", "b"]),
    "diagonal": ('(einsum "ii->i" x)', ["a a"]), "trace": ('(einsum "ii->" x)', ["a a"]),
    "einsum-three": ('(einsum "ab,bc,cd->ad" x y z)', ["a b", "b c", "c a"]),
    "einsum-lost": ('(einsum "ab,bc->a" x y)', ["a b", "b c"]), "einsum-square": ('(einsum "ab,cb->ac" x x)', ["a b"]),
    "slice": ("(slice x :axis 1 :from 1)", ["a q"]), "slice-both": ("(slice x [0 1] [1 2])", ["p 4"]),
    "split": ("(let [[u v w] (split x 3 :axis 1)] (+ (* u v) (* w w)))", ["a 6"]),
    "split-run": ("(let [[u v] (split x 2 :axis 0)] (* u v))", ["4 a"]),
    "overlap": ("(+ (slice x :axis 0 :to 3) (slice x :axis 0 :from 1))", ["4 a"]),
    "slice-and-all": ("(+ x (slice x :axis 0 :to 1))", ["1 a"]),
    "concat": ("(concat x y x :axis 1)", ["a b", "a c"]), "stack": ("(stack x y :axis 1)", ["a b", "a b"]),
    "pad": ("(pad x [[1 2] [0 1]] 0.5)", ["a b"]), "update": ("(update x (* y y) [1 0])", ["4 3", "2 3"]),
    "at": ("(* (at x 1) (at x 0))", ["p 3"]), "element": ("(* x (at x 0 1))", ["p q"]),
    "gather": ("(gather x (reshape (% (iota i32 [12]) 2) [3 4]))", ["p b"]),
    "gather-1": ("(gather x (% (iota i32 [5]) 2) :axis 1)", ["a q"]),
    "gather-batch": ("(gather x (% (iota i32 [(dim x 0)]) 2) :axis -1 :batch -1)", ["a q"]),
    "gather-square": ("(* (gather x (% (iota i32 [3]) 2)) (gather x (iota i32 [3])))", ["3 a"]),
    "gather-one": ("(gather x (reshape (iota i32 [1]) []) :axis 1)", ["a q"]),
    "gather-numbers": ("(gather x (reshape (% (iota i32 [6]) 2) [2 3]))", ["p"]),
    "gather-middle": ("(gather x (% (iota i64 [5]) 2) :axis 1)", ["a q b"]),
    "gather-rows": ("(gather x (reshape (% (iota i32 [(* 3 (dim x 0))]) 2) [(dim x 0) 3]) :axis 1 :batch 1)", ["a q b"]),
    "add-at": ("(add-at x (% (iota i32 [(dim y 0)]) 2) (* y y))", ["p b", "c b"]),
    "add-at-rows": ("(add-at x (reshape (% (iota i64 [6]) 2) [2 3]) y)", ["p", "2 3"]),
    "set-at": ("(add-at x (% (iota i32 [(dim y 0)]) 2) (* y y) :with set)", ["p b", "c b"]),
    "max-at": ("(add-at x (% (* 3 (iota i32 [(dim y 0)])) 2) (* y y) :with max)", ["p b", "c b"]),
    "min-at": ("(* x (add-at x (reshape (% (iota i64 [6]) 2) [2 3]) y :with min))", ["p", "2 3"]),
    "segments": ("(* y (segment-max x (% (iota i32 [(dim x 0)]) 2) 2))", ["p b", "2 b"]),
    "number": ("(* x (at y 1))", ["a b", "p"]), "full": ("(+ x (full f64 [(dim x 0)] (at y 0)))", ["a", "p"]),
    "softmax": ("(softmax x)", ["p q"]), "log-softmax": ("(log-softmax x :axis 0)", ["p q"]),
    "layer-norm": ("(layer-norm x y z)", ["p q", "q", "q"]), "rms-norm": ("(rms-norm x y)", ["p q", "q"]),
    "linear": ("(linear x y z)", ["a b", "c b", "c"]), "embedding": ("(embedding x (% (iota i32 [7]) 2))", ["p c"]),
    "rope": ("(rope x 2.0)", ["a p 4"]), "stop": ("(* x (+ 1.0 (* 0.0 (stop-gradient x))))", ["a"]),
    "attention": ("(attention x y z)", ["2 p 3", "2 p 3", "2 p 3"]),
    "attention-all": ("(attention x y z :causal false)", ["2 3 p", "2 3 p", "2 3 q"]),
    "swiglu": ('(einsum "th,hc->tc" (* 0.1 (silu (einsum "tc,hc->th" x y)) (einsum "tc,hc->th" x z)) y)',
               ["p q", "3 q", "3 q"]),
    "attention-groups": ('(einsum "grts,gsd->tgrd" (softmax (einsum "tgrd,gsd->grts" (reshape x [_ 2 2 3]) y)) z)',
                         ["p 12", "2 q 3", "2 q 3"]),
    "attention-repeated": ("(attention x (reshape (transpose (broadcast y [2 2 4 3]) [1 0 2 3]) [4 4 3]) "
                           "(reshape (transpose (broadcast z [2 2 4 3]) [1 0 2 3]) [4 4 3]))", ["4 4 3", "2 4 3", "2 4 3"]),
    "cross-entropy": ("(* 2.0 (cross-entropy x (% (iota i32 [(dim x 0)]) 2)))", ["p q"]),
    "cumsum": ("(cumsum x :axis 1)", ["a b"]), "cumsum-0": ("(cumsum (* x x) :axis 0)", ["a b"]),
    "prod": ("(prod (+ 1.5 x) :axis 1)", ["a b"]), "prod-all": ("(prod (* x y))", ["p", "p"]),
    "prod-zero": ("(prod (* x (cast f64 (!= (iota i32 [(dim x 0) 1] :axis 0) 1))) :axis 0)", ["q b"]),
    "prod-zeros": ("(prod (* x (cast f64 (< (iota i32 [4]) 2))))", ["4"]),
    "log1p-form": ("(log1p (* 0.5 x))", ["a b"]), "expm1-form": ("(expm1 x)", ["a b"]), "round": ("(* x (round (* 3.0 x)))", ["a"]),
    "var": ("(var x :axis 1)", ["p q"]), "std": ("(std x :axes [0 2] :keep true)", ["p b q"]), "norm": ("(norm x)", ["p q"]),
    "logsumexp": ("(logsumexp x :axis 0)", ["p q"]), "softplus": ("(softplus x)", ["a b"]), "clip": ("(clip x -0.5 0.6)", ["a b"]),
    "sign": ("(* x (sign x))", ["a b"]), "tril": ("(* x (tril x :k 1))", ["a b c"]), "triu": ("(triu (* x x))", ["a b"]),
    "matmul-batches": ("(matmul x y)", ["2 1 a b", "3 b c"]), "matmul-vector": ("(matmul x y)", ["2 a b", "b"]),
    "flip": ("(* x (flip x :axis 1))", ["a b"]), "step": ("(slice (* x x) :axis 0 :step 2)", ["p b"]),
    "step-back": ("(slice x :axis 1 :from 3 :to 0 :step -2)", ["a 5"]), "roll": ("(* x (roll x 1 :axis 0))", ["p b"]),
    "repeat": ("(repeat x 3 :axis 0)", ["p b"]), "exchange": ("(* x (transpose x :exchange [0 1]))", ["a a"]),
    "update-axis": ("(update x (* y y) :axis 1 :from 1)", ["p 4", "p 2"]), "slice-size": ("(slice x :axis 0 :from 1 :size 1)", ["q b"]),
    "cumprod": ("(cumprod x :axis 1)", ["a b"]), "cummax": ("(cummax x :axis 0)", ["a b"]), "cummin": ("(cummin x :axis 1)", ["a b"]),
    "cumsum-reverse": ("(cumsum (* x x) :axis 1 :reverse true)", ["a b"]),
    "cumprod-exclusive": ("(cumprod x :axis 0 :exclusive true :reverse true)", ["a b"]),
    "scan": ("(scan step x :init 0.5 :axis 0)", ["p b"]), "sort": ("(sort x :axis 0)", ["p b"]),
    "segment-sum": ("(segment-sum (* x x) (% (iota i32 [(dim x 0)]) 3) 3)", ["p b"]),
    "windows": ("(* (windows x [2 3] :stride [2 1] :dilation [1 2] :pad [1 [0 2]]) 2.0)", ["2 5 6"]),
    "windows-spread": ("(windows x [3] :axes [0] :spread 3 :crop 1 :extra 1)", ["p b"]),
    "window-sum": ("(sum (* (windows x [3] :pad 1) (windows x [3] :pad 1)) :axis -1)", ["a q"]),
    "max-pool": ("(max-pool2d x :size [3 2] :stride 2 :padding 1)", ["2 7 6"]), "avg-pool": ("(avg-pool1d x :size 3 :stride 1)", ["a 5"]),
    "conv1d": ("(conv1d x y :padding 1)", ["2 a 5", "3 a 3"]), "conv1d-step": ("(conv1d x y :stride 2 :dilation 2 :padding 2)", ["b a 8", "c a 3"]),
    "conv1d-groups": ("(conv1d x y :groups 2 :stride 2)", ["2 4 7", "6 2 3"]),
    "conv2d": ("(conv2d (* x x) y :stride [2 1] :padding [0 2] :dilation [1 2])", ["2 a 6 5", "3 a 2 3"]),
    "conv2d-depthwise": ("(conv2d x y :groups 3 :padding 1)", ["2 3 4 5", "3 1 3 3"]),
    "conv3d": ("(conv3d x y :padding 1 :stride 2)", ["1 2 4 3 5", "2 2 2 3 2"]),
    "conv-transpose1d": ("(conv-transpose1d x y :stride 2 :padding 1 :output-padding 1)", ["2 a 4", "a b 3"]),
    "conv-transpose2d": ("(conv-transpose2d x y :stride [2 3] :padding [1 0] :dilation [1 2] :groups 2)", ["1 4 3 3", "4 2 3 2"]),
    "conv-transpose3d": ("(conv-transpose3d x y :padding 1)", ["1 2 2 3 2", "2 2 3 3 3"]),
    "fold": ("(fold [s x] [i 0 3] (sin (* s y)))", ["a b", "a b"]),
    "fold-product": ("(fold [s x] [i 0 3] (sin (matmul s y)))", ["a b", "b b"]),
    "fold-number": ("(fold [s x] [i 0 3] (* s (+ 1.0 (cast f64 i))))", ["a b"]),
    "fold-run": ("(fold [s x] [i 0 (dim y 0)] (sin (+ s (at y i))))", ["a b", "c b"]),
    "fold-layers": ("(fold [s x] [w y b z] (tanh (+ (matmul s w) b)))", ["a b", "c b b", "c b"]),
    "fold-two": ("(let [[u v] (fold [u x v y] [i 0 3] [(* v (sin u)) u])] (+ u v))", ["a b", "a b"]),
    "fold-step": ("(fold [s (* 1.0 (at x 0))] [i 1 6 2] (* s (sin (at x i))))", ["6 a"]),
    "fold-nested": ("(fold [s x] [w y] (fold [t s] [i 0 2] (sin (+ (matmul t w) (* s 0.5)))))", ["a b", "c b b"]),
    "fold-numbers": ("(* x (fold [s (at y 0)] [i 0 2] (sin (* s (at y i)))))", ["a", "p"]),
    "fold-unused": ("(+ y (fold [s x] [i 0 3] (* 2.0 y)))", ["a b", "a b"]),
    "fold-update": ("(fold [s (* 2.0 x)] [i 0 (dim x 0)] (update s (* y (slice s [i 0] [1 _])) [i 0]))", ["p b", "1 b"]),
    "fold-rows": ("(fold [s x] [i 1 (dim x 0)] (update s (+ (slice s [i 0] [1 _]) (sin (slice s [(- i 1) 0] [1 _]))) [i 0]))", ["p b"]),
    "if-run": ("(if (> (sum y) 0.3) (sin (* x y)) (* x x))", ["a b", "a b"]),
    "if-one": ("(if (> (sum y) 100.0) (sin x) y)", ["a b", "a b"]),
    "fold-if": ("(fold [s x] [i 0 4] (if (= (% i 2) 0) (* s y) (sin s)))", ["a b", "a b"]),
    "topk": ("(let [[v _] (topk x 2)] v)", ["a q"]), "topk-all": ("(let [[v _] (topk x (dim x 0))] v)", ["p"]),
    "dropout": ("(dropout (* x y) :p 0.25 :seed 3)", ["a b", "a b"]), "normal": ("(* x (normal f64 x :seed 5))", ["a b"]),
    "bits": ("(* x (cast f64 (bit-xor (cast i32 (* 4.0 x)) (shift-left (: 1 i32) 2))))", ["a"]),
    "if-known": ("(if (< (dim x 0) 100) (* x x) x)", ["a b"]),
    "call": ("(helper x (helper y x))", ["a b", "a b"]),
    "masked-log": ("(where (> x 0.1) (log x) 0.0)", ["a b"]),
}
HELPER = "(require-dialect math)\n(defn helper [x y] (+ (* x x) (sin y)))\n(defn step [a b] (sin (+ a (* 2.0 b))))\n"


def shapes(case, sizes):
    return [[sizes[n] if n.isalpha() else int(n) for n in shape.split()] for shape in case[1]]


def tensor(shape, phase):
    count = 1
    for n in shape:
        count *= n
    return f"(reshape (sin (+ {phase} (* 1.7 (iota f64 [{count}])))) [{' '.join(map(str, shape))}])"


def program(number, case, sizes, known):
    """Text of a function, and of a call that prints both derivatives."""
    formula, h = case[0], 1e-5
    dims = shapes(case, sizes)
    names = "xyz"[:len(dims)]
    kinds = [" ".join(str(n) if known or n == 1 else "_" for n in shape) for shape in dims]
    parameters = " ".join(f"(: {n} (tensor {kind} f64))" for n, kind in zip(names, kinds))
    text = f"(defn f{number} [{parameters}] (let [r {formula}] {LOSS}))\n"
    values = " ".join(f"{n} {tensor(s, 0.3 + i)} v{n} {tensor(s, 2.1 - 0.7 * i)}" for i, (n, s) in enumerate(zip(names, dims)))
    moved = lambda sign: " ".join(f"({sign} {n} (* {h} v{n}))" for n in names)
    gradients = " ".join(f"d{n}" for n in names)
    call = (f"(defn c{number} [] (let [{values}]\n  (def [_ {gradients}] (value-and-grad f{number} {' '.join(names)} :wrt [{' '.join(map(str, range(len(names))))}]))\n"
            f"  (def numeric (/ (- (f{number} {moved('+')}) (f{number} {moved('-')})) {2 * h}))\n"
            f"  (def exact (+ 0.0 {' '.join(f'(sum (* v{n} d{n}))' for n in names)}))\n"
            f"  (println exact :digits full) (println numeric :digits full)))\n")
    return text, call


def main():
    lispier, options = sys.argv[1], sys.argv[2:]
    own = dict(o.split("=") for o in options if o.startswith(("--shapes=", "--only=")))
    options = [o for o in options if not o.startswith(("--shapes=", "--only="))]
    rng, texts, labels = random.Random(1), [HELPER], []
    for name, case in CASES.items():
        if own.get("--only", name) != name:
            continue
        letters = any(c.isalpha() for shape in case[1] for c in shape)
        for i in range(int(own.get("--shapes", 3)) if letters else 1):
            sizes = {c: {1: 0, 2: 1}.get(i) if c in "abc" and i in (1, 2) else rng.choice([2, 3, 4, 7]) for c in "abcpq"}
            text, call = program(len(labels), case, sizes, known=i % 2 == 0)
            texts += [text, call]
            labels.append((name, shapes(case, sizes)))
    source = "".join(texts) + f"(defn main [] {' '.join(f'(c{i})' for i in range(len(labels)))})\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    if run.returncode:
        sys.exit(source + run.stderr if len(labels) < 4 else run.stderr)
    found = [float(n) for n in re.findall(r"f64 \[\] (\S+)", run.stdout)]
    if len(found) != 2 * len(labels):
        sys.exit(run.stdout + f"{len(found)} numbers for {len(labels)} cases")
    wrong = 0
    for (name, dims), exact, numeric in zip(labels, found[::2], found[1::2]):
        if not abs(exact - numeric) <= 1e-6 * max(1.0, abs(numeric)):
            print(f"{name} {dims}: {exact} is not {numeric}")
            wrong += 1
    if wrong:
        sys.exit(f"{wrong} of {len(labels)} derivatives differ")
    print(f"{len(labels)} derivatives agree")


main()
