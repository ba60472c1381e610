;; gpu-tensor-core.lisp - macros that kernels for NVIDIA's tensor cores share
;;
;; Addresses are pointers, so that one register plus a constant offset reaches all of a tile: !llvm.ptr<1> is global
;; memory, !llvm.ptr<3> shared memory, !llvm.ptr<7> shared memory of another block of the cluster. Counts of threads,
;; rows and bytes are i32; factors of a stride are i64.
;;
;; A matrix of 16-bit numbers in shared memory has rows of 128 bytes, of eight chunks of 16 bytes. A chunk is the unit
;; of one asynchronous copy, and one row of an 8x8 matrix for ldmatrix. Swizzle: chunk c of row r is at position c xor
;; (r mod 8), so that the same chunk of eight rows covers all 32 banks.
;;
;; mma.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16"): with g = lane / 4 and q = lane % 4, a lane has of the
;; 16x8 result elements (g, 2q), (g, 2q + 1), (g + 8, 2q) and (g + 8, 2q + 1).

;; --- addresses --------------------------------------------------------------

;; The address i elements of type E after p, in address space 1 or 3. A literal i becomes an immediate offset.
(defmacro place [space E p i]
  (let [type (symbol (str "!llvm.ptr<" space ">"))]
    (if (number? i)
      `(llvm.getelementptr {:elem_type ~E :rawConstantIndices ~(symbol (str "array<i32: " i ">")) :result ~type} ~p)
      `(llvm.getelementptr {:elem_type ~E :rawConstantIndices array<i32: -2147483648> :result ~type} ~p ~i))))

(defmacro pointer-to [space m]
  `(llvm.inttoptr {:result ~(symbol (str "!llvm.ptr<" space ">"))}
     (arith.index_cast {:result i64} (memref.extract_aligned_pointer_as_index ~m))))

;; Defines the address of a matrix's first element, and its row stride in elements.
(defmacro def-rows [address stride E m]
  (let [base (gensym) offset (gensym) height (gensym) width (gensym) apart (gensym) one (gensym)]
    `(do
       (def [~base ~offset ~height ~width ~apart ~one]
         (memref.extract_strided_metadata {:result [~(str "memref<" E ">") index index index index index]} ~m))
       (def ~address (place 1 ~E (pointer-to 1 ~base) (cast i64 ~offset)))
       (def ~stride (cast i64 ~apart)))))

;; The address of a vector's first element.
(defmacro def-row [address E m]
  (let [base (gensym) offset (gensym) width (gensym) one (gensym)]
    `(do
       (def [~base ~offset ~width ~one]
         (memref.extract_strided_metadata {:result [~(str "memref<" E ">") index index index]} ~m))
       (def ~address (place 1 ~E (pointer-to 1 ~base) (cast i64 ~offset))))))

;; The same for matrix h (i64) of a rank-3 memref.
(defmacro def-rows-of [h address stride E m]
  (let [base (gensym) offset (gensym) n (gensym) height (gensym) width (gensym) each (gensym) apart (gensym) one
        (gensym)]
    `(do
       (def [~base ~offset ~n ~height ~width ~each ~apart ~one]
         (memref.extract_strided_metadata {:result [~(str "memref<" E ">") index index index index index index index]}
           ~m))
       (def ~address (place 1 ~E (pointer-to 1 ~base) (+ (cast i64 ~offset) (* ~h (cast i64 ~each)))))
       (def ~stride (cast i64 ~apart)))))

;; The same for the rows of head h (i64) of a memref of tokens by heads.
(defmacro def-head-of [h address stride E m]
  (let [base (gensym) offset (gensym) tokens (gensym) heads (gensym) width (gensym) apart (gensym) each (gensym) one
        (gensym)]
    `(do
       (def [~base ~offset ~tokens ~heads ~width ~apart ~each ~one]
         (memref.extract_strided_metadata {:result [~(str "memref<" E ">") index index index index index index index]}
           ~m))
       (def ~address (place 1 ~E (pointer-to 1 ~base) (+ (cast i64 ~offset) (* ~h (cast i64 ~each)))))
       (def ~stride (cast i64 ~apart)))))

;; The block's dynamic shared memory, and the first multiple of 1024 in it.
(defmacro shared-address []
  `(arith.andi (+ (llvm.ptrtoint {:result i32} (shared-memory)) (: 1023 i32)) (: -1024 i32)))
(defmacro shared-memory []
  `(pointer-to 3 (gpu.dynamic_shared_memory {:result "memref<?xi8, #gpu.address_space<workgroup>>"})))

;; Maps a shared-memory address to the block with the given rank (i32) in the cluster. The cluster barrier: all threads
;; of the cluster wait for each other; writes before it are visible after it.
(defmacro shared-of [p block] `(nvvm.mapa {:result !llvm.ptr<7>} ~p ~block))
(defmacro cluster-barrier []
  `(do
     (nvvm.cluster.arrive {:aligned true})
     (nvvm.cluster.wait {:aligned true})))

;; Whether every row is aligned to the given number of bytes.
(defmacro rows-in [bytes E address stride]
  (let [size (if (= (str E) "f32") 4 2)]
    `(= (: 0 i64)
        (arith.andi (: ~(- bytes 1) i64)
          (arith.ori (llvm.ptrtoint {:result i64} ~address) (* ~stride (: ~size i64)))))))

