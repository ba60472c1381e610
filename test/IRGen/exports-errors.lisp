; What cannot be exported.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn generic [x] x)
(defn typed [(: x f32)] (* x 2.0))
(defn memory [(: x "memref<?xf32>")] 1)

; CHECK: :[[#@LINE+2]]:9: error[export-generic]: `generic` is generic: it has no one type that others could call
; CHECK: hint: (export (generic type ...)) exports it for the types of its parameters
(export generic)
; CHECK: :[[#@LINE+2]]:9: error[call-unknown]: there is no function `typd` that could be exported
; CHECK: hint: did you mean `typed`?
(export typd)
; CHECK: :[[#@LINE+3]]:15: error[export-twice]: `typed` is exported twice
; CHECK: :[[#@LINE+2]]:9: note: first here
; CHECK: hint: (export (f type ... :as name)) exports it by another name
(export typed typed)
; CHECK: :[[#@LINE+2]]:9: error[export-type]: `memory` cannot be exported: its parameter `x` is memref<?xf32>
; CHECK: hint: other programs pass tensors, numbers, and records of these
(export memory)
