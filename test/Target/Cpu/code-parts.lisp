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

; Enough code for two parts.
(defn products [(: x memref<?x?xf32>) (: w memref<?x?xbf16>) (: v memref<?x?xf32>) (: y memref<?x?xf32>)]
  (nn.linear {:activation "#nn<activation none>"} [x] [w] [] [] [y])
  (nn.linear {:activation "#nn<activation relu>"} [x] [w] [] [] [y])
  (nn.linear {:activation "#nn<activation silu>"} [x] [w] [] [] [y])
  (nn.linear {:activation "#nn<activation gelu_tanh>"} [x] [w] [] [] [y])
  (nn.linear {:activation "#nn<activation none>"} [x] [v] [] [] [y])
  (nn.linear {:activation "#nn<activation relu>"} [x] [v] [] [] [y])
  (nn.linear {:activation "#nn<activation silu>"} [x] [v] [] [] [y])
  (nn.linear {:activation "#nn<activation gelu_tanh>"} [x] [v] [] [] [y]))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def a (memref.alloc {:result memref<?xf32>} (: 4 index)))
  (for [i 0 4] (memref.store (: 1.0 f32) a i))
  (when (> count 1000)
    (def x (memref.alloc {:result memref<?x?xf32>} (: 4 index) (: 4 index)))
    (products x (memref.alloc {:result memref<?x?xbf16>} (: 4 index) (: 4 index)) x x))
  (def sum (memref.alloc {:result memref<?xf32>} (: 4 index)))
  (nn.add a a sum)
  (nn.gelu a sum)
  (count-call)
  (def total (fold [s (: 0.0 f32)] [i 0 4] (+ s (memref.load sum i))))
  (println "%g %ld" (cast f64 total) (memref.load (memref.get_global {:name "calls" :result memref<1xi64>}) 0)))
