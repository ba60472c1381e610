;; tuning.lisp - parameters of the kernels, found by measurement, for each machine
;;
;; (tuning NAME {...}) applies to targets that have the ability NAME or are called so: cpu, gpu, a vendor, a chip (of a
;; CPU, LLVM's name), or a chip whose code the target can run. Later entries override earlier ones, key by key. Kernels
;; read (tuning :key).
;;
;; :gemv-blocks         maximum blocks of 256 threads per multiprocessor of a launch whose blocks loop over rows
;; :gemv-held           one token times a matrix, rows held in registers, [max-columns rows warps chunks]: `warps`
;;                      warps share `rows` rows, a lane holds `chunks` times 8 columns. The first entry with enough
;;                      columns is used
;; :norm-gemv-held      the same with a normalised input, [min-columns max-columns rows warps chunks]
;; :attend-one          {:blocks n}: blocks per head for one token, a cluster if more than one; {:alone positions}: up
;;                      to this position one block is faster
;; :argmax-blocks       blocks of nn.argmax, a cluster if more than one
;; :matmul-T            tiles of nn.linear for several tokens of type T, [how rows columns down across along stages
;;                      fixed step]: rows are tokens, columns outputs; down, across and along (the inputs) count warps
;;                      (wgmma: warpgroups); a tile's time in nanoseconds is `fixed` plus `step` for each 64 inputs.
;;                      The fastest tile is launched
;; :attention-T         kernels of nn.attention for several tokens, [head-size how teams stages], and then the number of
;;                      teams where there are many blocks, if that is another
;; :attend-tiles-T      the tile program of nn.attention for all else, [tokens positions] of a block and a step of its
;;                      loop
;; :wide-product        [rows columns tiles] of generated kernels: a product of BF16 of known sizes alone, without bias,
;;                      activation or residual, is a wide-product (GroupKinds.h) if each multiprocessor has so many
;;                      tiles; one of sizes that only a call knows in the calls in which it has. Absent: none is
;; :wide-finished-product  the same of products with bias, activation or residual
;; :wide-attention      [tokens from to] of generated kernels: causal attention of BF16 or F16 and known sizes, in heads
;;                      of sizes `from` to `to`, is wide-attention (GroupKinds.h) if each multiprocessor has a block of
;;                      so many tokens. Absent: none is
;; :row-streams         CPU, one token times a matrix: how many ranges of rows a thread reads at the same time
;; :row-prefetch        elements from a load of these rows to what is prefetched with it; 0: nothing
;; :clamped-loads       whether loads beyond the end are clamped to a valid address instead of branched around

;; Two chunks of each of four rows take at most 128 registers of a lane, so that two blocks are resident, and enough
;; loads are in flight: on an H200, 121 us for 128,256 rows of 2,048 columns, 4.35 TB/s. Lanes that hold more chunks
;; than the columns need take registers for nothing: three rows of four chunks took 136 us.
(tuning gpu
  {:gemv-blocks 2
   :gemv-held [[1024 4 2 2] [2048 4 4 2] [4096 4 8 2] [8192 4 16 2]]
   :norm-gemv-held []
   :attend-one {:blocks 1}
   :argmax-blocks 1
   :attend-tiles-f32 [32 16]
   :attend-tiles-bf16 [32 32]
   :clamped-loads false})

;; A warp holds a whole row of GPT-2's 768 or 1024 channels: with 3 rows per warp, 2304 and 3072 outputs are one wave of
;; blocks, in at most 128 registers, so that blocks of the next kernel can be resident, too. Other rows are those of a
;; team of warps, as without a norm.
(tuning warp32
  {:norm-gemv-held [[768 768 3 1 3] [1024 1024 3 1 4] [8 1024 4 2 2] [8 2048 4 4 2] [8 4096 4 8 2] [8 8192 4 16 2]]})

;; Each of these fits in 99 KB of shared memory per block, which every chip since sm_80 has.
(tuning mma-bf16
  {:matmul-f32 [[mma 64 96 2 2 1 3 2100 350]]
   :matmul-bf16 [[mma 64 96 2 2 1 4 2100 350]]
   :attend-tiles-bf16 [64 16]
   :attention-f32 [[64 mma 1 2]]
   :attention-bf16 [[64 mma 2 2] [128 mma 1 2]]})

;; A single multiprocessor reads a long cache slowly. On an H200, a token of GPT-2 124M takes 0.07 us more per position
;; with one block per head; with eight blocks it takes 16 us more at position 0, but then only 0.016 us per position.
(tuning clusters {:attend-one {:blocks 8 :alone 384} :argmax-blocks 8})

;; Measured on an H200; up to 227 KB of shared memory per block. No hand-written kernel has tiles of 128 x 256.
;; Generated attention goes by rings: 32 x 1024 x 128, 64 x 1024 x 128, 64 x 4096 x 128 take 26, 50, 504 us where the
;; kernels below take 30, 60, 673, and 32 x 2048 x 256 133 us beside 3,234; of heads of 64 these are faster where there
;; are many.
(tuning wgmma
  {:wide-product [128 256 2]
   :wide-finished-product [128 256 1]
   :wide-attention [128 65 256]
   :matmul-f32 [[wgmma 128 192 2 1 1 4 4000 1000] [wgmma 128 144 2 1 1 4 2700 800] [wgmma 64 96 1 1 2 4 2050 330]]
   :matmul-bf16 [[wgmma 128 192 2 1 1 5 4000 500] [wgmma 128 144 2 1 1 6 2700 430] [wgmma 64 96 1 1 2 5 2050 180]]
   :attention-f32 [[64 mma 2 2 1]]
   :attention-bf16 [[64 wgmma 4 2 1] [128 wgmma 2 2 1]]})


(tuning amd {:clamped-loads true})
;; Generated kernels have larger tiles than nn.linear's 64 x 64, by their static figures (lib/Target/Amd/README.md).
(tuning mfma {:wide-product [128 128 1]})
;; 768 columns are 96 chunks of 8: each of a warp's 64 lanes holds up to two.
(tuning warp64
  {:gemv-held [[1024 3 1 2] [4096 3 4 2] [8192 3 4 4]]
   :norm-gemv-held [[8 1024 3 1 2] [1032 2048 2 1 4]]
   :clamped-loads true})

;; AMD's Zen 5 and Intel's Sapphire Rapids read memory fastest as one stream per thread, prefetched 4 KiB ahead. Zen 4
;; reads one stream at 0.8 of the bandwidth, prefetched or not, and four at 0.95; prefetching takes 0.07 off that.
(tuning cpu {:row-streams 1 :row-prefetch 2048})
(tuning znver4 {:row-streams 4 :row-prefetch 0})
