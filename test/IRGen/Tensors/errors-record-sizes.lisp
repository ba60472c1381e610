; Records that hold two of the kind before: the number of parts doubles with each, and is an error before it is too much.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defrecord R0 [w (tensor n f32)])
(defrecord R1 [a R0] [b R0])
(defrecord R2 [a R1] [b R1])
(defrecord R3 [a R2] [b R2])
(defrecord R4 [a R3] [b R3])
(defrecord R5 [a R4] [b R4])
(defrecord R6 [a R5] [b R5])
(defrecord R7 [a R6] [b R6])
(defrecord R8 [a R7] [b R7])
(defrecord R9 [a R8] [b R8])
(defrecord R10 [a R9] [b R9])
(defrecord R11 [a R10] [b R10])
(defrecord R12 [a R11] [b R11])
(defrecord R13 [a R12] [b R12])
(defrecord R14 [a R13] [b R13])
; CHECK: :[[#@LINE+2]]:24: error[record-size]: with this field `R15` has 32768 tensors and numbers; a record has at most 16384
; CHECK: hint: many records of one kind are a list: [b (list Record)]
(defrecord R15 [a R14] [b R14])
; CHECK-NOT: error
(defrecord R16 [a R15] [b R15])
