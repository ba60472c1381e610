; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s

; nn.attention with a window, without a mask, with a scale of its own, and without caches, against the op written out as
; loops: as in attention.lisp.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/attention.lisp")

(define-attention window f32 true {:window 5 :scale 0.3} tight)
(define-attention window-bf16 bf16 true {:window 70} rounded)
(define-attention unmasked f32 true {:mask "none"} tight)
(define-attention between f32 false {:mask "none" :scale 0.2} tight)
(define-attention among f32 false {} tight)
(define-attention among-bf16 bf16 false {:window 20} rounded)
(define-attention stored f32 true {} tight 5)
(define-attention stored-bf16 bf16 true {} rounded 70)
(define-attention all-stored f32 true {} tight 1073741824)
(define-attention stored-among bf16 false {:scale 0.2} rounded 20)

(defn main []
  ; CHECK-COUNT-26: {{ ok$}}
  ; CHECK-NOT: differ
  (window 1 4 2 64 64 40)
  (window 1 2 1 80 64 2)
  (window 11 2 2 40 64 30)
  (window 40 2 1 64 64 0)
  (window-bf16 1 2 1 96 140 130)
  (window-bf16 50 2 2 64 140 90)
  (window-bf16 5 2 1 128 1200 1100)
  (unmasked 1 2 2 64 30 20)
  (unmasked 18 4 2 64 60 30)
  (between 1 2 1 64 33 0)
  (between 19 2 2 128 33 0)
  (between 40 4 1 80 21 0)
  (among 35 2 2 64 35 0)
  (among 7 4 2 96 35 28)
  (among 7 2 1 7 20 10)
  (among-bf16 35 4 2 64 35 0)
  (among-bf16 1 2 2 128 40 38)
  (among-bf16 70 2 1 80 70 0)
  (stored 1 4 2 64 64 40)
  (stored 1 2 1 80 64 2)
  (stored 40 2 1 64 64 0)
  (stored-bf16 1 2 1 96 140 130)
  (stored-bf16 50 2 2 64 140 90)
  (all-stored 1 4 2 64 64 40)
  (all-stored 11 2 2 40 64 30)
  (stored-among 35 4 2 64 35 0))
