; 4. Memory: memrefs, views, structs, C. RUN: lispier run %s | FileCheck %s

(require-dialect memref arith)

; C functions are declared with their type; `...` makes them variadic.
(extern-fn strlen (-> [!llvm.ptr] [i64]))

; A struct is accessed through a pointer; fields are read with Point/x and written with Point/x!.
(defstruct Point [x f64] [y f64] [tag i32])

(defn norm2 [(: p !llvm.ptr)] -> f64
  (def x (Point/x p))
  (def y (Point/y p))
  (+ (* x x) (* y y)))

; `?` is a dimension known only at run time, so this function accepts every size.
(defn total [(: m "memref<?xf32>")] -> f32
  (fold [sum 0.0] [i 0 (memref.dim m 0)]
    (+ sum (memref.load m i))))

(defn main []
  (def m (memref.alloc {:result memref<3x4xf32>}))
  (for [i 0 3]
    (for [j 0 4]
      (memref.store (cast f32 (cast i64 (+ (* i 4) j))) m i j)))
  (println "%g" (cast f64 (memref.load m (: 2 index) (: 3 index))))   ; CHECK: 11

  ; A view of row 1: [offsets] [sizes] [strides]; nothing is copied.
  (def row (memref.subview {:result "memref<4xf32, strided<[1], offset: 4>>"} m [1 0] [1 4] [1 1]))
  (println "%g" (cast f64 (memref.load row (: 0 index))))             ; CHECK: 4

  (def flat (memref.collapse_shape {:result memref<12xf32> :reassociation [[0 1]]} m))
  (println "%g" (cast f64 (total (cast "memref<?xf32>" flat))))       ; CHECK: 66
  (memref.dealloc m)

  (def p (new Point 3.0 4.0 (: 1 i32)))
  (Point/tag! p 7)
  (println "%g tag %d size %ld" (norm2 p) (Point/tag p) (Point/size)) ; CHECK: 25 tag 7 size 24
  (println "%ld" (strlen (cstring "eleven"))))                        ; CHECK: 6
