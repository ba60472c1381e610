; Sizes that only the run knows are called what the source calls them: by the types of parameters, by parameters, and by
; variables, also in functions that are inlined. Another value of the same name has a number behind it.
; RUN: lispier --emit=tiles --explain %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --explain=memory %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
; RUN: lispier --emit=tiles --explain --speed=1000,2,4 --sizes=t=8,d=4 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMES
(require-dialect memref)

; CHECK: kernel declared_0
; CHECK-NEXT: reads 8 d t bytes, writes 4 d t bytes
; TIMES: kernel declared_0
; TIMES-NEXT: reads 8 d t bytes
; TIMES-NEXT: at least 0.000384 us for the bytes
(defn declared [(: q (tensor t d f32)) (: x (tensor _ d f32))]
  (* q (slice x [0 0] [t d])))

; What the source calls n0 is not another size that has no name.
; CHECK: kernel numbered_0
; CHECK-NEXT: reads 4 x[0] bytes, writes 4 x[0] bytes
(defn numbered [(: x (tensor n0 f32))] (exp x))

(defrecord Pair [a (tensor r f32)] [b (tensor _ f32)])
; CHECK: kernel fields_0
; CHECK-NEXT: reads 4 p.b[0] + 4 p.r bytes
(defn fields [(: p Pair)] (sum (+ (sum (:a p)) (:b p))))

; Of each name of a function's types there is one size.
; CHECK: kernel alike_0
; CHECK-NEXT: reads 8 n bytes, writes 4 n bytes
(defn alike [(: x (tensor n f32)) (: y (tensor n f32))] (* x y))

(defn row [(: number i64)] (def length (cast index number)) (exp (full f32 [length] 1.0)))

; CHECK: kernel main_{{[0-9]+}}, row: {{.*}}
; CHECK-NEXT: reads 4 length bytes, writes 4 length length.2 bytes
; PLAN: memory of main: {{.*}} 4 length length.2 {{.*}}bytes
(defn main []
  (def counts (memref.alloc {:result memref<2xi64>}))
  (store (+ 2 (iota i64 [2])) counts)
  (def [a b] [(row (memref.load counts 0)) (row (memref.load counts 1))])
  (println (softmax (einsum "i,j->ij" a b))))
