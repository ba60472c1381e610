; 8. Linear algebra.                  RUN: lispier run %s | FileCheck %s
;
; A linalg op specifies a computation without its order; the compiler tiles, vectorises and distributes it.
; A named op is written with its operands only, of which the last is the output.

(require-dialect linalg memref tensor arith vector)

; On memrefs: the result is written to the last operand.
(defn matmul-in-memory []
  (def a (memref.alloc {:result memref<2x3xf32>}))
  (def b (memref.alloc {:result memref<3x2xf32>}))
  (def c (memref.alloc {:result memref<2x2xf32>}))
  (linalg.fill (: 2.0 f32) a)
  (linalg.fill (: 0.5 f32) b)
  (linalg.fill (: 0.0 f32) c)
  (linalg.matmul a b c)
  (println "%g" (cast f64 (memref.load c (: 1 index) (: 1 index))))
  (memref.dealloc a) (memref.dealloc b) (memref.dealloc c))

; On tensors, which are values: bufferization allocates memory later.
(defn scaled [(: x tensor<4xf32>) (: s f32)] -> tensor<4xf32>
  (def out (tensor.empty {:result tensor<4xf32>}))
  (linalg.generic {:indexing_maps [affine_map<(i) -> (i)> affine_map<(i) -> (i)>]
                   :iterator_types ["parallel"] :result tensor<4xf32>}
    [x] [out]
    (region (block [(: v f32) (: _o f32)]
      (linalg.yield (* v s))))))

(defn main []
  (matmul-in-memory)                                                  ; CHECK: 3
  (def x (arith.constant {:value (: dense<[1.0, 2.0, 3.0, 4.0]> tensor<4xf32>)}))
  (def y (scaled x 10.0))
  (println "%g" (cast f64 (tensor.extract y (: 3 index)))))           ; CHECK: 40
