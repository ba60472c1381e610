(defn rows "Softmax of each row." [(: x (tensor n c f32))] (softmax x))
(defn mlp "Has a temporary tensor." [(: x (tensor t k f32)) (: w (tensor n k f32)) (: v (tensor k n f32))]
  (einsum "tn,kn->tk" (gelu (einsum "tk,nk->tn" x w)) v))
(defn grown "Returns what a loop ends with." [(: x (tensor n f32)) (: k index)] (fold [a x] [i 0 k] (* a 1.5)))
(defn chosen "Reads a number of the device." [(: x (tensor n f32)) (: i (tensor 1 i32))]
  (if (> (at i 0) 0) (* x 2.0) (* x 3.0)))
(defn looked-up "Has a constant." [(: rows (tensor n i32))] (gather (: [1.0 2.0 5.0 3.0] (tensor 4 f32)) rows))
