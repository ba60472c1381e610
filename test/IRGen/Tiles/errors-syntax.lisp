; Shapes of deftile.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+2]]:16: error[parse-block-arg]: the parameter `m` has no type: write (: m type)
; CHECK: hint: expected (deftile name {:const [name ...] :warps n :stages n :tune {...}} [(: parameter type) ...] body ...)
(deftile b {} [m] m)
; CHECK: :[[#@LINE+2]]:1: error[macro-arity]: the tile program `c` has no body
; CHECK: hint: expected (deftile name {:const [name ...] :warps n :stages n :tune {...}} [(: parameter type) ...] body ...)
(deftile c [(: m memref<?xf32>)])
; CHECK: :[[#@LINE+2]]:34: error[macro-shape]: a tile program returns nothing: it stores its results in memrefs
; CHECK: hint: expected (deftile name {:const [name ...] :warps n :stages n :tune {...}} [(: parameter type) ...] body ...)
(deftile d [(: m memref<?xf32>)] -> f32 1.0)
; CHECK: :[[#@LINE+2]]:10: error[macro-shape]: `deftile` expects a name here, not a number
; CHECK: hint: expected (deftile name {:const [name ...] :warps n :stages n :tune {...}} [(: parameter type) ...] body ...)
(deftile 5 [(: m memref<?xf32>)] (store 1.0 m [0]))
; CHECK: :[[#@LINE+1]]:12: error[parse-head]: `deftile` stands at the top level, not inside another form
(defn f [] (deftile e [(: m memref<?xf32>)] (store 1.0 m [0])))
(deftile twice [(: m memref<?xf32>)] (store 1.0 m [0]))
; CHECK: :[[#@LINE+2]]:1: error[mod-dup-symbol]: `twice` is defined twice
; CHECK: :[[#@LINE-2]]:1: note: the first definition
(defkernel twice [(: m memref<?xf32>)] (store 1.0 m [0]))
; CHECK: :[[#@LINE+1]]:1: error[parse-head]: `next-power-of-2` stands inside a function, not at the top level
(next-power-of-2 4)