;; Stores two or four words (f32 or i32) if the condition holds, by one predicated instruction. With a branch, LLVM
;; would sink the computation of the words into it.
(defmacro store-if [condition words p]
  (let [n (count words)
        list (reduce (fn [text i] (str text ", $" i)) "$0" (range 1 n))]
    `(llvm.inline_asm {:asm_string ~(str "{ .reg .pred p; setp.ne.b32 p, $" n ", 0; "
                                         "@p st.global.v" n ".b32 [$" (+ n 1) "], {" list "}; }")
                       :constraints ~(str (reduce (fn [text _] (str text "r,")) "" (range n)) "r,l,~{memory}")
                       :has_side_effects true}
       ~@(map (fn [word] `(llvm.bitcast {:result i32} ~word)) words) (cast i32 ~condition) ~p)))

;; Shared memory accesses of f32: loads two names, stores two values, loads four as a vector.
(defmacro def-pair [x y p]
  (let [pair (gensym)]
    `(do
       (def ~pair (llvm.load {:alignment 8 :result vector<2xf32>} ~p))
       (def ~x (vector.extract {:static_position "array<i64: 0>"} ~pair))
       (def ~y (vector.extract {:static_position "array<i64: 1>"} ~pair)))))
(defmacro store-pair [x y p] `(llvm.store {:alignment 8} (vector.from_elements {:result vector<2xf32>} ~x ~y) ~p))
(defmacro load-four [p] `(llvm.load {:alignment 16 :result vector<4xf32>} ~p))

;; --- copies from global to shared memory ------------------------------------

;; Starts an asynchronous copy of 16 bytes, or of zeros if `bytes` (i32, 16 or 0) is 0.
(defmacro copy-chunk [to from bytes]
  `(nvvm.cp.async.shared.global {:size 16 :modifier "#nvvm<load_cache_modifier cg>"} ~to ~from ~bytes))
;; Commits the copies started so far as one group; waits until all but the last n groups have completed.
(defmacro end-copies [] `(nvvm.cp.async.commit.group))
(defmacro wait-copies [n] `(nvvm.cp.async.wait.group {:n ~n}))

;; --- fragments --------------------------------------------------------------

(defmacro def-parts [names F struct]
  (let [s (gensym)]
    `(do
       (def ~s ~struct)
       ~@(map (fn [i] `(def ~(nth names i)
                         (llvm.extractvalue {:position ~(symbol (str "array<i64: " i ">")) :result ~F} ~s)))
              (range (count names))))))

;; Loads four 8x8 matrices of 16-bit numbers (ldmatrix); lane i provides the address of row i mod 8 of matrix i / 8.
;; order: row, or col to transpose them.
(defmacro def-matrices [names order p]
  `(def-parts ~names i32
     (nvvm.ldmatrix {:num 4 :layout ~(str "#nvvm.mma_layout<" order ">") :shape "#nvvm.ld_st_matrix_shape<m = 8, n = 8>"
                     :eltType "#nvvm.ld_st_matrix_elt_type<b16>" :result "!llvm.struct<(i32, i32, i32, i32)>"} ~p)))

;; Updates the four sums named in c to a b + c (mma.sync); a has four words, b two.
(defmacro def-products [c a b]
  `(def-parts ~c f32
     (nvvm.mma.sync {:layoutA "#nvvm.mma_layout<row>" :layoutB "#nvvm.mma_layout<col>"
                     :multiplicandAPtxType "#nvvm.mma_type<bf16>" :multiplicandBPtxType "#nvvm.mma_type<bf16>"
                     :shape "#nvvm.shape<m = 16, n = 8, k = 16>" :result "!llvm.struct<(f32, f32, f32, f32)>"}
       ~a ~b ~c)))

