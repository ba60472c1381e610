"""plant_formulas.py LISPIER COUNT SEED [OPTION ...]: formulas that are nearly those of hand-written kernels.

In the formula of a linear layer, a gate, a norm or attention, a part is replaced: by a step, a band, a limit, a bump, a
rounding constant, a pair of scales, another constant. LISPIER runs each formula on numbers for which such a part
differs, which it reads from memory, with OPTION, and again with --templates=false, which takes no formula for that of a
kernel. Both have to print the same.
"""
import math, random, re, subprocess, sys, tempfile

# Also beyond all constants below, and what no comparison orders.
NUMBERS = ["0.0", "-0.0", "0.04", "-0.03", "0.3", "0.77", "-0.8", "1.6", "-2.3", "3.1", "7.0", "-12.5", "40.0",
           "63.0", "-75.0", "230.0", "-999.0", "5e3", "-2e4", "3e6", "-4e7", "6e12", "1e-12", "-1e-9",
           "(sqrt (: -1.0 f32))"]
CONSTANTS = [0.1371, 0.0517, -0.2213, 1.017, 2.391, 11.13, 57.31, 90.7, -63.9, 1013.7]
OPS = {"+", "-", "*", "/", "tanh", "exp", "sqrt", "rsqrt", "abs", "mean", "einsum", "sigmoid", "silu", "gelu", "relu"}
U = "(* 0.7978845608 (+ y (* 0.044715 y y y)))"
ACTIVATIONS = [
    "y", "(gelu y)", f"(* 0.5 y (+ 1.0 (tanh {U})))", f"(* y (sigmoid (* 2.0 {U})))",
    "(* 0.5 y (+ 1.0 (tanh (* 0.7978845608 y (+ 1.0 (* 0.044715 y y))))))", "(silu y)", "(/ y (+ 1.0 (exp (- y))))",
    "(* y 0.5 (+ 1.0 (tanh (* 0.5 y))))", "(relu y)", "(where (> y 0.0) y 0.0)", "(where (< y 0.0) 0.0 y)",
    "(/ (+ y (abs y)) 2.0)"]
NORMS = [
    "(+ (* (- x (mean x :axis -1 :keep true)) (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)) g) b)",
    "(+ (* (/ d (sqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5))) g) b)",
    "(* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)) g)",
    "(/ (* x g) (sqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)))"]
SHOW = """(require-dialect memref)
(defn stored [(: numbers (tensor n f32))] -> (tensor _ f32)
  (def m (memref.alloc {:result memref<?xf32>} n))
  (store numbers m)
  (load m))
(defn show [(: x (tensor a b f32))]
  (for [i 0 a] (for [j 0 b] (println "%.6g" (at x i j)))))
"""


def read(text):
    """A form as nested lists."""
    stack = [[]]
    for token in re.findall(r'"[^"]*"|[()\[\]]|[^\s()\[\]]+', text):
        if token in "([":
            stack.append([token])
        elif token in ")]":
            form = stack.pop()
            stack[-1].append(form)
        else:
            stack[-1].append(token)
    return stack[0][0]


def write(form):
    if isinstance(form, str):
        return form
    return form[0] + " ".join(map(write, form[1:])) + {"(": ")", "[": "]"}[form[0]]


