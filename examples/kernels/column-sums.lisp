;;; column-sums.lisp - the sums of a matrix over its rows, as a tile program: what a bias's gradient is, and what the
;;; partial sums of several programs become. For the ladders beside it.
(require-dialect memref)

; A program adds a part of all rows, with a sum for each place of a block of rows; in the same order each time.
(deftile column-sums {:const [rows columns] :warps 8} [(: m memref<?x?xf32>) (: total memref<?xf32>)]
  (def c (* columns (program-id 0)))
  (def sums (fold [s (zeros f32 [rows columns])] [i 0 (memref.dim m 0) rows] (+ s (load m [i c] [rows columns]))))
  (store (sum sums :axis 0) total [c]))

(defn add-rows [(: m memref<?x?xf32>) (: total memref<?xf32>)]
  (launch column-sums {:grid [(/ (+ (memref.dim m 1) 15) 16)] :const {:rows 128 :columns 16}} m total))
