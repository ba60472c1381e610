; Tile programs of a Llama's small layers, for llama-layers.lisp and for the ladders of examples/kernels.
; RUN: lispier check %s
(require-dialect memref)

(deftile rms-norm {:const [columns]} [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: y memref<?x?xf32>)]
  (def i (program-id 0))
  (def v (load x [i 0] [columns]))
  (def squares (/ (sum (* v v)) (cast f32 (memref.dim x 1))))
  (store (* v (rsqrt (+ squares 1e-5)) (load weight [0] [columns])) y [i 0]))

; y = silu(x gate) * (x up): two products that share an operand, and what joins them.
(deftile swiglu {:const [bm bn bk] :stages 2}
  [(: x memref<?x?xbf16>) (: gate memref<?x?xbf16>) (: up memref<?x?xbf16>) (: y memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def [g u] (fold [g (zeros f32 [bm bn]) u (zeros f32 [bm bn])] [k 0 (memref.dim x 1) bk]
    (def rows (load x [i k] [bm bk]))
    [(dot rows (load gate [k j] [bk bn]) g) (dot rows (load up [k j] [bk bn]) u)]))
  (store (* g (sigmoid g) u) y [i j]))

; Each pair (a, b) of the two halves of a head turns by the angle of its place and time; x: [time, heads, 2 half].
(deftile rotary {:const [half]} [(: x memref<?x?x?xf32>) (: cosines memref<?x?xf32>) (: sines memref<?x?xf32>)]
  (def t (program-id 0))
  (def h (program-id 1))
  (def c (load cosines [t 0] [half]))
  (def s (load sines [t 0] [half]))
  (def a (load x [t h 0] [half]))
  (def b (load x [t h half] [half]))
  (store (- (* a c) (* b s)) x [t h 0])
  (store (+ (* b c) (* a s)) x [t h half]))

; Row i of y is row i / times of x.
(deftile repeat-interleave {:const [rows columns]} [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: times index)]
  (def i (+ (* rows (program-id 0)) (iota index [rows 1] :axis 0)))
  (def j (iota index [columns]))
  (scatter (gather x [(/ i times) j]) y [i j]))
