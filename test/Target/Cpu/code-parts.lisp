; The kernels of a large program are compiled in parts, which share variables and functions.
; RUN: lispier build --trace=%t.json %s -o %t && %t | FileCheck %s
; RUN: FileCheck %s --check-prefix=PARTS --input-file=%t.json
; RUN: lispier run %s | FileCheck %s
; The code is the same whichever part is ready first.
; RUN: lispier build %s -o %t.again && cmp %t %t.again
; PARTS-COUNT-2: "name":"generate code of
; CHECK: 15 3
(require-dialect nn memref)

(memref.global {:sym_name "calls" :type memref<1xi64> :initial_value [0]})
(memref.global {:sym_name "weights" :type memref<4xf32> :initial_value [1 2 4 8] :constant true})

; Both kernels below and `main` call these.
(defn count-call []
  (def calls (memref.get_global {:name "calls" :result memref<1xi64>}))
  (memref.store (+ (memref.load calls 0) 1) calls 0))
(defn weight [(: i index)] -> f32
  (memref.load (memref.get_global {:name "weights" :result memref<4xf32>}) i))

(deftemplate nn.add {:for [cpu]} [(: a memref<?xf32>) (: b memref<?xf32>) (: out memref<?xf32>)]
  (count-call)
  (for [i 0 (memref.dim out 0)]
    (memref.store (+ (memref.load a i) (* (weight i) (memref.load b i))) out i)))
(deftemplate nn.gelu {:for [cpu]} [(: a memref<?xf32>) (: out memref<?xf32>)]
  (count-call)
  (for [i 0 (memref.dim out 0)]
    (memref.store (* (weight i) (memref.load a i)) out i)))

; Enough code for two parts: a clone for each combination of types, and for known sizes.
(defmacro def-products [name size]
  (let [floats (str "memref<" size "x" size "xf32>") halves (str "memref<" size "x" size "xbf16>")]
    `(defn ~name [(: x ~floats) (: h ~halves) (: y ~floats) (: z ~halves)]
       (nn.linear {:activation "#nn<activation none>"} [x] [x] [] [] [y])
       (nn.linear {:activation "#nn<activation none>"} [x] [h] [] [] [y])
       (nn.linear {:activation "#nn<activation none>"} [x] [h] [] [] [z])
       (nn.linear {:activation "#nn<activation none>"} [h] [h] [] [] [y])
       (nn.linear {:activation "#nn<activation none>"} [h] [h] [] [] [z]))))
(def-products products "?")
(def-products products-of-68 68)

(defn main [(: count i64) (: words !llvm.ptr)]
  (def a (memref.alloc {:result memref<?xf32>} (: 4 index)))
  (for [i 0 4] (memref.store (: 1.0 f32) a i))
  (when (> count 1000)
    (def x (memref.alloc {:result memref<68x68xf32>}))
    (def h (memref.alloc {:result memref<68x68xbf16>}))
    (products-of-68 x h (memref.alloc {:result memref<68x68xf32>}) (memref.alloc {:result memref<68x68xbf16>}))
    (products (cast memref<?x?xf32> x) (cast memref<?x?xbf16> h) (cast memref<?x?xf32> x) (cast memref<?x?xbf16> h)))
  (def sum (memref.alloc {:result memref<?xf32>} (: 4 index)))
  (nn.add a a sum)
  (nn.gelu a sum)
  (count-call)
  (def total (fold [s (: 0.0 f32)] [i 0 4] (+ s (memref.load sum i))))
  (println "%g %ld" (cast f64 total) (memref.load (memref.get_global {:name "calls" :result memref<1xi64>}) 0)))
