; Formulas as tile programs: the values are those of --target=cpu, where formulas are loops, to a thousandth.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier --emit=tiles --target=sim:sm_80 %s | FileCheck %s --check-prefix=TILES
; TILES-NOT: linalg.
(require-dialect tensor memref)

(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))
(defn softmax [x & {:axis -1}]
  (def e (exp (- x (max x :axis axis :keep true))))
  (/ e (sum e :axis axis :keep true)))
(defn layer-norm [(: x (tensor t c f32)) (: g (tensor c f32)) (: b (tensor c f32))]
  (def d (- x (mean x :axis -1 :keep true)))
  (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)) g) b))

; Numbers from -1 to 1.
(defn noise [(: rows index) (: columns index)] -> (tensor _ _ f32)
  (def i (iota i32 [rows columns] :axis 0))
  (def j (iota i32 [rows columns] :axis 1))
  (/ (cast f32 (- (% (+ (* i 7919) (* j 1047)) 251) 125)) 125.0))
(defn row [(: columns index)] -> (tensor _ f32) (/ (cast f32 (% (iota i32 [columns]) 7)) 7.0))
(defn thousandths [x] (cast i32 (floor (+ 0.5 (* 1000.0 x)))))

; Rows in registers, rows in chunks, and rows whose length only the call knows; columns.
(defn rows [(: short index) (: long index)]
  (println (thousandths (* 100.0 (softmax (* 3.0 (noise 3 781))))))
  ; CHECK: i32 [3 781]
  ; CHECK-NEXT: {{\[\[}}2 5 15 ... 10 29 83]
  ; CHECK-NEXT:  [52 146 409 ... 285 2 5]
  ; CHECK-NEXT:  [3 10 27 ... 19 53 150{{\]\]}}
  (println (thousandths (sum (softmax (noise 3 17000)) :axis 1)))
  ; CHECK-NEXT: i32 [3]
  ; CHECK-NEXT: [1000 1000 1000]
  (println (thousandths (* 1e4 (max (softmax (noise 3 17000)) :axis 1))))
  ; CHECK-NEXT: i32 [3]
  ; CHECK-NEXT: [1359 1359 1359]
  (println (thousandths (sum (softmax (noise 5 short)) :axis 1)))
  ; CHECK-NEXT: i32 [5]
  ; CHECK-NEXT: [1000 1000 1000 1000 1000]
  (println (thousandths (max (softmax (noise 3 long)) :axis 1)))
  ; CHECK-NEXT: i32 [3]
  ; CHECK-NEXT: [0 0 0]
  (println (thousandths (softmax (noise 70 6) :axis 0)))
  ; CHECK-NEXT: i32 [70 6]
  ; CHECK-NEXT: {{\[\[}}4 6 9 13 17 25]
  ; CHECK-NEXT:  [13 20 26 5 7 10]
  ; CHECK-NEXT:  [5 8 11 16 21 31]
  ; CHECK-NEXT:  ...
  ; CHECK-NEXT:  [23 5 6 9 12 18]
  ; CHECK-NEXT:  [9 14 19 28 5 7]
  ; CHECK-NEXT:  [28 6 8 11 15 22{{\]\]}}
  (println (thousandths (layer-norm (noise 5 200) (row 200) (row 200))))
  ; CHECK-NEXT: i32 [5 200]
  ; CHECK-NEXT: {{\[\[}}0 -17 135 ... 268 704 -169]
  ; CHECK-NEXT:  [0 252 675 ... 43 255 638]
  ; CHECK-NEXT:  [0 32 233 ... 317 -184 -22]
  ; CHECK-NEXT:  [0 304 778 ... 95 360 794]
  ; CHECK-NEXT:  [0 79 327 ... 365 -92 117{{\]\]}}
  (println (thousandths (layer-norm (noise 3 short) (row short) (row short)))))
  ; CHECK-NEXT: i32 [3 300]
  ; CHECK-NEXT: {{\[\[}}0 -17 136 ... 999 -303 44]
  ; CHECK-NEXT:  [0 254 677 ... 328 777 1396]
  ; CHECK-NEXT:  [0 31 231 ... 1144 -114 281{{\]\]}}

; Elementwise, with what is repeated along rows or columns; with an element; nothing.
(defn elements []
  (println (thousandths (gelu (noise 4 41))))
  ; CHECK-NEXT: i32 [4 41]
  ; CHECK-NEXT: {{\[\[}}-159 -168 -118 ... 12 237 542]
  ; CHECK-NEXT:  [56 301 622 ... -167 -159 -81]
  ; CHECK-NEXT:  [-170 -148 -51 ... 132 406 747]
  ; CHECK-NEXT:  [188 480 833 ... -169 -124 4{{\]\]}}
  (println (thousandths (+ (noise 4 41) (row 41))))
  ; CHECK-NEXT: i32 [4 41]
  ; CHECK-NEXT: {{\[\[}}-1000 -513 -26 ... 453 939 1426]
  ; CHECK-NEXT:  [104 591 1078 ... -451 35 522]
  ; CHECK-NEXT:  [-800 -313 174 ... 653 1139 1626]
  ; CHECK-NEXT:  [304 791 1278 ... -251 235 722{{\]\]}}
  (println (thousandths (* (noise 4 41) (max (noise 4 41) :axis 1 :keep true))))
  ; CHECK-NEXT: i32 [4 41]
  ; CHECK-NEXT: {{\[\[}}-1000 -656 -312 ... 24 368 712]
  ; CHECK-NEXT:  [100 430 760 ... -845 -515 -184]
  ; CHECK-NEXT:  [-781 -445 -109 ... 219 554 890]
  ; CHECK-NEXT:  [302 643 984 ... -675 -333 8{{\]\]}}
  (println (thousandths (gelu (full f32 [1 1] -1.0))))
  ; CHECK-NEXT: i32 [1 1]
  ; CHECK-NEXT: {{\[\[}}-159{{\]\]}}
  (println (thousandths (gelu (noise 0 7)))))
  ; CHECK-NEXT: i32 [0 7]
  ; CHECK-NEXT: []

(defn main []
  (rows 300 5000)
  (elements))
