; RUN: env LISPIER_THREADS=1 lispier run %s > %t.1
; RUN: FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=2 lispier run %s > %t.2
; RUN: cmp %t.1 %t.2
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=SIM
; RUN: lispier run --target=sim:64 %s | FileCheck %s --check-prefix=SIM
; SIM-COUNT-9: ok
; SIM-NOT: differ
; RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS

; The templates of nn.attention against the op written out as loops: one and several
; tokens, at the start and after others, beyond one block of 1024 positions, and
; heads that are and are not a multiple of 16 and 64 wide; fewer heads of keys than of
; queries. attention-masks.lisp has the other masks. q, k and v are views of one array.
; A view whose columns may be apart is taken by no template: so the second op of each
; pair is the reference. The caches have to be the same; what they do not have yet is
; NaN. Tolerance: scores are below 8; a score of D terms differs by less than D 2^-24
; of that, a weight by as much of itself, and the values, which are below 2, are
; averaged; BF16 results are rounded to 2^-8.
; LOOPS-COUNT-2: call @__template_nn.attention
; LOOPS-NOT: call @__template_nn.attention
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/attention.lisp")

(define-attention check f32 true {} tight)
(define-attention check-bf16 bf16 true {} rounded)

(defn main []
  ; CHECK-COUNT-14: {{ ok$}}
  (check 1 3 3 64 32 0)
  (check 1 2 1 64 99 98)
  (check 1 1 1 80 2100 2060)
  (check 1 6 2 96 70 50)
  (check 2 2 2 7 1100 1030)
  (check 7 3 3 40 64 5)
  (check 6 4 1 80 64 9)
  (check 64 2 2 64 64 0)
  (check 33 1 1 128 64 2)
  (check-bf16 1 2 2 64 64 37)
  (check-bf16 1 4 2 128 64 37)
  (check-bf16 1 2 1 80 64 1)
  (check-bf16 7 2 2 64 64 3)
  (check-bf16 9 4 2 96 64 3))
