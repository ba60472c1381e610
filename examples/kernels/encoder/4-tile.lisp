; Encoder, step 4: a tile program.
;
; One program handles some tokens and channels: gather takes the rows of the table that a tile of tokens names. The
; compiler chooses which thread has which channels, and finds the vectors of step 3 itself; it also handles a C that
; is no multiple of the tile, which step 3 does not.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref)
(require ["./encoder.lisp" :as encoder] ["../ladder.lisp" :as ladder])
(require-macros "./encoder.lisp" "../ladder.lisp")

(deftile encode {:const [size] :warps 4}
  [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def n (program-id 0))
  (def c (* size (program-id 1)))
  (def token (cast index (memref.load tokens n)))
  (store (+ (load table [token c] [1 size]) (load positions [(% n (memref.dim positions 0)) c] [1 size])) y [n c]))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch encode {:grid [(memref.dim tokens 0) (/ (+ (memref.dim table 1) 1023) 1024)] :const {:size 1024}}
          tokens table positions y))

; CHECK: ok
(define-encoder step)
