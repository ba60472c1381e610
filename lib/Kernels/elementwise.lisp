;; elementwise.lisp - nn.add, nn.gelu and nn.softmax on a CPU
;;
;; For programs that use these ops directly. GPT-2 does not on its fast path, where
;; they are fused into other kernels.


;; Defines two templates: for memrefs of rank 1, and of rank 2 with parallel rows.
(defmacro elementwise-templates [op T inputs formula]
  (let [parameters (fn [shape]
                     (apply vector (map (fn [name] `(: ~name ~(str "memref<" shape T ">"))) (concat inputs [`out]))))
        load (fn [lanes indices] (apply vector (apply concat (map (fn [m] [m `(load-f32 ~lanes ~T ~m ~@indices)])
                                                                  inputs))))
        place (fn [lanes F indices]
                `(let ~(load lanes indices) (store-f32 ~lanes ~T (~formula ~F ~@inputs) out ~@indices)))
        many (fn [indices] (place 16 `vector<16xf32> indices))
        one (fn [indices] (place 1 `f32 indices))]
    `(do
       (deftemplate ~op {:for [cpu]} ~(parameters "?x")
         (def N (memref.dim out 0))
         (def N16 (floor-to 16 N))
         (for [i 0 N16 16] ~(many [`i]))
         (for [i N16 N] ~(one [`i])))
       (deftemplate ~op {:for [cpu]} ~(parameters "?x?x")
         (def C (memref.dim out 1))
         (def C16 (floor-to 16 C))
         (parallel [t (memref.dim out 0)]
           (for [c 0 C16 16] ~(many [`t `c]))
           (for [c C16 C] ~(one [`t `c])))))))

(defmacro sum-of [F a b] `(+ ~a ~b))

(elementwise-templates nn.add f32 [a b] sum-of)
(elementwise-templates nn.add bf16 [a b] sum-of)
(elementwise-templates nn.gelu f32 [x] gelu-tanh)
(elementwise-templates nn.gelu bf16 [x] gelu-tanh)

;; Computes the exponentials twice, to avoid rounding them to the result's type.
(defmacro softmax-template [T]
  `(deftemplate nn.softmax {:for [cpu]} [(: x ~(str "memref<?x?x" T ">")) (: out ~(str "memref<?x?x" T ">"))]
     (def C (memref.dim x 1))
     (def C16 (floor-to 16 C))
     (parallel [t (memref.dim x 0)]
       (def lanes-max
         (lane-max (fold [m (: -inf vector<16xf32>)] [c 0 C16 16] (arith.maxnumf m (load-f32 16 ~T x t c)))))
       (def most (fold [m lanes-max] [c C16 C] (arith.maxnumf m (load-f32 1 ~T x t c))))
       (def mosts (vector.broadcast {:result vector<16xf32>} most))
       (def lanes
         (lane-sum (fold [s (: 0.0 vector<16xf32>)] [c 0 C16 16] (+ s (math.exp (- (load-f32 16 ~T x t c) mosts))))))
       (def total (fold [s lanes] [c C16 C] (+ s (math.exp (- (load-f32 1 ~T x t c) most)))))
       (def totals (vector.broadcast {:result vector<16xf32>} total))
       (for [c 0 C16 16] (store-f32 16 ~T (/ (math.exp (- (load-f32 16 ~T x t c) mosts)) totals) out t c))
       (for [c C16 C] (store-f32 1 ~T (/ (math.exp (- (load-f32 1 ~T x t c) most)) total) out t c)))))

(softmax-template f32)
(softmax-template bf16)
