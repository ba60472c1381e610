;;; progress.lisp - what a training program tells: a line for a step, log.tsv, loss.svg, and Ctrl-C.
;;;
;;;     (def p (progress/start-progress (cstring "run1") step steps tokens-of-a-step operations-of-a-step))
;;;     (progress/tell-step p step loss norm rate)  ; after each step, or each tenth: prints, and adds to run1/log.tsv
;;;     (progress/tell-validation p step loss)      ; and draws run1/loss.svg
;;;     (when (progress/stop-asked?) ...)           ; after Ctrl-C: save, and end; the second Ctrl-C ends at once
;;;
;;; A line: step 120/18865 | loss 6.4312 (-0.0213) | norm 0.81 | lr 5.1e-5 | 59.7 ms | 549k tok/s
;;; | 44.8 % of 989 TFLOP/s | 33.4 GB | 2 h 10 min left

(require-dialect func arith llvm math)
(require ["../gpt2/options.lisp" :as options])
(require-macros "../gpt2/options.lisp")

(extern-fn lispier_catch_interrupt (-> [] []))
(extern-fn lispier_interrupted (-> [] [i32]))
(extern-fn lispier_device_name (-> [] [!llvm.ptr]))
(extern-fn lispier_memory_used (-> [] [i64]))
(extern-fn fopen (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn fprintf (-> [!llvm.ptr !llvm.ptr ...] [i32]))
(extern-fn fflush (-> [!llvm.ptr] [i32]))
(extern-fn fclose (-> [!llvm.ptr] [i32]))
(extern-fn getline (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [i64]))
(extern-fn strsep (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn strstr (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn strdup (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn rename (-> [!llvm.ptr !llvm.ptr] [i32]))
(extern-fn mkdir (-> [!llvm.ptr i32] [i32]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn realloc (-> [!llvm.ptr i64] [!llvm.ptr]))
(extern-fn free (-> [!llvm.ptr] []))

(defstruct Progress
  [folder !llvm.ptr] [log !llvm.ptr]
  [steps i64] [tokens f64] [operations f64]     ; of a step
  [peak f64]                                    ; TFLOP/s of the device; 0: not known
  [last-step i64] [last-time f64] [last-loss f64]
  [pace f64])                                   ; seconds of a step, smoothed

;; --- the device -------------------------------------------------------------

;; Dense products of BF16 by the data sheet, TFLOP/s; the first part of a product's name that fits counts.
(defmacro peak-by-name [name & rows]
  (if (empty? rows)
      `(: 0.0 f64)
      `(if (null? (strstr ~name (cstring ~(first rows))))
           (peak-by-name ~name ~@(drop 2 rows))
           (: ~(nth rows 1) f64))))

(defn peak-of [(: name !llvm.ptr)] -> f64
  (peak-by-name name "H100 PCIe" 756.0 "H100" 989.0 "H200" 989.0 "GH200" 989.0 "B200" 2250.0 "A100" 312.0 "L40S" 362.0
                     "RTX 4090" 165.0 "MI300X" 1307.0 "MI325X" 1307.0))

(defn stop-asked? [] -> i1 (!= (lispier_interrupted) (: 0 i32)))

;; --- log.tsv ----------------------------------------------------------------

(defn path-in [(: p !llvm.ptr) (: name !llvm.ptr)] -> !llvm.ptr
  (def path (malloc (: 4096 i64)))
  (snprintf path (: 4096 i64) (cstring "%s/%s") (Progress/folder p) name)
  path)

(defn opened-file [(: path !llvm.ptr) (: mode !llvm.ptr)] -> !llvm.ptr
  (def file (fopen path mode))
  (when (null? file) (die "%s: cannot be opened: %s" path (reason)))
  file)

(defn replace-file [(: file !llvm.ptr) (: made !llvm.ptr) (: path !llvm.ptr)]
  "Puts a file that has been written in the place of another one."
  (def full (or (!= (fflush file) (: 0 i32)) (!= (fclose file) (: 0 i32))))
  (when (or full (!= (rename made path) (: 0 i32)))
    (dprintf (: 2 i32) (cstring "warning: %s cannot be written: %s\n") path (reason))))

;; Calls `body` for the lines of a file, each as a pointer that `body` may change.
(defmacro for-lines [line file & body]
  `(let [place# (malloc (: 16 i64))
         size# (ptr-offset !llvm.ptr place# 8)]
     (ptr-store! (null-ptr) place#)
     (ptr-store! (: 0 i64) size#)
     (loop [got# (getline place# size# ~file)] :while (>= got# (: 0 i64))
       :do (do
         (let [~line (ptr-load !llvm.ptr place#)] ~@body)
         (getline place# size# ~file)))
     (free (ptr-load !llvm.ptr place#))
     (free place#)))

(defn open-log [(: p !llvm.ptr) (: from i64)]
  "Opens log.tsv: a new one for a new run, else with the lines up to the step at which the run goes on."
  (def path (path-in p (cstring "log.tsv")))
  (def made (path-in p (cstring "log.tsv.tmp")))
  (def out (opened-file made (cstring "w")))
  (fprintf out (cstring "step\tloss\tvalidation\tnorm\tlr\tms\ttokens/s\n"))
  (def old (if (> from (: 0 i64)) (fopen path (cstring "r")) (null-ptr)))
  (when (not (null? old))
    (for-lines line old
      (def number (strtol line (null-ptr) (: 10 i32)))
      (when (and (> number (: 0 i64)) (<= number from))
        (fprintf out (cstring "%s") line)
        (do)))
    (fclose old)
    (do))
  (replace-file out made path)
  (Progress/log! p (opened-file path (cstring "a")))
  (free path)
  (free made))

(defn start-progress [(: folder !llvm.ptr) (: from i64) (: steps i64) (: tokens i64) (: operations f64)] -> !llvm.ptr
  "Begins to tell of a run that has `from` steps behind it and ends after `steps`, without a folder (null) by its lines
alone. Ctrl-C is only noted from now on."
  (def name (lispier_device_name))
  (def p (new Progress (null-ptr) (null-ptr) steps (cast f64 tokens) operations (peak-of name) from (seconds)
              (: nan f64) (: 0.0 f64)))
  (when (not (null? folder))
    (Progress/folder! p (strdup folder))
    (mkdir folder (: 511 i32))
    (open-log p from))
  (lispier_catch_interrupt)
  p)

;; --- a line -----------------------------------------------------------------

(defn write-rate [(: out !llvm.ptr) (: rate f64)]
  "5.1e-5, as people write it."
  (def exponent (if (> rate (: 0.0 f64)) (floor (/ (log rate) (log (: 10.0 f64)))) (: 0.0 f64)))
  (def digits (/ rate (pow (: 10.0 f64) exponent)))
  (def next (>= digits (: 9.95 f64)))
  (snprintf out (: 32 i64) (cstring "%.1fe%d") (if next (: 1.0 f64) digits)
            (+ (cast i32 exponent) (cast i32 next)))
  (func.return))

(defn write-scaled [(: out !llvm.ptr) (: number f64) (: kilo !llvm.ptr) (: mega !llvm.ptr) (: giga !llvm.ptr)]
  "A number with three digits or so, and the unit of its thousands."
  (def [unit size]
    (if {:result [!llvm.ptr f64]} (>= number (: 1e9 f64)) [giga (: 1e9 f64)]
        (if {:result [!llvm.ptr f64]} (>= number (: 1e6 f64)) [mega (: 1e6 f64)] [kilo (: 1e3 f64)])))
  (def scaled (/ number size))
  (snprintf out (: 32 i64) (if (< scaled (: 100.0 f64)) (cstring "%.1f%s") (cstring "%.0f%s")) scaled unit)
  (func.return))

(defn write-time [(: out !llvm.ptr) (: left f64)]
  (def minutes (cast i64 (/ left (: 60.0 f64))))
  (if (>= minutes (: 60 i64))
      (snprintf out (: 32 i64) (cstring "%ld h %ld min") (/ minutes (: 60 i64)) (% minutes (: 60 i64)))
      (if (>= minutes (: 1 i64))
          (snprintf out (: 32 i64) (cstring "%ld min %ld s") minutes (% (cast i64 left) (: 60 i64)))
          (snprintf out (: 32 i64) (cstring "%ld s") (cast i64 left))))
  (func.return))

(defn tell-step [(: p !llvm.ptr) (: step i64) (: loss f64) (: norm f64) (: rate f64)]
  "Prints the line of a step (from 1 on), and adds it to log.tsv. Times are since the last line, a mean of its steps."
  (def now (seconds))
  (def taken (/ (- now (Progress/last-time p)) (cast f64 (max (: 1 i64) (- step (Progress/last-step p))))))
  (def before (Progress/pace p))
  (Progress/pace! p (if (= before (: 0.0 f64)) taken (+ before (* (: 0.1 f64) (- taken before)))))
  (def speed (/ (Progress/tokens p) taken))
  (def text (malloc (: 160 i64)))
  (def [lr per-second memory left]
    [text (ptr-offset !llvm.ptr text 32) (ptr-offset !llvm.ptr text 64) (ptr-offset !llvm.ptr text 96)])
  (write-rate lr rate)
  (write-scaled per-second speed (cstring "k") (cstring "M") (cstring "G"))
  (write-scaled memory (cast f64 (lispier_memory_used)) (cstring " KB") (cstring " MB") (cstring " GB"))
  (write-time left (* (Progress/pace p) (cast f64 (- (Progress/steps p) step))))
  (def change (- loss (Progress/last-loss p)))
  (dprintf (: 1 i32) (cstring "step %ld/%ld | loss %.4f (%+.4f) | norm %.2f | lr %s | %.1f ms | %s tok/s") step
           (Progress/steps p) loss (if (= change change) change (: 0.0 f64)) norm lr (* (: 1e3 f64) taken) per-second)
  (when (> (Progress/peak p) (: 0.0 f64))
    (dprintf (: 1 i32) (cstring " | %.1f %% of %.0f TFLOP/s")
             (/ (* (: 1e-10 f64) (Progress/operations p)) (* taken (Progress/peak p))) (Progress/peak p))
    (do))
  (dprintf (: 1 i32) (cstring " | %s | %s left\n") memory left)
  (when (not (null? (Progress/log p)))
    (fprintf (Progress/log p) (cstring "%ld\t%.6f\t\t%.6g\t%.6g\t%.3f\t%.0f\n") step loss norm rate
             (* (: 1e3 f64) taken) speed)
    (fflush (Progress/log p))
    (do))
  (free text)
  (Progress/last-step! p step)
  (Progress/last-loss! p loss)
  (Progress/last-time! p now))

(defn skip-time [(: p !llvm.ptr)]
  "The time since the last line is not that of steps: an evaluation, a checkpoint."
  (Progress/last-time! p (seconds)))

;; --- loss.svg ---------------------------------------------------------------

(defstruct Curve [count i64] [x !llvm.ptr] [y !llvm.ptr])

(defn add-point [(: c !llvm.ptr) (: x f64) (: y f64)]
  (def n (Curve/count c))
  (when (= (bit-and n (- n 1)) 0) ; 0, or a power of two
    (def bytes (* (: 16 i64) (max (: 1 i64) n)))
    (Curve/x! c (realloc (Curve/x c) bytes))
    (Curve/y! c (realloc (Curve/y c) bytes)))
  (ptr-store! x (ptr-at f64 (Curve/x c) n))
  (ptr-store! y (ptr-at f64 (Curve/y c) n))
  (Curve/count! c (+ n 1)))

(defn point-y [(: c !llvm.ptr) (: i i64)] -> f64 (ptr-load f64 (ptr-at f64 (Curve/y c) i)))
(defn point-x [(: c !llvm.ptr) (: i i64)] -> f64 (ptr-load f64 (ptr-at f64 (Curve/x c) i)))

(defn read-curves [(: path !llvm.ptr) (: train !llvm.ptr) (: validation !llvm.ptr)]
  (def file (opened-file path (cstring "r")))
  (def rest (malloc (: 8 i64)))
  (for-lines line file
    (ptr-store! line rest)
    (def step (strtod (strsep rest (cstring "\t")) (null-ptr)))
    (for [column 0 2]
      (def field (strsep rest (cstring "\t")))
      (when (not (null? field))
        (def value (strtod field (null-ptr)))
        ;; A NaN is above nothing; the heading is 0.
        (when (> value (: 0.0 f64)) (add-point (if (= column 0) train validation) step value)))))
  (free rest)
  (fclose file)
  (func.return))

(defn smoothed-curve [(: c !llvm.ptr)] -> !llvm.ptr
  "A running mean over a fiftieth of the points."
  (def out (new Curve (: 0 i64) (null-ptr) (null-ptr)))
  (def window (+ (: 1 i64) (/ (Curve/count c) (: 50 i64))))
  (fold [mean (: 0.0 f64)] [i 0 (cast index (Curve/count c))]
    (def weight (/ (: 1.0 f64) (cast f64 (+ (: 1 i64) (min (cast i64 i) window)))))
    (def next (+ mean (* weight (- (point-y c (cast i64 i)) mean))))
    (add-point out (point-x c (cast i64 i)) next)
    next)
  out)

(defn free-curve [(: c !llvm.ptr)] (free (Curve/x c)) (free (Curve/y c)) (free c))

;; The plot is 800 x 400, with the axes' numbers left of x = 60 and below y = 360.
(defstruct Plot [file !llvm.ptr] [last f64] [low f64] [high f64])

(defn plot-y [(: plot !llvm.ptr) (: y f64)] -> f64
  (- (: 360.0 f64) (/ (* (: 330.0 f64) (- y (Plot/low plot))) (- (Plot/high plot) (Plot/low plot)))))

(defn draw-curve [(: plot !llvm.ptr) (: c !llvm.ptr) (: style !llvm.ptr)]
  (fprintf (Plot/file plot) (cstring "<polyline fill='none' %s points='") style)
  (def stride (+ (: 1 i64) (/ (Curve/count c) (: 1000 i64))))
  (for [i 0 (cast index (Curve/count c)) (cast index stride)]
    (def x (+ (: 60.0 f64) (/ (* (: 720.0 f64) (point-x c (cast i64 i))) (Plot/last plot))))
    (fprintf (Plot/file plot) (cstring "%.1f,%.1f ") x (plot-y plot (point-y c (cast i64 i))))
    (do))
  (fprintf (Plot/file plot) (cstring "'/>\n"))
  (func.return))

(defn range-of [(: plot !llvm.ptr) (: c !llvm.ptr)]
  (for [i 0 (cast index (Curve/count c))]
    (Plot/low! plot (min (Plot/low plot) (point-y c (cast i64 i))))
    (Plot/high! plot (max (Plot/high plot) (point-y c (cast i64 i))))
    (Plot/last! plot (max (Plot/last plot) (point-x c (cast i64 i))))))

(defn draw-axes [(: plot !llvm.ptr)]
  (for [i 0 6]
    (def part (/ (cast f64 i) (: 5.0 f64)))
    (def y (+ (Plot/low plot) (* part (- (Plot/high plot) (Plot/low plot)))))
    (fprintf (Plot/file plot) (cstring "<path d='M60 %.1fH780' stroke='#ddd'/>\n") (plot-y plot y))
    (fprintf (Plot/file plot) (cstring "<text x='52' y='%.1f' text-anchor='end'>%.2f</text>\n")
             (+ (: 4.0 f64) (plot-y plot y)) y)
    (fprintf (Plot/file plot) (cstring "<text x='%.1f' y='380' text-anchor='middle'>%.0f</text>\n")
             (+ (: 60.0 f64) (* (: 720.0 f64) part)) (* part (Plot/last plot)))
    (do)))

(defn draw-log [(: p !llvm.ptr)]
  "Draws log.tsv as loss.svg: the loss of the steps, pale, and smoothed, and that of the validation."
  (def [log path made] [(path-in p (cstring "log.tsv")) (path-in p (cstring "loss.svg"))
                        (path-in p (cstring "loss.svg.tmp"))])
  (def [train validation] [(new Curve (: 0 i64) (null-ptr) (null-ptr)) (new Curve (: 0 i64) (null-ptr) (null-ptr))])
  (read-curves log train validation)
  (def smooth (smoothed-curve train))
  (def out (opened-file made (cstring "w")))
  (def plot (new Plot out (: 1.0 f64) (: 1e9 f64) (: 0.0 f64)))
  (range-of plot smooth)
  (range-of plot validation)
  (when (>= (Plot/low plot) (Plot/high plot)) (Plot/low! plot (- (Plot/high plot) (: 1.0 f64))))
  (fprintf out (cstring "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 800 400'
     font-family='sans-serif' font-size='12'>
<rect width='800' height='400' fill='white'/>
<clipPath id='plot'><rect x='60' y='20' width='720' height='345'/></clipPath>\n"))
  (draw-axes plot)
  (fprintf out (cstring "<g clip-path='url(#plot)'>\n"))
  (draw-curve plot train (cstring "stroke='#9ec5e8'"))
  (draw-curve plot smooth (cstring "stroke='#1f77b4' stroke-width='2'"))
  (draw-curve plot validation (cstring "stroke='#d62728' stroke-width='2'"))
  (fprintf out (cstring "</g>
<text x='600' y='40' fill='#1f77b4'>loss, smoothed</text>
<text x='600' y='58' fill='#d62728'>validation</text>
</svg>\n"))
  (replace-file out made path)
  (free-curve train) (free-curve validation) (free-curve smooth)
  (free plot) (free log) (free path) (free made))

(defn draw-loss [(: p !llvm.ptr)] (when (not (null? (Progress/log p))) (draw-log p)))

(defn tell-validation [(: p !llvm.ptr) (: step i64) (: loss f64)]
  (dprintf (: 1 i32) (cstring "step %ld/%ld | validation loss %.4f\n") step (Progress/steps p) loss)
  (when (not (null? (Progress/log p)))
    (fprintf (Progress/log p) (cstring "%ld\t\t%.6f\t\t\t\t\n") step loss)
    (fflush (Progress/log p))
    (draw-log p))
  (skip-time p))
