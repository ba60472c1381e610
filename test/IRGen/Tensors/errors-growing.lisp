; What people write who come from languages where a shape is a value: the messages say what to write here.
; RUN: not lispier check %s 2>&1 | FileCheck %s

(defn grow [(: n index)]
  ; CHECK: :[[#@LINE+3]]:5: error[type-mismatch]: the next value of `fold` is
  ; CHECK: hint: a loop carries tensors of one shape: begin with the final size, (zeros type [size ...]), and put each part in its place: (update tensor part [offset ...])
  (fold [a (zeros f32 [0])] [i 0 n]
    (concat a (full f32 [1] (cast f32 i)))))

(defn filled [(: shape index)]
  ; CHECK: :[[#@LINE+2]]:14: error[tensor-size]: `zeros` takes the sizes of a tensor, not shape
  ; CHECK: hint: sizes stand in a vector one by one, [n m]: a function takes each as a parameter, (: n index), or names the sizes of a tensor, (: x (tensor n m f32))
  (zeros f32 shape))

; What they mean, as it is written here.
; CHECK-NOT: error
(defn grown [(: n index)]
  (fold [a (zeros f32 [n])] [i 0 n]
    (update a (full f32 [1] (cast f32 i)) [i])))
(defn main [] (println (grown 3)))