class Formulas:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, items):
        return self.random.choice(list(items))

    def replacement(self, e):
        a, b = sorted([self.pick(CONSTANTS), self.pick(CONSTANTS)])
        value = self.pick(["0.0", "1.0", "7.25", "100.0"])
        text = self.pick([
            f"(where (> e {a}) e {value})", f"(where (< e {a}) {value} e)", f"(where (< (abs e) {abs(a)}) 0.0 e)",
            f"(where (and (> e {a}) (< e {b})) {value} e)", f"(min e {b})", f"(max e {a})", f"(max (min e {b}) {a})",
            "(abs e)", "(floor e)", f"(+ e (* 100.0 (exp (- (* (- e {b}) (- e {b}))))))",
            "(- (+ e 12582912.0) 12582912.0)", "(- (+ e 1e8) 1e8)", "(* (* e 1e-30) 1e30)", "(/ (* e 1e30) 1e30)",
            "(+ e (* 0.0 e))", f"(+ e {b})", "(* e 1.01)", f"(where (= e e) e {value})", "(- e)"])
        return ["(", "let", ["[", "e", e], read(text)]

    def planted(self, text):
        """The formula with one part replaced, or, seldom, as it is."""
        whole, places = ["", read(text)], []

        def walk(node):
            for at, child in enumerate(node):
                is_name = node[0] == "["  # Names of a let.
                is_op = isinstance(child, list) and child[0] == "(" and child[1] in OPS
                if is_op or (child in ("y", "x") and not is_name):
                    places.append((node, at))
                if isinstance(child, list):
                    walk(child)

        walk(whole)
        if places and self.random.random() < 0.9:
            node, at = self.pick(places)
            node[at] = self.replacement(node[at])
        return write(whole[1])

    def linear(self, name):
        wide = self.pick(["bf16", "bf16", "f32"])
        sum_ = self.pick(['(einsum "tk,nk->tn" x w)', '(+ (einsum "tk,nk->tn" x w) b)'])
        f = self.pick(ACTIVATIONS)
        f = self.pick([f, f, f"(+ r {f})", f"(+ {f} r)"])
        body = self.planted(f"(let [y {sum_}] {f})")
        calls = [f"({name} x (cast {wide} w) (cast {wide} b) r)"]
        calls.append(f"({name} (slice x [row 0] [1 8]) (cast {wide} w) (cast {wide} b) (slice r [row 0] [1 4]))")
        return (f"(defn {name} [(: x (tensor t 8 f32)) (: w (tensor 4 8 {wide})) (: b (tensor 4 {wide}))"
                f" (: r (tensor t 4 f32))]\n  {body})\n"), calls

    def normed(self, name):
        norm = self.pick(NORMS)
        body = self.planted(f"(let [d (- x (mean x :axis -1 :keep true))] {norm})")
        rest = self.pick(["", "product", "gate"])
        if rest:
            f, product = self.planted(self.pick(ACTIVATIONS[:9])), f'(einsum "tk,nk->tn" {body} w)'
            body = (f"(let [y {product}] {f})" if rest == "product" else
                    f"(def [y u] (split {product} 2 :axis 1))\n  (* u {f})")
        return (f"(defn {name} [(: x (tensor t 64 f32)) (: g (tensor 64 f32)) (: b (tensor 64 f32))"
                f" (: w (tensor 4 64 bf16))]\n  {body})\n"), [
            f"(slice ({name} rows gains shifts weights) [0 0] [3 {2 if rest == 'gate' else 4}])",
            f"(slice ({name} (slice rows [1 0] [1 64]) gains shifts weights) [0 0] [1 2])"]

    def attention(self, name):
        window = self.pick([5, 40])
        seen = self.pick(["(<= key token)", f"(and (<= key token) (> key (- token {window})))",
                          f"(and (<= key token) (< (- token key) (+ p {window})))", "(<= key (+ token p))", "nil"])
        if seen != "nil" and self.random.random() < 0.5:
            other = self.pick(["(!= key 57)", "(!= (- token key) 50)", "(< key 60)", "(< key (+ token 3))", "(= head 0)",
                               "(< key (+ token p 1))", "(>= key 0)", "(> token 2)", "(<= key (+ token 0))"])
            seen = f"({self.pick(['and', 'and', 'or'])} {seen} {other})"
        scores = '(* (rsqrt (cast f32 (dim q 2))) (einsum "htd,hsd->hts" q k))'
        if self.random.random() < 0.6:
            scores = self.planted(scores)
        if seen != "nil":
            scores = f"(where {seen} {scores} {self.pick(['-inf', '-1e30'])})"
        return (f"(defn {name} [(: q (tensor h t 16 f32)) (: k (tensor h s 16 f32)) (: v (tensor h s 16 f32))"
                " (: at0 (tensor 1 i32))]\n  (def key (iota i32 [s])) (def token (iota i32 [t 1] :axis 0))"
                " (def head (iota i32 [h 1 1] :axis 0)) (def p (at at0 0))\n"
                f'  (einsum "hts,hsd->htd" (softmax {scores}) v))\n'), [
            f"(sum ({name} queries keys values zero) :axis 2)"]

    def programs(self, count):
        """Text of a program of this many formulas; show prints FORMULA before the numbers of each."""
        text, calls = SHOW, []
        for number in range(count):
            made, own = self.pick([self.linear, self.linear, self.normed, self.attention])(f"f{number}")
            text += made
            calls += [f'(println "FORMULA {number}") (show (cast f32 {call}))' for call in own]
        rows = len(NUMBERS)
        stores = "\n  ".join(f"(memref.store {number} m {at})" for at, number in enumerate(NUMBERS))
        return text + f"""(defn main []
  (def m (memref.alloc {{:result memref<?xf32>}} (: {rows} index)))
  {stores}
  (def first (= (iota i32 [1 8] :axis 1) 0))
  (def x (where first (reshape (load m) [{rows} 1]) 0.0))
  (def row (: {self.random.randrange(rows)} index))
  (def w (where first (reshape (stored (: [1.0 0.5 -1.0 1.0] tensor<4xf32>)) [4 1]) 0.0))
  (def b (stored (: [0.0 0.25 0.0 -0.125] tensor<4xf32>)))
  (def r (reshape (stored (sin (* 1.1 (iota f32 [{4 * rows}])))) [{rows} 4]))
  (def rows (* (stored-column) (reshape (stored (sin (* 1.7 (iota f32 [192])))) [3 64])))
  (def gains (* 100.0 (stored (sin (* 0.7 (iota f32 [64]))))))
  (def shifts (stored (cos (* 0.9 (iota f32 [64])))))
  (def weights (cast bf16 (reshape (stored (sin (* 0.3 (iota f32 [256])))) [4 64])))
  (def queries (reshape (stored (* 2.0 (sin (* 0.41 (iota f32 [2240]))))) [2 70 16]))
  (def keys (reshape (stored (* 2.0 (cos (* 0.57 (iota f32 [2240]))))) [2 70 16]))
  (def values (reshape (stored (sin (* 0.13 (iota f32 [2240])))) [2 70 16]))
  (def zero (cast i32 (stored (zeros f32 [1]))))
  {chr(10).join("  " + call for call in calls)})
""".replace("(stored-column)", "(reshape (stored (: [1.0 0.01 300.0] tensor<3xf32>)) [3 1])")


