; The words of a kernel that are one op each. Ids and sizes are index.

(defmacro thread-id "(thread-id :x|:y|:z)" [axis]
  (if (or (= axis :x) (= axis :y) (= axis :z))
    `(gpu.thread_id {:dimension ~(symbol (name axis))})
    (error "an axis is :x, :y or :z" axis)))
(defmacro block-id "(block-id :x|:y|:z)" [axis]
  (if (or (= axis :x) (= axis :y) (= axis :z))
    `(gpu.block_id {:dimension ~(symbol (name axis))})
    (error "an axis is :x, :y or :z" axis)))
(defmacro block-dim "(block-dim :x|:y|:z)" [axis]
  (if (or (= axis :x) (= axis :y) (= axis :z))
    `(gpu.block_dim {:dimension ~(symbol (name axis))})
    (error "an axis is :x, :y or :z" axis)))
(defmacro grid-dim "(grid-dim :x|:y|:z)" [axis]
  (if (or (= axis :x) (= axis :y) (= axis :z))
    `(gpu.grid_dim {:dimension ~(symbol (name axis))})
    (error "an axis is :x, :y or :z" axis)))

(defmacro lane-id "(lane-id)" [] `(gpu.lane_id))
(defmacro warp-id "(warp-id)" [] `(gpu.subgroup_id))
(defmacro warp-size "(warp-size)" [] `(gpu.subgroup_size))
(defmacro barrier "(barrier)" [] `(gpu.barrier))

; The value of another lane: of the lane whose number differs in the bits of a mask, of the one so many before or
; after, of one by its number. All lanes of the warp take part.
(defmacro shuffle-xor "(shuffle-xor value mask)" [value mask]
  `(gpu.shuffle {:mode xor} ~value (cast i32 ~mask) (cast i32 (gpu.subgroup_size))))
(defmacro shuffle-up "(shuffle-up value lanes)" [value lanes]
  `(gpu.shuffle {:mode up} ~value (cast i32 ~lanes) (cast i32 (gpu.subgroup_size))))
(defmacro shuffle-down "(shuffle-down value lanes)" [value lanes]
  `(gpu.shuffle {:mode down} ~value (cast i32 ~lanes) (cast i32 (gpu.subgroup_size))))
(defmacro shuffle-from "(shuffle-from value lane)" [value lane]
  `(gpu.shuffle {:mode idx} ~value (cast i32 ~lane) (cast i32 (gpu.subgroup_size))))
