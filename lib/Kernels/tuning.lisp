;; tuning.lisp - what kernels choose by measuring, for each machine
;;
;; (tuning ABILITY {...}) holds where a machine has the ability or is called so: cpu, gpu, a vendor, a chip, or one whose code
;; the chip runs. A later entry goes over an earlier one, key by key. A kernel's text reads (tuning :key).
;;
;; :multiprocessors     that take blocks side by side: the most that any product of the chip has
;; :gemv-blocks         of a launch at most for each of them, where a block goes on to other rows
;; :gemv-held           one token times a matrix whose rows are in registers, [most-columns rows warps pieces]: `warps` share
;;                      `rows` rows, a lane having `pieces` times 8 columns. The first that has enough columns is taken
;; :norm-gemv-held      the same of a normalised input, a warp to each `rows` rows, [least-columns most-columns rows pieces]
;; :norm-held           pieces of 4 columns that a lane holds of a row in nn.layer_norm; 0: it reads the row again
;; :attend-one          {:blocks n}: a head's blocks for one token, a cluster if more than one; {:alone positions}: up to so
;;                      many one block is faster
;; :matmul-T            tiles of nn.linear of several tokens of type T, [how rows columns down across along stages ends each]:
;;                      tokens by outputs; warps (wgmma: groups of four) down, across and along the inputs; stages; the
;;                      nanoseconds at its ends and for each 64 inputs. The tile that takes the least time is launched
;; :attention-T         kernels of nn.attention of several tokens, [head-size how teams stages]
;; :clamped-loads       whether a load of what is past the end reads some place inside instead of being branched around

(tuning gpu
  {:multiprocessors 132
   :gemv-blocks 4
   :gemv-held [[4096 3 4 4] [8192 3 8 4]]
   :norm-gemv-held []
   :norm-held 0
   :attend-one {:blocks 1}
   :clamped-loads false})

;; A row of GPT-2's 768 or 1024 channels is held whole: 3 rows a warp make one wave of blocks of 2304 and of 3072 outputs, and
;; take 128 registers at most, so that the next kernel's blocks find room beside them. Other rows have gaps.
(tuning warp32 {:norm-gemv-held [[768 768 3 3] [1024 1024 3 4] [8 1792 2 7]]})

;; Each of these fits a block's 99 KB of shared memory, which every chip since sm_80 has.
(tuning mma-bf16
  {:matmul-f32 [[mma 64 96 2 2 1 3 2100 350]]
   :matmul-bf16 [[mma 64 96 2 2 1 4 2100 350]]
   :attention-f32 [[64 mma 1 2]]
   :attention-bf16 [[64 mma 2 2] [128 mma 1 2]]})

;; One multiprocessor alone reads a long cache slowly. On an H200 GPT-2 124M's token takes 0.07 us more for each position with
;; one block a head; with eight it takes 16 us more at the start, but then 0.016 us.
(tuning clusters {:attend-one {:blocks 8 :alone 384}})

;; Measured on an H200; up to 227 KB of shared memory a block.
(tuning wgmma
  {:matmul-f32 [[wgmma 128 192 2 1 1 4 4000 1000] [wgmma 128 144 2 1 1 4 2700 800] [wgmma 64 96 1 1 2 4 2050 330]]
   :matmul-bf16 [[wgmma 128 192 2 1 1 5 4000 500] [wgmma 128 144 2 1 1 6 2700 430] [wgmma 64 96 1 1 2 5 2050 180]]
   :attention-f32 [[64 mma 2 2]]
   :attention-bf16 [[64 wgmma 4 2] [128 wgmma 2 2]]})

(tuning sm_80 {:multiprocessors 108})
(tuning sm_75 {:multiprocessors 72})
(tuning sm_86 {:multiprocessors 84})
(tuning sm_87 {:multiprocessors 16})
(tuning sm_89 {:multiprocessors 142})
(tuning sm_90 {:multiprocessors 132 :norm-held 8})
(tuning sm_100 {:multiprocessors 148})
(tuning sm_120 {:multiprocessors 188})

(tuning amd {:clamped-loads true :norm-held 8})
;; 768 columns are 96 lanes' pieces: a warp of 64 takes two of each lane.
(tuning warp64
  {:gemv-held [[1024 3 1 2] [4096 3 4 2] [8192 3 4 4]]
   :norm-gemv-held [[8 1024 3 2] [1032 2048 2 4]]
   :norm-held 8
   :clamped-loads true})
(tuning gfx942 {:multiprocessors 304})
(tuning gfx90a {:multiprocessors 110})
(tuning gfx1100 {:multiprocessors 96})
