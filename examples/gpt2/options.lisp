;;; options.lisp - utilities for command-line programs: arguments, numbers, output, fatal errors.
;;;
;;; (require ["./options.lisp" :as options]) imports the functions, (require-macros "./options.lisp") the macro `die`.

(require-dialect llvm arith)

(extern-fn strcmp (-> [!llvm.ptr !llvm.ptr] [i32]))
(extern-fn strtol (-> [!llvm.ptr !llvm.ptr i32] [i64]))
(extern-fn strtod (-> [!llvm.ptr !llvm.ptr] [f64]))
(extern-fn strerror (-> [i32] [!llvm.ptr]))
(extern-fn __errno_location (-> [] [!llvm.ptr]))
(extern-fn write (-> [i32 !llvm.ptr i64] [i64]))
(extern-fn dprintf (-> [i32 !llvm.ptr ...] [i32]))
(extern-fn exit (-> [i32] []))
(extern-fn clock_gettime (-> [i32 !llvm.ptr] [i32]))

;; (die "format" value ...): prints one line on standard error and exits with status 1.
(defmacro die [format & values]
  `(do (dprintf (: 2 i32) (cstring ~(str "error: " format "\n")) ~@values)
       (exit (: 1 i32))))

(defn same-text [(: a !llvm.ptr) (: b !llvm.ptr)] -> i1
  (= (strcmp a b) (: 0 i32)))

(defn reason [] -> !llvm.ptr
  "Why the last call of the C library failed."
  (strerror (ptr-load i32 (__errno_location))))

;; --- words ------------------------------------------------------------------

(defn word [(: count i64) (: words !llvm.ptr) (: index i64)] -> !llvm.ptr
  "Argument `index` of the command line; null after the last one."
  (if (< index count)
      (ptr-load !llvm.ptr (ptr-at !llvm.ptr words index))
      (null-ptr)))

(defn wanted [(: option !llvm.ptr) (: value !llvm.ptr)] -> !llvm.ptr
  "The word after an option that needs one."
  (when (null? value) (die "%s wants a value; --help lists the options" option))
  value)

;; --- numbers ----------------------------------------------------------------

(defn read-integer [(: option !llvm.ptr) (: text !llvm.ptr) (: low i64) (: high i64)] -> i64
  (def end (llvm.alloca {:elem_type !llvm.ptr :result !llvm.ptr} (: 1 i64)))
  (def value (strtol text end (: 10 i32))) ; strtol saturates, and the largest value is out of range
  (def stop (ptr-load !llvm.ptr end))
  (when (or (= stop text) (!= (ptr-load i8 stop) (: 0 i8)) (< value low) (> value high))
    (die "%s wants an integer from %ld to %ld, not '%s'" option low high text))
  value)

(defn read-number [(: option !llvm.ptr) (: text !llvm.ptr) (: low f64) (: high f64)] -> f64
  (def end (llvm.alloca {:elem_type !llvm.ptr :result !llvm.ptr} (: 1 i64)))
  (def value (strtod text end))
  (def stop (ptr-load !llvm.ptr end))
  ;; A NaN is out of range, since both comparisons are ordered.
  (if (and (!= stop text) (= (ptr-load i8 stop) (: 0 i8)) (>= value low) (<= value high))
      (do)
      (die "%s wants a number from %g to %g, not '%s'" option low high text))
  value)

;; --- output -----------------------------------------------------------------

(defn written [(: count i64)] -> i64
  (when (< count (: 0 i64)) (die "cannot write to standard output: %s" (reason)))
  count)

(defn write-text [(: text !llvm.ptr) (: bytes i64)]
  "Writes to standard output at once, however many calls it takes."
  (loop [done (: 0 i64)] :while (< done bytes)
    :do (+ done (written (write (: 1 i32) (ptr-at i8 text done) (- bytes done))))))

(defn seconds [] -> f64
  "A monotonic clock with an arbitrary origin."
  (def time (llvm.alloca {:elem_type "!llvm.array<2 x i64>" :result !llvm.ptr} (: 1 i64)))
  (clock_gettime (: 1 i32) time)
  (+ (cast f64 (ptr-load i64 time))
     (* (: 1e-9 f64) (cast f64 (ptr-load i64 (ptr-offset !llvm.ptr time 8))))))
