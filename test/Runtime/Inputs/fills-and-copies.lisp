; Fills with elements of eight bytes, and copies of columns and of a middle, each way.
(require-dialect gpu memref)

(defn show [(: m "memref<4x6xi64>")]
  (for [i 0 4]
    (for [j 0 6] (print "%ld " (memref.load m i j)))
    (println "")))

(defn main []
  (def host (memref.alloc {:result memref<4x6xi64>}))
  (def device (gpu.alloc {:result memref<4x6xi64>}))
  (gpu.memset device (: 4294967297 i64)) ; 1 and 1: halves that are the same
  (gpu.memcpy host device)
  (println "%ld" (memref.load host 3 5))
  (gpu.memset device (: 8589934595 i64)) ; 2 and 3
  (gpu.memcpy host device)
  (println "%ld" (memref.load host 3 5))

  (for [i 0 4] (for [j 0 6] (memref.store (cast i64 (+ (* 10 i) j)) host i j)))
  (def middle (memref.subview {:static_offsets [1 2] :static_sizes [2 3] :static_strides [1 1]
                               :result "memref<2x3xi64, strided<[6, 1], offset: 8>>"} host))
  (def there (memref.subview {:static_offsets [2 0] :static_sizes [2 3] :static_strides [1 1]
                              :result "memref<2x3xi64, strided<[6, 1], offset: 12>>"} device))
  (gpu.memset device (: 0 i64))
  (gpu.memcpy there middle)
  (gpu.memcpy host device)
  (show host)
  (def column (memref.subview {:static_offsets [0 1] :static_sizes [4 1] :static_strides [1 1]
                               :result "memref<4x1xi64, strided<[6, 1], offset: 1>>"} device))
  (def flat (memref.alloc {:result memref<4x1xi64>}))
  (gpu.memcpy flat column)
  (println "%ld %ld" (memref.load flat 2 0) (memref.load flat 3 0))
  (gpu.dealloc device))
