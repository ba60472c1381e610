;; gpu-dependent-launch.lisp - macros for programmatic dependent launch
;;
;; On targets with the ability dependent-launch a kernel may overlap its predecessor in the stream (programmatic
;; dependent launch, CUDA C++ Programming Guide). A kernel allows its successor to start once all its own blocks have
;; started. It waits for its predecessors before it accesses memory that they may have written. On other targets these
;; macros expand to nothing, and a kernel starts when its predecessor has completed.

;; Allows the next kernel to start (griddepcontrol.launch_dependents).
(defmacro launch-dependents []
  (if (target-has? :dependent-launch) `(nvvm.griddepcontrol {:kind "#nvvm<grid_dep_action launch_dependents>"}) `(do)))

;; Waits until all earlier launches have completed and their writes are visible (griddepcontrol.wait).
(defmacro wait-for-predecessors []
  (if (target-has? :dependent-launch) `(nvvm.griddepcontrol {:kind "#nvvm<grid_dep_action wait>"}) `(do)))

;; Prefetches the K numbers of row n of w into the L2 cache. L2 is coherent among multiprocessors, so this is safe
;; before the wait even if an earlier kernel writes them. Lane i of `lanes` prefetches lines i, i + lanes ... of 128
;; bytes.
(defmacro prefetch-row [W w n K lane lanes]
  (if (target-has? :dependent-launch)
    (let [line (/ 128 (if (= W `f32) 4 2))]
      `(let [row# ~n]
         (for [k# (* ~line ~lane) ~K (* ~line ~lanes)]
           (prefetch-far ~w row# k#))))
    `(do)))
