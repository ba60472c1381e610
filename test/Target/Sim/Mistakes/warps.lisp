; Shuffles and reductions of a warp that not all its lanes reach, or that ask for a lane that is not there.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t under-a-condition two-places guarded-tail missing-lane half-a-warp width-not-a-power-of-two width-too-large reduction-of-some group-of-some no-such-lane partner-outside too-many-steps

;--- under-a-condition.lisp
(require-dialect memref)
(defkernel rotate [(: m memref<?xi32>)]
  (def lane (lane-id))
  (def v (memref.load m (thread-id :x)))
  (when (< lane 16)                                             ; fixed: (do
    ; WRONG: [[#@LINE+3]]:16: error[sim-divergence]: shuffle reached by only some threads of the warp
    ; WRONG: in kernel `rotate`, block (0, 0, 0), thread (0, 0, 0)
    ; WRONG: thread (16, 0, 0) has ended
    (def other (shuffle-xor v 1))                               ; fixed: (def other (shuffle-xor v 1))
    (memref.store other m (thread-id :x))))
; RIGHT: 1
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch rotate {:block [64]} m)
  (println "%d" (memref.load m 0)))

;--- two-places.lisp
; The two shuffles wait for different lanes.
(require-dialect memref)
(defkernel swap [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def v (memref.load m t))
  (def other
    (if (= (% t 2) 0)
      ; WRONG: [[#@LINE+2]]:7: error[sim-divergence]: shuffle reached by only some threads of the warp
      ; WRONG: block (0, 0, 0), thread (0, 0, 0)
      (shuffle-down v 1)                                        ; fixed: (: 1 i32)
      ; WRONG: [[#@LINE+1]]:7: note: thread (1, 0, 0) waits at this shuffle
      (shuffle-up v 1)))                                        ; fixed: (: 1 i32)))
  (memref.store other m t)                                      ; fixed: (memref.store (shuffle-xor v other) m t)
  )
; RIGHT: 62
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch swap {:block [64]} m)
  (println "%d" (memref.load m 63)))

;--- guarded-tail.lisp
; The guard against the end of the data keeps lanes of the last warp away.
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def i (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def inside (< i (memref.dim m 0)))
  (if inside
    ; WRONG: [[#@LINE+2]]:19: error[sim-divergence]: shuffle reached by only some threads of the warp
    ; WRONG: block (1, 0, 0), thread (0, 0, 0)
    (memref.store (shuffle-from (memref.load m i) 3) out i)     ; fixed: (memref.store 0 out i)
    (memref.store 0 out 0))                                     ; fixed: (memref.store 0 out 0)) (def v (shuffle-from (if inside (memref.load m i) 0) 3)) (when inside (memref.store v out i))
  )
; RIGHT: 67
(defn main []
  (def m (device-alloc memref<?xi32> [80]))
  (def out (device-alloc memref<?xi32> [80]))
  (parallel [i 80] (memref.store (cast i32 i) m i))
  (launch sum {:grid [2] :block [64]} m out)
  (println "%d" (memref.load out 79)))

;--- missing-lane.lisp
; Twelve threads are no full warp: there is no lane 12 + 4.
(require-dialect memref)
(defkernel right [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def v (memref.load m t))
  ; WRONG: [[#@LINE+2]]:12: error[sim-shuffle]: shuffle from lane 12 of a warp of 12 threads
  ; WRONG: block (0, 0, 0), thread (8, 0, 0)
  (def far (shuffle-down v 4))                                  ; fixed: (def far (shuffle-from v (if (< t 8) (+ t 4) t)))
  (memref.store far m t))
; RIGHT: 7
(defn main []
  (def m (device-alloc memref<?xi32> [12]))
  (parallel [i 12] (memref.store (cast i32 i) m i))
  (launch right {:block [12]} m)
  (println "%d" (memref.load m 3)))

;--- half-a-warp.lisp
; The butterfly of a full warp in a block of half one.
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def v (memref.load m t))
  (def width (warp-size))                                       ; fixed: (def width (: 16 index))
  (def [total _]
    (loop [s v mask (/ width 2)] :while (> mask 0)
      ; WRONG: [[#@LINE+2]]:17: error[sim-shuffle]: shuffle from lane {{16|32}} of a warp of 16 threads
      ; WRONG: block (0, 0, 0), thread (0, 0, 0)
      :do [(+ s (shuffle-xor s mask)) (/ mask 2)]))
  (when (= t 0) (memref.store total out 0)))
; RIGHT: 120
(defn main []
  (def m (device-alloc memref<?xi32> [16]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 16] (memref.store (cast i32 i) m i))
  (launch sum {:block [16]} m out)
  (println "%d" (memref.load out 0)))

;--- width-not-a-power-of-two.lisp
(require-dialect memref gpu)
(defkernel first [(: m memref<?xi32>) (: width i32)]
  (def t (thread-id :x))
  ; WRONG: [[#@LINE+2]]:14: error[sim-shuffle]: shuffle over 12 lanes; the width is a power of two up to {{32|64}}
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (def [v _] (gpu.shuffle {:mode idx} (memref.load m t) (: 0 i32) width))
  (memref.store v m t))
; RIGHT: 16
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch first {:block [64]} m (: 12 i32))                     ; fixed: (launch first {:block [64]} m (: 16 i32))
  (println "%d" (memref.load m 20)))

;--- width-too-large.lisp
(require-dialect memref gpu)
(defkernel first [(: m memref<?xi32>)]
  (def t (thread-id :x))
  (def width (: 128 i32))                                       ; fixed: (def width (: 32 i32))
  ; WRONG: [[#@LINE+2]]:14: error[sim-shuffle]: shuffle over 128 lanes; the width is a power of two up to {{32|64}}
  ; WRONG: block (0, 0, 0), thread (0, 0, 0)
  (def [v _] (gpu.shuffle {:mode idx} (memref.load m t) (: 0 i32) width))
  (memref.store v m t))
; RIGHT: 32
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch first {:block [64]} m)
  (println "%d" (memref.load m 33)))

;--- reduction-of-some.lisp
(require-dialect memref)
(defkernel sum [(: m memref<?xi32>) (: out memref<?xi32>)]
  (def t (thread-id :x))
  (def v (memref.load m t))
  (when (= (lane-id) 0)                                         ; fixed: (do
    ; WRONG: [[#@LINE+3]]:19: error[sim-divergence]: reduction reached by only some threads of the warp
    ; WRONG: block (0, 0, 0), thread (0, 0, 0)
    ; WRONG: thread (1, 0, 0) has ended
    (memref.store (warp-reduce :max v) out 0)))                 ; fixed: (def most (warp-reduce :max v)) (when (= t 63) (memref.store most out 0))))
; RIGHT: 63
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (def out (device-alloc memref<?xi32> [1]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch sum {:block [64]} m out)
  (println "%d" (memref.load out 0)))

;--- group-of-some.lisp
; A group of eight lanes may shuffle alone, but all of it.
(require-dialect memref gpu)
(defkernel rotate [(: m memref<?xi32>)]
  (def lane (lane-id))
  (def v (memref.load m (thread-id :x)))
  (when (< lane 12)                                             ; fixed: (when (< lane 8)
    ; WRONG: [[#@LINE+3]]:20: error[sim-divergence]: shuffle reached by only some threads of the group of 8 lanes
    ; WRONG: in kernel `rotate`, block (0, 0, 0), thread (8, 0, 0)
    ; WRONG: thread (12, 0, 0) has ended
    (def [other _] (gpu.shuffle {:mode xor} v (: 1 i32) (: 8 i32)))
    (memref.store other m (thread-id :x))))
; RIGHT: 1 6 8
(defn main []
  (def m (device-alloc memref<?xi32> [32]))
  (parallel [i 32] (memref.store (cast i32 i) m i))
  (launch rotate {:block [32]} m)
  (println "%d %d %d" (memref.load m 0) (memref.load m 7) (memref.load m 8)))

;--- no-such-lane.lisp
(require-dialect memref)
(defkernel last [(: m memref<?xi32>)]
  (def v (memref.load m (thread-id :x)))
  (def n (: 64 index))                                          ; fixed: (def n (: 31 index))
  ; WRONG: [[#@LINE+2]]:17: error[sim-shuffle]: shuffle from lane 64, which a group of {{32|64}} lanes does not have
  ; WRONG: in kernel `last`, block (0, 0, 0), thread (0, 0, 0)
  (memref.store (shuffle-from v n) m (thread-id :x)))
; RIGHT: 31
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch last {:block [64]} m)
  (println "%d" (memref.load m 0)))

;--- partner-outside.lisp
(require-dialect memref gpu)
(defkernel swap [(: m memref<?xi32>) (: mask i32)]
  ; WRONG: [[#@LINE+2]]:18: error[sim-shuffle]: shuffle with the lane whose number differs by the bits of 8, which a group of 8 lanes does not have
  ; WRONG: in kernel `swap`, block (0, 0, 0), thread (0, 0, 0)
  (def [other _] (gpu.shuffle {:mode xor} (memref.load m (thread-id :x)) mask (: 8 i32)))
  (memref.store other m (thread-id :x)))
; RIGHT: 4
(defn main []
  (def m (device-alloc memref<?xi32> [32]))
  (parallel [i 32] (memref.store (cast i32 i) m i))
  (launch swap {:block [32]} m (: 8 i32))                       ; fixed: (launch swap {:block [32]} m (: 4 i32))
  (println "%d" (memref.load m 0)))

;--- too-many-steps.lisp
; NVIDIA's instruction has five bits for the step: 64 is 0 there.
(require-dialect memref)
(defkernel before [(: m memref<?xi32>) (: step index)]
  ; WRONG: [[#@LINE+2]]:17: error[sim-shuffle]: shuffle by 64 lanes; the step is from 0 to {{31|63}}
  ; WRONG: in kernel `before`, block (0, 0, 0), thread (0, 0, 0)
  (memref.store (shuffle-up (memref.load m (thread-id :x)) step) m (thread-id :x)))
; RIGHT: 24
(defn main []
  (def m (device-alloc memref<?xi32> [64]))
  (parallel [i 64] (memref.store (cast i32 i) m i))
  (launch before {:block [64]} m (: 64 index))                  ; fixed: (launch before {:block [64]} m (: 7 index))
  (println "%d" (memref.load m 31)))
