; The gradients of a GPT-2 by its own forward formulas, of two layers, for two texts, in F32 and with weights and
; products of BF16: each of the 16 parameters within 1e-5, or 2e-2, of the largest element of PyTorch's, of F64.
; gpt2-gradients.npy has these, one after the other, as Inputs/gpt2-gradients.py wrote them; weights are computed from
; their numbers, in both.
; RUN: sed 's/KIND/f32/g; s/LIMIT/1e-5/' %s > %t.f32.lisp
; RUN: cd %S/Inputs && lispier run %t.f32.lisp | FileCheck %s
; RUN: sed 's/KIND/bf16/g; s/LIMIT/2e-2/' %s > %t.bf16.lisp
; RUN: cd %S/Inputs && lispier run %t.bf16.lisp | FileCheck %s
; CHECK: loss 3.92{{[13]}}
; CHECK: 16 gradients agree
(defrecord Norm [weight (tensor c KIND)] [bias (tensor c KIND)])
(defrecord Linear [weight (tensor n k KIND)] [bias (tensor n KIND)])
(defrecord Block [norm1 Norm] [qkv Linear] [attention Linear] [norm2 Norm] [expand Linear] [contract Linear])
(defrecord Gpt2 [tokens (tensor v c KIND)] [positions (tensor p c KIND)] [h (list Block)] [norm Norm] [epsilon f32])

(defn norm [x w epsilon]
  (def centered (- x (mean x :axis -1 :keep true)))
  (def variance (mean (* centered centered) :axis -1 :keep true))
  (+ (* (/ centered (sqrt (+ variance epsilon))) (:weight w)) (:bias w)))
(defn rows [x w] (+ (einsum "btk,nk->btn" (cast KIND x) (:weight w) :out f32) (:bias w)))
(defn attention [qkv & {:heads 2}]
  (def [b t d] [(dim qkv 0) (dim qkv 1) (/ (dim qkv 2) (* 3 heads))])
  (def [q k v] (split qkv 3 :axis 2))
  (def scores (/ (einsum "bthd,bshd->bhts" (reshape q [b t heads d]) (reshape k [b t heads d])) (sqrt (cast f32 d))))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def mixed (einsum "bhts,bshd->bthd" (softmax (where seen scores -inf)) (reshape v [b t heads d])))
  (reshape mixed [b t (* heads d)]))
(defn loss-of [(: m Gpt2) (: tokens (tensor b t i32)) (: targets (tensor b t i32))]
  (def embedded
    (+ (cast f32 (embedding (:tokens m) tokens)) (cast f32 (embedding (:positions m) (iota i32 [t])))))
  (def stream
    (fold [x embedded] [w (:h m)]
      (def y (+ x (rows (attention (rows (norm x (:norm1 w) (:epsilon m)) (:qkv w))) (:attention w))))
      (+ y (rows (gelu (rows (norm y (:norm2 w) (:epsilon m)) (:expand w))) (:contract w)))))
  (cross-entropy (einsum "btc,vc->btv" (cast KIND (norm stream (:norm m) (:epsilon m))) (:tokens m) :out f32) targets))

; Element i of parameter number n is (37 i + 11 n) % 101 - 50, times 0.006, and of gains 1 more.
(defn parameter [shape & {:number 0 :shift 0.0}]
  (cast KIND (+ shift (* 0.006 (cast f32 (- (% (+ (* 37 shape) (* 11 number)) 101) 50))))))
(defmacro weights [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number))
(defmacro gains [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number :shift 1.0))
(defn model [] -> Gpt2
  (Gpt2 {:tokens (weights 0 37 16) :positions (weights 1 8 16)
         :h (Block {:norm1 (Norm (gains 2 2 16) (weights 3 2 16)) :qkv (Linear (weights 4 2 48 16) (weights 5 2 48))
                    :attention (Linear (weights 6 2 16 16) (weights 7 2 16))
                    :norm2 (Norm (gains 8 2 16) (weights 9 2 16))
                    :expand (Linear (weights 10 2 64 16) (weights 11 2 64))
                    :contract (Linear (weights 12 2 16 64) (weights 13 2 16))})
         :norm (Norm (gains 14 16) (weights 15 16)) :epsilon (: 1e-5 f32)}))

; The largest difference of a parameter's gradient from the golden one, over the largest of that; it is printed, too.
(defn off [(: all (tensor n f32)) (: golden (tensor n f32)) (: name !llvm.ptr) (: from index) (: count index)]
  (def [own wanted] [(slice all [from] [count]) (slice golden [from] [count])])
  (def part (at (/ (max (abs (- own wanted))) (max (abs wanted)))))
  (println "%-16s %.1e" name part)
  part)
(defn flat [x] (cast f32 (reshape x [_])))

(defn main []
  (def tokens (% (* 7 (iota i32 [16])) 37))
  (def targets (% (+ 5 (* 11 (iota i32 [16]))) 37))
  (def [loss d] (value-and-grad loss-of (model) (reshape tokens [2 8]) (reshape targets [2 8])))
  (println "loss %.6f" (at loss))
  (def golden (load-npy (tensor 7312 f32) "gpt2-gradients.npy"))
  (def all (concat (flat (:tokens d)) (flat (:positions d)) (flat (:weight (:norm1 (:h d))))
                   (flat (:bias (:norm1 (:h d)))) (flat (:weight (:qkv (:h d)))) (flat (:bias (:qkv (:h d))))
                   (flat (:weight (:attention (:h d)))) (flat (:bias (:attention (:h d)))) (flat (:weight (:norm2 (:h d))))
                   (flat (:bias (:norm2 (:h d)))) (flat (:weight (:expand (:h d)))) (flat (:bias (:expand (:h d))))
                   (flat (:weight (:contract (:h d)))) (flat (:bias (:contract (:h d)))) (flat (:weight (:norm d)))
                   (flat (:bias (:norm d)))))
  (def worst
    (max (off all golden (cstring "tokens") 0 592)
         (off all golden (cstring "positions") 592 128)
         (off all golden (cstring "norm1 weight") 720 32)
         (off all golden (cstring "norm1 bias") 752 32)
         (off all golden (cstring "qkv weight") 784 1536)
         (off all golden (cstring "qkv bias") 2320 96)
         (off all golden (cstring "attention weight") 2416 512)
         (off all golden (cstring "attention bias") 2928 32)
         (off all golden (cstring "norm2 weight") 2960 32)
         (off all golden (cstring "norm2 bias") 2992 32)
         (off all golden (cstring "expand weight") 3024 2048)
         (off all golden (cstring "expand bias") 5072 128)
         (off all golden (cstring "contract weight") 5200 2048)
         (off all golden (cstring "contract bias") 7248 32)
         (off all golden (cstring "norm weight") 7280 16)
         (off all golden (cstring "norm bias") 7296 16)))
  (if (< worst LIMIT) (println "16 gradients agree")))