;; The same for a warpgroup of four warps, asynchronously (wgmma): updates sums of 64 rows and `columns` columns to a b
;; + sums, or to a b if keep is 0. A warp has 16 of the rows, with each 8 columns laid out as above. b is the
;; descriptor of a matrix in shared memory, [columns][16] or, transposed, [16][columns]; a is a descriptor of [64][16],
;; or four words of a warp's 16 rows.
(defmacro def-wgmma [columns sums a b keep transposed] `(def-wgmma-of bf16 ~columns ~sums ~a ~b ~keep ~transposed))
(defmacro def-wgmma-of [E columns sums a b keep transposed]
  (let [n (/ columns 2)
        words? (vector? a)
        inputs (if words? a [a])
        place (fn [i] (str "$" i))
        list (fn [from to]
               (str "{" (reduce (fn [text i] (str text ", " (place i))) (place from) (range (+ from 1) to)) "}"))
        b-place (+ n (count inputs))]
    `(def-parts ~sums f32
       (llvm.inline_asm
         {:asm_string ~(str "{ .reg .pred p; setp.ne.b32 p, " keep ", 0; wgmma.mma_async.sync.aligned.m64n" columns
                            "k16.f32." E "." E " " (list 0 n) ", " (if words? (list n (+ n 4)) (place n)) ", "
                            (place b-place)
                            ", p, 1, 1, " (if words? "" "0, ") transposed "; }")
          :constraints ~(str (reduce (fn [text _] (str text "=f,")) "" (range n)) (if words? "r,r,r,r," "l,") "l"
                             (reduce (fn [text i] (str text "," i)) "" (range n)))
          :has_side_effects true
          :result ~(str "!llvm.struct<(" (reduce (fn [text _] (str text ", f32")) "f32" (range (- n 1))) ")>")}
         ~@inputs ~b ~@sums))))
(defmacro begin-wgmma [] `(nvvm.wgmma.fence.aligned))
(defmacro end-wgmma [] `(nvvm.wgmma.commit.group.sync.aligned))
(defmacro wait-wgmma [n] `(nvvm.wgmma.wait.group.sync.aligned {:group ~n}))
;; After this fence and a barrier, wgmma reads what the threads have written or copied to shared memory.
(defmacro fence-for-wgmma []
  `(nvvm.fence.proxy {:kind "#nvvm.proxy_kind<async.shared>" :space "#nvvm.shared_space<cta>"}))

;; wgmma descriptor (PTX ISA, "matrix descriptor format") of a matrix with rows of 128 bytes at an address (i32, a
;; multiple of 1024) in shared memory: swizzle mode 128 bytes, as above, and a stride byte offset of 1024, eight rows.
;; `apart`: the leading dimension byte offset, from 64 columns to the next 64. The hardware reads it only if the matrix
;; is transposed; 16 otherwise. Adding 1 to a descriptor advances it by 16 bytes.
(defmacro matrix-description [address apart]
  `(+ (: ~(+ 4611686293305294848 (* 65536 (/ apart 16))) i64) (cast i64 (arith.shrui ~address (: 4 i32)))))

;; Converts two f32 to BF16 in one 32-bit word, the first in its low half.
(defmacro pack-bf16 [low high]
  `(llvm.bitcast {:result i32}
     (nvvm.convert.f32x2.to.bf16x2 {:rnd "#nvvm.fp_rnd_mode<rn>" :result vector<2xbf16>} ~high ~low)))

;; Splits two f32 into two words of BF16 terms, high and low, with a relative error of 2^-17.
(defmacro def-split [high low x y]
  `(do
     (def ~high (pack-bf16 ~x ~y))
     (def ~low (pack-bf16 (- ~x (llvm.bitcast {:result f32} (arith.shli ~high (: 16 i32))))
                          (- ~y (llvm.bitcast {:result f32} (arith.andi ~high (: -65536 i32))))))))

;; --- arithmetic by one instruction ------------------------------------------

;; 2^x and 1/x with a relative error of about 2^-22.
(defmacro fast-exp2 [x] `(llvm.call_intrinsic {:intrin "llvm.nvvm.ex2.approx.ftz.f32" :result f32} ~x))
(defmacro fast-reciprocal [x] `(nvvm.rcp.approx.ftz.f {:result f32} ~x))
