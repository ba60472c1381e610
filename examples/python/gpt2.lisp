;;; GPT-2's forward pass as a library: the formulas of examples/gpt2/model.lisp, with weights and cache of the caller.
(require ["../gpt2/model.lisp" :as model])

(defn next-logits
  "The logits after the last of `tokens`, of which the first is at `position` of the text. Keys and values have those of
  the tokens before, and get those of the new ones."
  [(: g Generator) (: keys (inout (tensor l h s d f32))) (: values (inout (tensor l h s d f32)))
   (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (model/forward g keys values tokens position))
