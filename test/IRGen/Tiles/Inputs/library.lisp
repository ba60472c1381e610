; A file that test/IRGen/Tiles/constants.lisp requires.
(deftile filled {:const [n]} [(: m memref<?xf32>)]
  (store (full f32 [n] 1.0) m [0]))