def agree(a, b, scored):
    """Scores of attention are up to 1e5 with such scales, where the last digit of F32 is 1e-2, and so of a weight."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return math.isfinite(a) == math.isfinite(b)
    return abs(a - b) <= (2e-2 if scored else 2e-3) * max(1, abs(a), abs(b))


def run(lispier, source, options):
    with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
        file.write(source)
        file.flush()
        ran = subprocess.run([lispier, "run", "--cache=false", *options, file.name], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(source + ran.stderr)
    results = {}
    for part in ran.stdout.split("FORMULA ")[1:]:
        number, *lines = part.split()
        results.setdefault(int(number), []).extend(map(float, lines))
    return results


def main():
    lispier, total, seed, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    step = 20
    for at in range(0, total, step):
        source = Formulas(seed + at).programs(min(step, total - at))
        own, other = run(lispier, source, options), run(lispier, source, ["--templates=false"])
        for number, expected in other.items():
            text = source[source.index(f"(defn f{number} "):].split("\n(defn ")[0]
            wrong = [k for k, pair in enumerate(zip(own[number], expected)) if not agree(*pair, "softmax" in text)]
            if wrong or len(own[number]) != len(expected):
                sys.exit(f"seed {seed + at}: {text}\nnumber {wrong[0]} is {own[number][wrong[0]]}, "
                         f"with --templates=false {expected[wrong[0]]}")
    print(f"{total} formulas agree")


main()
