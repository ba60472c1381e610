;; gpu-early.lisp - macros: kernels that begin before the one before them has ended
;;
;; Where the target has dependent-launch a launch may overlap the work before it (programmatic dependent launch, CUDA C++
;; Programming Guide): the kernel says that the next may begin as soon as all its blocks have, and waits itself, before it
;; touches anything that another kernel may have written, until all work before it is done. On other targets these words
;; mean nothing, and a launch begins when the work before it is done.

;; The next kernel may begin.
(defmacro let-next-begin []
  (if (target-has? :dependent-launch) `(nvvm.griddepcontrol {:kind "#nvvm<grid_dep_action launch_dependents>"}) `(do)))

;; Everything that was launched before is done after this.
(defmacro wait-for-last []
  (if (target-has? :dependent-launch) `(nvvm.griddepcontrol {:kind "#nvvm<grid_dep_action wait>"}) `(do)))

;; Asks for the K numbers of row n of w to come into the second-level cache, where all see the same: so this may be done
;; before the wait even if a kernel before this one writes them. Each of `lanes` lanes takes every so-many-th 128 bytes.
(defmacro prefetch-row [W w n K lane lanes]
  (if (target-has? :dependent-launch)
    (let [line (/ 128 (if (= W `f32) 4 2))]
      `(let [row# ~n]
         (for [k# (* ~line ~lane) ~K (* ~line ~lanes)]
           (nvvm.prefetch {:cacheLevel "#nvvm<prefetch_cache_level L2>"} (address-of ~W ~w row# k#)))))
    `(do)))

;; The address of m[i, j] as a pointer.
(defmacro address-of [T m i j]
  (let [size (if (= T `f32) 4 2)]
    `(let [[base# offset# n# k# apart# stride#]
           (memref.extract_strided_metadata {:result [~(str "memref<" T ">") index index index index index]} ~m)]
       (llvm.inttoptr {:result "!llvm.ptr<1>"}
         (arith.index_cast {:result i64}
           (+ (memref.extract_aligned_pointer_as_index ~m) (* ~size (+ offset# (* ~i apart#) (* ~j stride#)))))))))
