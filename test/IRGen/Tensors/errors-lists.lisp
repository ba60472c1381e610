; Records of tensors: definitions, lists, loops over elements, and records that are written in place.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+4]]:21: error[type-parse]: a field is a tensor, a number, a record or a list of records, not memref<3xf32>
; CHECK: hint: write [name (tensor size ... type)], [name Record] or [name (list Record)]
; CHECK: :[[#@LINE+2]]:45: error[type-parse]: there is no record `f32`
; CHECK: :[[#@LINE+1]]:60: error[type-parse]: there is no record `Missing`
(defrecord Wrong [a memref<3xf32>] [b (list f32)] [c (list Missing)])
; CHECK: :[[#@LINE+2]]:42: error[type-parse]: the record `Endless` would have itself as a part
; CHECK: :1: note: it is defined here
(defrecord Endless [a (tensor n f32)] [b Endless])
(defrecord Counted [a (tensor n f32)] [count i64])
; CHECK: :[[#@LINE+3]]:28: error[type-parse]: `Counted` has a number among its parts, and a list stacks tensors
; CHECK: :1: note: it is defined here
; CHECK: hint: a number for each element of a list is a field (tensor type)
(defrecord Listed [h (list Counted)])
(defrecord Pair [a (tensor n f32)] [b (tensor n f32)])
; CHECK: :[[#@LINE+2]]:20: error[type-parse]: `inout` is for tensors and records of tensors, and this is a Counted
; CHECK: hint: write (: name (inout (tensor size ... type)))
(defn number [(: p (inout Counted))] (:count p))
; CHECK: :[[#@LINE+2]]:36: error[type-mismatch]: `returns` returns 2 values, and its last form has 1
; CHECK: hint: end the function with (func.return value ...)
(defn returns [(: p Pair)] -> Pair (:a p))
(defn walks [(: p Pair) (: q (list Pair)) (: x (tensor 4 f32)) (: y (tensor 3 f32)) (: n i64)]
  ; CHECK: :[[#@LINE+2]]:16: error[tensor-operand]: a loop over elements takes lists of records and tensors, and this is a Pair
  ; CHECK: hint: a list is a field [name (list Pair)]
  (for-each [e p] (println (:a e)))
  ; CHECK: :[[#@LINE+1]]:16: error[tensor-operand]: a loop over elements takes lists of records and tensors, and this is i64
  (for-each [e n] (println e))
  ; CHECK: :[[#@LINE+1]]:16: error[tensor-operand]: a loop over elements takes lists of records and tensors, and this is f32 []
  (for-each [e (sum x)] (println e))
  ; CHECK: :[[#@LINE+2]]:20: error[tensor-size]: the loop walks over 4 elements of the list before, and this has 3
  ; CHECK: :16: note: the first list is here
  (for-each [e x f y] (println e))
  ; CHECK: :[[#@LINE+2]]:12: error[type-mismatch]: a loop carries tensors and numbers, and this is a Pair
  ; CHECK: hint: name the parts that change: (:field record)
  (fold [r p] [e q] e)
  ; CHECK: :[[#@LINE+4]]:15: error[type-mismatch]: a branch of `if` gives tensors and numbers, and this is a Pair
  ; CHECK: hint: name the parts that change: (:field record)
  ; CHECK: :[[#@LINE+2]]:17: error[type-mismatch]: a branch of `if` gives tensors and numbers, and this is a Pair
  ; CHECK: hint: name the parts that change: (:field record)
  (if (> n 0) p p)
  ; CHECK: :[[#@LINE+1]]:12: error[type-mismatch]: printf cannot take a Pair
  (println p))
(defn store [(: p (inout Pair)) (: x (tensor n f32))] (update (:a p) x [0]))
(defn writes [(: p Pair) (: i (inout Pair)) (: x (tensor n f32))]
  ; CHECK: :[[#@LINE+3]]:10: error[tensor-inout]: `store` writes to this argument, and `p` is memory of a parameter that `writes` only reads: it would have to be copied
  ; CHECK: :18: note: `p` is bound here
  ; CHECK: hint: a parameter that is written is (: name (inout (tensor ...)))
  (store p x)
  (def old (:a i))
  (store i x)
  ; CHECK: :[[#@LINE+3]]:12: error[tensor-inout]: this argument and argument 1 are the same memory, which the call writes: a copy would be needed
  ; CHECK: :10: note: this argument is written
  ; CHECK: hint: compute what is needed of it before the call, or write one of them at a time
  (store i (:b i))
  ; CHECK: :[[#@LINE+4]]:12: error[tensor-inout]: `old` has the numbers that `i` had before it was written: to keep them would take a copy
  ; CHECK: :3: note: `i` is written here, in place
  ; CHECK: :8: note: `old` is part of its memory
  ; CHECK: hint: use `old` before, or keep a copy: (load tensor) makes one
  (println old))
(defn walked [(: i (inout (list Pair))) (: x (tensor n f32))]
  (for-each [e i] (update (:a e) x [0]))
  ; CHECK: :[[#@LINE+4]]:67: error[tensor-inout]: `old` has the numbers that `e` had before it was written: to keep them would take a copy
  ; CHECK: :36: note: `e` is written here, in place
  ; CHECK: :24: note: `old` is part of its memory
  ; CHECK: hint: use `old` before, or keep a copy: (load tensor) makes one
  (for-each [e i] (def old (:b e)) (update (:b e) x [0]) (println old))
  (:a i))
