;; gpu-elementwise.lisp - nn.add, nn.gelu and nn.softmax on a GPU, as tile programs
;;
;; Memory is read and written by 16 bytes where addresses allow. Computed in f32, rounded once.

(require-macros "gpu-linear-tiles.lisp")

(defmacro elementwise-programs [T op inputs formula]
  (let [program (symbol (str op "-" T))
        row (str "memref<?x" T ">")
        rows (str "memref<?x?x" T ">")
        parameters (fn [type] (apply vector (map (fn [m] `(: ~m ~type)) (concat inputs [`out]))))
        flat (fn [m] `(memref.collapse_shape {:reassociation [[0 1]] :result ~row} ~m))
        launch (fn [memrefs]
                 `(launch ~program
                    {:grid [(ceil-div (memref.dim ~(last memrefs) 0) 4096)] :const {:size 4096}} ~@memrefs))]
    `(do
       (deftile ~program {:const [size] :warps 8} ~(parameters row)
         (def i (* size (program-id 0)))
         (let ~(apply vector (apply concat (map (fn [m] [m `(cast f32 (load ~m [i] [size]))]) inputs)))
           (store (cast ~T ~formula) out [i])))
       (deftemplate ~op {:for [gpu]} ~(parameters row) ~(launch (concat inputs [`out])))
       (deftemplate ~op {:for [gpu]} ~(parameters rows) ~(launch (map flat (concat inputs [`out])))))))

(defmacro softmax-programs [T]
  (let [rows (str "memref<?x?x" T ", strided<[?, 1], offset: ?>>")
        program (fn [kind] (symbol (str "softmax-" kind "-" T)))
        whole (fn [kind warps]
                `(deftile ~(program kind) {:const [columns] :warps ~warps} [(: x ~rows) (: out ~rows)]
                   (def row (program-id 0))
                   (def v (cast f32 (load x [row 0] [1 columns] :else -inf)))
                   (def e (exp (- v (max v :axis 1 :keep true))))
                   (store (cast ~T (* e (/ 1.0 (sum e :axis 1 :keep true)))) out [row 0])))]
    `(do
       ~(whole "short" 2)
       ~(whole "long" 8)
       ;; Online softmax: each lane sums its own numbers relative to the maximum so far, which begins at the least
       ;; number, since -inf - -inf is none. The next chunk is read while this one is summed.
       (deftile ~(program "chunks") {:const [chunk] :warps 16} [(: x ~rows) (: out ~rows)]
         (def row (program-id 0))
         (def n (memref.dim x 1))
         (def [most total after]
           (fold [most (full f32 [1 1] -3.4028234e38) total (zeros f32 [1 chunk])
                  v (cast f32 (load x [row 0] [1 chunk] :else -inf))] [j 0 n chunk]
             (def after (cast f32 (load x [row (+ j chunk)] [1 chunk] :else -inf)))
             (def next (max most (max v :axis 1 :keep true)))
             [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
         (def scale (/ 1.0 (sum total :axis 1 :keep true)))
         (fold [v (cast f32 (load x [row 0] [1 chunk] :else -inf))] [j 0 n chunk]
           (def after (cast f32 (load x [row (+ j chunk)] [1 chunk] :else -inf)))
           (store (cast ~T (* (exp (- v most)) scale)) out [row j])
           after))
       (deftemplate nn.softmax {:for [gpu]} [(: x ~rows) (: out ~rows)]
         (def T (memref.dim x 0))
         (def C (memref.dim x 1))
         (if (<= C 1024)
             (launch ~(program "short") {:grid [T] :const {:columns 1024}} x out)
             (if (<= C 8192)
                 (launch ~(program "long")
                   {:grid [T] :const {:columns (next-power-of-2 (max C 4096) :among [4096 8192])}} x out)
                 ;; Five chunks of 10,240 have few lanes without numbers at 50,257 columns; seven of 8,192 have more.
                 (launch ~(program "chunks") {:grid [T] :const {:chunk 10240}} x out)))))))

(elementwise-programs f32 nn.add [a b] (+ a b))
(elementwise-programs bf16 nn.add [a b] (+ a b))
(elementwise-programs f32 nn.gelu [x] (gelu-of-tile x))
(elementwise-programs bf16 nn.gelu [x] (gelu-of-tile x))
(softmax-programs f32)
(softmax-programs bf16)
