; Tensors that are written in place: what still needs the numbers that were there would need a copy.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
; Written in place, so that what calls them needs no copy.
(defn append [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (update cache row [0 0]))
(defn add-to [(: a (inout (tensor p c f32))) (: b (tensor p c f32))]
  (update a (+ (at a 0) (at b 0)) [0 0]))
(defn both [(: a (inout (tensor p c f32))) (: b (inout (tensor p c f32)))]
  (update a (+ (at a 0) (at b 0)) [0 0])
  (update b (at a 0) [0 0]))
(defn slice-kept [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def old (at cache 0))
  (update cache row [0 0])
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-inout]: `old` has the numbers that `cache` had before it was written: to keep them would take a copy
  ; CHECK: :3: note: `cache` is written here, in place
  ; CHECK: :8: note: `old` is part of its memory
  ; CHECK: hint: use `old` before, or keep a copy: (load tensor) makes one
  (sum old))
(defn shape-kept [(: cache (inout (tensor p 4 f32))) (: row (tensor 4 f32))]
  (def [left right] (split cache 2 :axis 1))
  (def flat (reshape left [_]))
  (update cache row [0 0])
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-inout]: `flat` has the numbers that `cache` had before it was written: to keep them would take a copy
  ; CHECK: :3: note: `cache` is written here, in place
  ; CHECK: :8: note: `flat` is part of its memory
  ; CHECK: hint: use `flat` before, or keep a copy: (load tensor) makes one
  (sum flat))
(defn kept-under-a-name [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def old cache)
  (append cache row)
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-inout]: `old` has the numbers that `cache` had before it was written: to keep them would take a copy
  ; CHECK: :3: note: `cache` is written here, in place
  ; CHECK: :8: note: `old` is part of its memory
  ; CHECK: hint: use `old` before, or keep a copy: (load tensor) makes one
  (sum old))
(defn kept-in-a-loop [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def first (at cache 0))
  (for [i 0 3]
    ; CHECK: :[[#@LINE+4]]:14: error[tensor-inout]: `first` has the numbers that `cache` had before it was written: to keep them would take a copy
    ; CHECK: :5: note: `cache` is written here, in place
    ; CHECK: :8: note: `first` is part of its memory
    ; CHECK: hint: use `first` before, or keep a copy: (load tensor) makes one
    (println first)
    (update cache row [i 0])))
(defn kept-over-a-branch [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def first (at cache 0))
  (if (> (at row 0) 0.0) (update cache row [0 0]))
  ; CHECK: :[[#@LINE+4]]:8: error[tensor-inout]: `first` has the numbers that `cache` had before it was written: to keep them would take a copy
  ; CHECK: :26: note: `cache` is written here, in place
  ; CHECK: :8: note: `first` is part of its memory
  ; CHECK: hint: use `first` before, or keep a copy: (load tensor) makes one
  (sum first))
(defn kept-by-the-caller [(: row (tensor 3 f32))]
  (def cache (zeros f32 [4 3]))
  (def old cache)
  (append cache row)
  ; CHECK: :[[#@LINE+4]]:12: error[tensor-inout]: `old` has the numbers that `cache` had before it was written: to keep them would take a copy
  ; CHECK: :3: note: `cache` is written here, in place
  ; CHECK: :8: note: `old` is part of its memory
  ; CHECK: hint: use `old` before, or keep a copy: (load tensor) makes one
  (println old))
; What is read of a memref is a value, which is copied where that is necessary, and so is a copy by `load`: no errors.
; CHECK-NOT: error
(defn read-of-a-memref [(: m memref<4x3xf32>) (: row (tensor 3 f32))]
  (def old (load m))
  (append m row)
  (println old))
(defn copied [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def old (load cache))
  (update cache row [0 0])
  (println old))
(defn read-and-written [(: m memref<4x3xf32>)] (add-to m (load m)))
