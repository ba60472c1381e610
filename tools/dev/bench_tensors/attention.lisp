;;; attention.lisp - times of attention's gradients; attention gpu|small prints a line for each, and the largest
;;; error of each result.
(require-dialect memref gpu)
(require ["./cases.lisp" :as cases] ["../bench_tiles/timing.lisp" :as timing]
         ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])
(require-macros "./cases.lisp" "../../../examples/kernels/device-time.lisp")

;; Of packed heads: rows are tokens of b texts, columns those of h heads.
(defn all-scores [q k] (/ (einsum "bthd,bshd->bhts" q k :out f32) (sqrt (cast f32 (dim q 3)))))
(defn causal-scores [q k]
  (def t (dim q 1))
  (where (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)) (all-scores q k) -inf))

;; From the scores s.
(defn backward [s do o q k v lse]
  (def p (exp (- s lse)))
  (def delta (stack (transpose (sum (* (cast f32 do) (cast f32 o)) :axis -1) [0 2 1]) :axis -1))
  (def ds (cast bf16 (/ (* p (- (einsum "bthd,bshd->bhts" do v :out f32) delta)) (sqrt (cast f32 (dim q 3))))))
  [(cast bf16 (einsum "bhts,bshd->bthd" ds k :out f32)) (cast bf16 (einsum "bhts,bthd->bshd" ds q :out f32))
   (cast bf16 (einsum "bhts,bthd->bshd" (cast bf16 p) do :out f32))])

;; In plain loops of F32: the weight of position s for token i of a head whose columns begin at `head`, and the gradient
;; of that score. The sums of the forward pass, `lse`, have a row for each head.
(defmacro weight [d q k lse head i s]
  `(exp (- (/ (fold [a# (: 0.0 f32)] [x# ~head (+ ~head ~d)]
                (+ a# (* (cast f32 (memref.load ~q ~i x#)) (cast f32 (memref.load ~k ~s x#)))))
              (sqrt (cast f32 (: ~d index))))
           (+ 4.0 ~lse))))
(defmacro change [d do o v head i s]
  `(/ (fold [a# (: 0.0 f32)] [x# ~head (+ ~head ~d)]
        (+ a# (* (cast f32 (memref.load ~do ~i x#))
                 (- (cast f32 (memref.load ~v ~s x#)) (cast f32 (memref.load ~o ~i x#))))))
      (sqrt (cast f32 (: ~d index)))))

;; mask: causal or all. Results and sums of the forward pass are random, too: formulas of it would be computed together
;; with those of the gradients.
(defmacro backward-case [mask b t h d]
  (let [n (* b t) c (* h d) scores (symbol (str mask "-scores")) is-causal (= mask (quote causal))]
    `(with-tensors [[q bf16 ~n ~c 1] [k bf16 ~n ~c 2] [v bf16 ~n ~c 3] [do bf16 ~n ~c 4] [o bf16 ~n ~c 5]
                    [lse f32 ~(* b h) ~t 6] [dq bf16 ~n ~c 7] [dk bf16 ~n ~c 8] [dv bf16 ~n ~c 9]]
       (measure-do ~(str "attention backward, " mask ", " b " " t " " h " " d) 20
         (let [qs (reshape (load q) [~b ~t ~h ~d]) ks (reshape (load k) [~b ~t ~h ~d])
               vs (reshape (load v) [~b ~t ~h ~d]) dos (reshape (load do) [~b ~t ~h ~d])
               os (reshape (load o) [~b ~t ~h ~d]) sums (+ 4.0 (reshape (load lse) [~b ~h ~t 1]))
               [a b c] (backward (~scores qs ks) dos os qs ks vs sums)]
           (store (reshape a [~n ~c]) dq)
           (store (reshape b [~n ~c]) dk)
           (store (reshape c [~n ~c]) dv)))
       (largest-error [e i ~n j ~c]
         (def text (* ~t (/ i ~t)))
         (def head (* ~d (/ j ~d)))
         (def l (memref.load lse (+ (* ~h (/ i ~t)) (/ j ~d)) (- i text)))
         (def end ~(if is-causal (quote (+ i 1)) `(+ text ~t)))
         (cases/difference
           (fold [sum (: 0.0 f32)] [s text end]
             (+ sum (* (weight ~d q k l head i s) (change ~d do o v head i s) (cast f32 (memref.load k s j)))))
           (cast f32 (memref.load dq i j))))
       (largest-error [e s ~n j ~c]
         (def text (* ~t (/ s ~t)))
         (def head (* ~d (/ j ~d)))
         (def [k-sum v-sum] (fold [k-sum (: 0.0 f32) v-sum (: 0.0 f32)]
                                  [i ~(if is-causal (quote s) (quote text)) (+ text ~t)]
           (def p (weight ~d q k (memref.load lse (+ (* ~h (/ s ~t)) (/ j ~d)) (- i text)) head i s))
           [(+ k-sum (* p (change ~d do o v head i s) (cast f32 (memref.load q i j))))
            (+ v-sum (* p (cast f32 (memref.load do i j))))]))
         (max (cases/difference k-sum (cast f32 (memref.load dk s j)))
              (cases/difference v-sum (cast f32 (memref.load dv s j))))))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def wanted (options/wanted (cstring "gpu or small") (options/word count words (: 0 i64))))
  (on "gpu"
    (backward-case causal 2 4096 16 128)
    (backward-case causal 4 4096 16 128)
    (backward-case all 1 4096 16 128)
    (backward-case causal 8 1024 12 64)
    (backward-case causal 32 1024 12 64)
    (backward-case causal 4 4096 16 64))
  (on "small"
    (backward-case causal 2 96 2 32)
    (backward-case all 1 64 3 32)))
