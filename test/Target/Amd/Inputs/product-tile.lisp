(require-dialect memref)
(deftile gemm {:const [bm bn bk] :warps 8 :stages 2}
  [(: a memref<4096x4096xbf16>) (: b memref<4096x4096xbf16>) (: c memref<4096x4096xf32>)]
  (def i (* (program-id 0) bm))
  (def j (* (program-id 1) bn))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 4096 bk]
           (dot (load a [i k] [bm bk]) (load b [j k] [bn bk]) acc :transpose-b true))
         c [i j]))
(defn launches [(: a memref<4096x4096xbf16>) (: b memref<4096x4096xbf16>) (: c memref<4096x4096xf32>)]
  (launch gemm {:grid [16 16] :const {:bm 256 :bn 256 :bk 32}} a b c))
