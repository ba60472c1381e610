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

  ; A block of a block: rows of three, two and two of them. Then columns as rows, the longer dimension in one piece.
  (def blocks (gpu.alloc {:result memref<3x4x5xi64>}))
  (def all (memref.alloc {:result memref<3x4x5xi64>}))
  (gpu.memset blocks (: 0 i64))
  (def inside (memref.subview {:static_offsets [1 1 2] :static_sizes [2 2 3] :static_strides [1 1 1]
                               :result "memref<2x2x3xi64, strided<[20, 5, 1], offset: 27>>"} blocks))
  (def part (memref.subview {:static_offsets [0 0 1] :static_sizes [2 2 3] :static_strides [1 1 1]
                             :result "memref<2x2x3xi64, strided<[20, 5, 1], offset: 1>>"} all))
  (for [i 0 3] (for [j 0 4] (for [k 0 5] (memref.store (cast i64 (+ (+ (* 100 i) (* 10 j)) k)) all i j k))))
  (gpu.memcpy inside part)
  (gpu.memcpy all blocks)
  (println "%ld %ld %ld %ld %ld" (memref.load all 1 1 1) (memref.load all 1 1 2) (memref.load all 2 2 4)
           (memref.load all 2 3 2) (memref.load all 0 0 0))
  (def turned (memref.alloc {:result memref<6x4xi64>}))
  (def across (memref.transpose {:permutation "affine_map<(d0, d1) -> (d1, d0)>" :result "memref<6x4xi64, strided<[1, 6]>>"} device))
  (gpu.memcpy turned across)
  (println "%ld %ld" (memref.load turned 1 3) (memref.load turned 2 3))
  (gpu.dealloc blocks)
  (gpu.dealloc device))
