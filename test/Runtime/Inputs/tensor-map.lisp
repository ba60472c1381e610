; A tile of 8 x 16 of a matrix of 64 x 128, copied to shared memory by the tensor memory unit: what it has at its corners.
(require-dialect gpu memref nvgpu)

(defkernel copy-tile [(: map "!nvgpu.tensormap.descriptor<tensor = memref<8x16xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>")
                      (: out memref<8x16xf32>)]
  (def tile (shared f32 [8 16]))
  (def full (nvgpu.mbarrier.create {:result "!nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>"}))
  (nvgpu.mbarrier.init full (: 1 index) (: 0 index))
  (barrier)
  (when (= (thread-id :x) 0)
    (nvgpu.mbarrier.arrive.expect_tx full (: 512 index) (: 0 index))
    ;; From column 32 of row 8 on: the innermost coordinate comes first.
    (nvgpu.tma.async.load tile full map [(: 32 index) (: 8 index)] (: 0 index)))
  (nvgpu.mbarrier.try_wait.parity full (: 0 i1) (: 10000000 index) (: 0 index))
  (def i (/ (thread-id :x) 16))
  (def j (% (thread-id :x) 16))
  (memref.store (memref.load tile i j) out i j))

(defn main []
  (def host (memref.alloc {:result memref<64x128xf32>}))
  (for [i 0 64] (for [j 0 128] (memref.store (cast f32 (cast i64 (+ (* 1000 i) j))) host i j)))
  (def matrix (device-alloc memref<64x128xf32> []))
  (upload! matrix host)
  (def out (device-alloc memref<8x16xf32> []))
  (def any (memref.cast {:result memref<*xf32>} matrix))
  (def map (nvgpu.tma.create.descriptor
             {:result "!nvgpu.tensormap.descriptor<tensor = memref<8x16xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>"}
             any (: 8 index) (: 16 index)))
  (launch copy-tile {:block [128]} map out)
  (def tile (memref.alloc {:result memref<8x16xf32>}))
  (download! tile out)
  (println "%g %g %g %g" (memref.load tile 0 0) (memref.load tile 0 15) (memref.load tile 7 0) (memref.load tile 7 15))
  (device-free! out)
  (device-free! matrix))
