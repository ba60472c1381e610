; Sizes that only the run knows: a negative one is one message with its place and callers, on every target, whether
; memory is allocated for the tensor or not; so is a tensor that has more bytes than an address reaches.
; RUN: not lispier run %s 2>&1 | FileCheck %s --check-prefix=FULL
; RUN: not lispier run --fuse=false %s 2>&1 | FileCheck %s --check-prefix=FULL
; RUN: not lispier run --target=sim %s 2>&1 | FileCheck %s --check-prefix=FULL
; RUN: not lispier run %s 1 2>&1 | FileCheck %s --check-prefix=RESHAPE
; RUN: not lispier run --fuse=false %s 1 2>&1 | FileCheck %s --check-prefix=RESHAPE
; RUN: not lispier run %s 1 1 2>&1 | FileCheck %s --check-prefix=PAD
; RUN: not lispier run --target=sim %s 1 1 2>&1 | FileCheck %s --check-prefix=PAD
; RUN: not lispier run %s 1 1 1 2>&1 | FileCheck %s --check-prefix=BYTES
; RUN: not lispier run --fuse=false %s 1 1 1 2>&1 | FileCheck %s --check-prefix=BYTES
; RUN: not lispier run --target=sim %s 1 1 1 2>&1 | FileCheck %s --check-prefix=BYTES
; RUN: lispier run %s 1 1 1 1 | FileCheck %s --check-prefix=FITS
(defn ones [(: n index)] -> (tensor _ f32)
  ; FULL: :[[#@LINE+2]]:14: error[tensor-size]: a size of a tensor is 0 or more, not -4
  ; FULL: :[[#@LINE+15]]:{{.*}}: note: called from here
  (full f32 [n] 1.0))

(defn main [(: words i32) (: word !llvm.ptr)]
  (def n (- (cast index words) 4))
  (def many (: 4294967296 index))
  (cond
    ; RESHAPE: :[[#@LINE+1]]:52: error[tensor-size]: a size of a tensor is 0 or more, not -3
    (= words 1) (println (reshape (iota f32 [12]) [n (- n 1)]))
    ; PAD: :[[#@LINE+1]]:49: error[tensor-size]: a size of a tensor is 0 or more, not -2
    (= words 2) (println (pad (iota f32 [12]) [[n 0]]))
    ; BYTES: :[[#@LINE+1]]:31: error[tensor-size]: a tensor of f32 [4294967296 4294967296] has more bytes than an address reaches
    (= words 3) (println (sum (full f32 [many (* many (+ n 2))] 1.0)))
    ; FITS: f32 [] 6
    (= words 4) (println (sum (full f32 [(+ n 2) (+ n 3)] 1.0)))
    :else (println (sum (* 2.0 (ones n))))))
