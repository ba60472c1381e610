; Tensors that are written in place: two names of one buffer, results that are one, and memory that may not be written.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref func)
; CHECK: :[[#@LINE+2]]:20: error[type-parse]: `inout` is for tensors and records of tensors, and this is f32
; CHECK: hint: write (: name (inout (tensor size ... type)))
(defn number [(: n (inout f32))] (+ n n))
; CHECK: :[[#@LINE+2]]:29: error[type-parse]: `inout` stands before the type of a tensor that is a parameter of `defn`
; CHECK: hint: write (: name (inout (tensor size ... type)))
(defn result [(: x f32)] -> (inout (tensor 3 f32)) (zeros f32 [3]))
; Written in place, so that what calls them needs no copy.
(defn append [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (update cache row [0 0]))
(defn add-to [(: a (inout (tensor p c f32))) (: b (tensor p c f32))]
  (update a (+ (at a 0) (at b 0)) [0 0]))
(defn both [(: a (inout (tensor p c f32))) (: b (inout (tensor p c f32)))]
  (update a (+ (at a 0) (at b 0)) [0 0])
  (update b (at a 0) [0 0]))
(defn passed-twice [(: cache (inout (tensor p c f32)))]
  ; CHECK: :[[#@LINE+3]]:17: error[tensor-inout]: this argument and argument 1 are the same memory, which the call writes: a copy would be needed
  ; CHECK: :11: note: this argument is written
  ; CHECK: hint: compute what is needed of it before the call, or write one of them at a time
  (add-to cache cache))
(defn passed-and-read [(: cache (inout (tensor p c f32)))]
  ; CHECK: :[[#@LINE+3]]:17: error[tensor-inout]: this argument and argument 1 are the same memory, which the call writes: a copy would be needed
  ; CHECK: :11: note: this argument is written
  ; CHECK: hint: compute what is needed of it before the call, or write one of them at a time
  (append cache (at cache 1)))
(defn memref-twice [(: m memref<4x3xf32>)]
  ; CHECK: :[[#@LINE+3]]:11: error[tensor-inout]: this argument and argument 1 are the same memory, which the call writes: a copy would be needed
  ; CHECK: :9: note: this argument is written
  ; CHECK: hint: compute what is needed of it before the call, or write one of them at a time
  (both m m))
(defn returned-slice [(: cache (inout (tensor p c f32)))]
  ; CHECK: :[[#@LINE+3]]:3: error[tensor-inout]: the result is memory of `cache`, which is the caller's: a result would be a copy
  ; CHECK: :23: note: `cache` is declared here
  ; CHECK: hint: the caller has `cache`; end the function with another value, or with (do)
  (at cache 0))
(defn returned [(: cache (inout (tensor p c f32)))] -> (tensor p c f32)
  ; CHECK: :[[#@LINE+3]]:3: error[tensor-inout]: the result is memory of `cache`, which is the caller's: a result would be a copy
  ; CHECK: :17: note: `cache` is declared here
  ; CHECK: hint: the caller has `cache`; end the function with another value, or with (do)
  cache)
(defn returned-early [(: cache (inout (tensor p c f32)))] -> (tensor p c f32)
  ; CHECK: :[[#@LINE+3]]:16: error[tensor-inout]: the result is memory of `cache`, which is the caller's: a result would be a copy
  ; CHECK: :23: note: `cache` is declared here
  ; CHECK: hint: the caller has `cache`; end the function with another value, or with (do)
  (func.return cache))
(defn other-name [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def b cache)
  ; CHECK: :[[#@LINE+3]]:11: error[tensor-inout]: this is memory of `cache`: a tensor that differs from it would be a copy
  ; CHECK: :19: note: `cache` is declared here
  ; CHECK: hint: write to it by its name: (update cache part [offset ...]), (update (at cache index) part [offset ...])
  (update b row [0 0]))
(defn other-name-passed [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  (def b cache)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-inout]: `b` and `cache` are names of one buffer, and `append` writes to it: a copy would be needed
  ; CHECK: hint: pass `cache`
  (append b row))
(defn slice-updated [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  ; CHECK: :[[#@LINE+3]]:11: error[tensor-inout]: this is memory of `cache`: a tensor that differs from it would be a copy
  ; CHECK: :22: note: `cache` is declared here
  ; CHECK: hint: write to it by its name: (update cache part [offset ...]), (update (at cache index) part [offset ...])
  (update (slice cache [0 0] [1 _]) row [0 0]))
(defn parameter [(: cache (tensor p c f32)) (: row (tensor c f32))]
  ; CHECK: :[[#@LINE+3]]:11: error[tensor-inout]: `append` writes to this argument, and `cache` is memory of a parameter that `parameter` only reads: it would have to be copied
  ; CHECK: :21: note: `cache` is bound here
  ; CHECK: hint: a parameter that is written is (: name (inout (tensor ...)))
  (append cache row))
(defn part-of-a-parameter [(: caches (tensor l p c f32)) (: row (tensor c f32))]
  (def cache (at caches 0))
  ; CHECK: :[[#@LINE+3]]:11: error[tensor-inout]: `append` writes to this argument, and `cache` is memory of a parameter that `part-of-a-parameter` only reads: it would have to be copied
  ; CHECK: :8: note: `cache` is bound here
  ; CHECK: hint: a parameter that is written is (: name (inout (tensor ...)))
  (append cache row))
(defn memref-as-a-value [(: m memref<4x3xf32>) (: row (tensor 3 f32))]
  (def c (load m))
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-inout]: `append` writes to this argument, and `c` is a memref that is read: it would have to be copied
  ; CHECK: hint: pass the memref itself
  (append c row))
(defn at-the-same-time [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  ; CHECK: :[[#@LINE+2]]:27: error[tensor-inout]: `cache` is written here, in a region of `scf.parallel`, which does not carry its new value on
  ; CHECK: hint: write it in the body of the function, or of for, fold, loop, if and replayable
  (parallel [i 4] (update cache row [i 0])))
(defn without-a-name [(: row (tensor c f32)) (: n i64)]
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-inout]: `append` writes to this argument: it is the name of a tensor or a memref, (at name index ...) or (:field name), and not (zeros f32 [4 (dim row 0)])
  ; CHECK: hint: name the value first: (def name value)
  (append (zeros f32 [4 (dim row 0)]) row)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-inout]: `append` writes to this argument: it is the name of a tensor or a memref, (at name index ...) or (:field name), and not n
  ; CHECK: hint: name the value first: (def name value)
  (append n row)
  ; CHECK: :[[#@LINE+2]]:11: error[tensor-inout]: `append` writes to this argument: it is the name of a tensor or a memref, (at name index ...) or (:field name), and not 3.0
  ; CHECK: hint: name the value first: (def name value)
  (append 3.0 row))
(defn no-value [(: cache (inout (tensor p c f32))) (: row (tensor c f32))]
  ; CHECK: :[[#@LINE+2]]:10: error[name-no-value]: `update` produces no value
  ; CHECK: hint: write it without a name
  (def c (update cache row [0 0])))
