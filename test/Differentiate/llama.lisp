; The gradients of a Llama by its own forward formulas, of two layers with two heads of keys for four of queries: each of
; the 12 parameters within 1e-5 of the largest element of PyTorch's, of F64. llama-gradients.npy has these, one after the
; other, as Inputs/llama-gradients.py wrote them; weights are computed from their numbers, in both.
; RUN: cd %S/Inputs && lispier run %s | FileCheck %s
; CHECK: loss 4.26288
; CHECK: 12 gradients agree
(defrecord Block [norm1 (tensor c f32)] [query (tensor c c f32)] [key (tensor g c f32)] [value (tensor g c f32)]
                 [out (tensor c c f32)] [norm2 (tensor c f32)] [gate (tensor f c f32)] [up (tensor f c f32)]
                 [down (tensor c f f32)])
(defrecord Llama [tokens (tensor v c f32)] [h (list Block)] [norm (tensor c f32)] [output (tensor v c f32)])

(defn rows [x w] (einsum "tk,nk->tn" x w))
; [t (h d)] as [h t d], its pairs turned by the place of the token.
(defn heads [x & {:count 4}] (transpose (reshape x [(dim x 0) count (/ (dim x 1) count)]) [1 0 2]))
(defn attention [x (: b Block)]
  (def [t d] [(dim x 0) 4])
  (def q (reshape (rope (heads (rows x (:query b))) 0.0) [2 2 t d]))
  (def k (rope (heads (rows x (:key b)) :count 2) 0.0))
  (def scores (* 0.5 (einsum "grtd,gsd->grts" q k)))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def mixed (einsum "grts,gsd->tgrd" (softmax (where seen scores -inf)) (heads (rows x (:value b)) :count 2)))
  (rows (reshape mixed [t 16]) (:out b)))
(defn loss-of [(: m Llama) (: tokens (tensor t i32)) (: targets (tensor t i32))]
  (def stream
    (fold [x (embedding (:tokens m) tokens)] [b (:h m)]
      (def y (+ x (attention (rms-norm x (:norm1 b)) b)))
      (def z (rms-norm y (:norm2 b)))
      (+ y (rows (* (silu (rows z (:gate b))) (rows z (:up b))) (:down b)))))
  (cross-entropy (rows (rms-norm stream (:norm m)) (:output m)) targets))

; Element i of parameter number n is (37 i + 11 n) % 101 - 50, times 0.006, and of gains 1 more.
(defn parameter [shape & {:number 0 :shift 0.0}]
  (+ shift (* 0.006 (cast f32 (- (% (+ (* 37 shape) (* 11 number)) 101) 50)))))
(defmacro weights [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number))
(defmacro gains [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number :shift 1.0))
(defn model [] -> Llama
  (Llama (weights 0 37 16)
         (Block (gains 1 2 16) (weights 2 2 16 16) (weights 3 2 8 16) (weights 4 2 8 16) (weights 5 2 16 16)
                (gains 6 2 16) (weights 7 2 24 16) (weights 8 2 24 16) (weights 9 2 16 24))
         (gains 10 16) (weights 11 37 16)))

; The largest difference of a parameter's gradient from the golden one, over the largest of that; it is printed, too.
(defn off [(: all (tensor n f32)) (: golden (tensor n f32)) (: name !llvm.ptr) (: from index) (: count index)]
  (def [own wanted] [(slice all [from] [count]) (slice golden [from] [count])])
  (def part (at (/ (max (abs (- own wanted))) (max (abs wanted)))))
  (println "%-16s %.1e" name part)
  part)
(defn flat [x] (reshape x [_]))

(defn main []
  (def tokens (% (* 7 (iota i32 [9])) 37))
  (def targets (% (+ 5 (* 11 (iota i32 [9]))) 37))
  (def [loss d] (value-and-grad loss-of (model) tokens targets))
  (println "loss %.6f" (at loss))
  (def golden (load-npy (tensor 5104 f32) "llama-gradients.npy"))
  (def h (:h d))
  (def all (concat (flat (:tokens d)) (flat (:norm1 h)) (flat (:query h)) (flat (:key h)) (flat (:value h))
                   (flat (:out h)) (flat (:norm2 h)) (flat (:gate h)) (flat (:up h)) (flat (:down h)) (flat (:norm d))
                   (flat (:output d))))
  (def worst
    (max (off all golden (cstring "tokens") 0 592)
         (off all golden (cstring "norm1") 592 32)
         (off all golden (cstring "query") 624 512)
         (off all golden (cstring "key") 1136 256)
         (off all golden (cstring "value") 1392 256)
         (off all golden (cstring "out") 1648 512)
         (off all golden (cstring "norm2") 2160 32)
         (off all golden (cstring "gate") 2192 768)
         (off all golden (cstring "up") 2960 768)
         (off all golden (cstring "down") 3728 768)
         (off all golden (cstring "norm") 4496 16)
         (off all golden (cstring "output") 4512 592)))
  (if (< worst 1e-5) (println "12 gradients agree")))
