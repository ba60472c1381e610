; Launches of tile programs.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
(deftile p {:const [bm bn]} [(: m memref<?x?xf32>)] (store (zeros f32 [bm bn]) m [0 0]))
(deftile q [(: m memref<?xf32>)] (store (zeros f32 [4]) m [0]))
(defn main [(: m memref<?x?xf32>) (: n index)]
  ; CHECK: :[[#@LINE+3]]:31: error[tile-constant]: the constant `bn` of `p` has no value
  ; CHECK: :[[#@LINE-4]]:1: note: `p` is defined here
  ; CHECK: hint: write :const {:bn value}; its constants are :bm, :bn
  (launch p {:grid [1] :const {:bm 4}} m)
  ; CHECK: :[[#@LINE+3]]:3: error[tile-constant]: the constant `bm` of `p` has no value
  ; CHECK: :[[#@LINE-8]]:1: note: `p` is defined here
  ; CHECK: hint: write :const {:bm value}; its constants are :bm, :bn
  (launch p {:grid [1]} m)
  ; CHECK: :[[#@LINE+3]]:44: error[tile-constant]: `p` has no constant `bk`
  ; CHECK: :[[#@LINE-12]]:1: note: `p` is defined here
  ; CHECK: hint: its constants are :bm, :bn
  (launch p {:grid [1] :const {:bm 4 :bn 4 :bk 4}} m)
  ; CHECK: :[[#@LINE+3]]:32: error[tile-constant]: `q` has no constant `bm`
  ; CHECK: :[[#@LINE-15]]:1: note: `q` is defined here
  ; CHECK: hint: it has none
  (launch q {:grid [1] :const {:bm 4}} m)
  ; CHECK: :[[#@LINE+2]]:36: error[tile-constant]: the constant `bm` of `p` is known only when the program runs
  ; CHECK: hint: list the values that it may have: {:bm (n :among [64 128])}
  (launch p {:grid [1] :const {:bm n :bn 4}} m)
  ; CHECK: :[[#@LINE+2]]:36: error[tile-constant]: the constant `bm` of `p` is known only when the program runs
  ; CHECK: hint: list the values that it may have: {:bm (memref.dim m 0 :among [64 128])}
  (launch p {:grid [1] :const {:bm (memref.dim m 0) :bn 4}} m)
  ; CHECK: :[[#@LINE+1]]:36: error[tile-constant]: the constant `bm` is 3 here, which is not among [4 8]
  (launch p {:grid [1] :const {:bm (min 3 5 :among [4 8]) :bn 4}} m)
  ; CHECK: :[[#@LINE+1]]:46: error[tile-constant]: the values of a constant are a vector of numbers, not []
  (launch p {:grid [1] :const {:bm (n :among []) :bn 4}} m)
  ; CHECK: :[[#@LINE+1]]:49: error[tile-constant]: the value 4 is there twice
  (launch p {:grid [1] :const {:bm (n :among [4 4]) :bn 4}} m)
  ; CHECK: :[[#@LINE+1]]:49: error[tile-constant]: a value of a constant is a number, not n
  (launch p {:grid [1] :const {:bm (n :among [4 n]) :bn 4}} m)
  ; CHECK: :[[#@LINE+2]]:31: error[tile-constant]: `:const` of a launch is a map, not a vector
  ; CHECK: hint: write :const {:name value}
  (launch p {:grid [1] :const [4 4]} m)
  ; CHECK: :[[#@LINE+3]]:24: error[tile-launch]: `:block` of a launch of the tile program `p`: its threads and their memory are the compiler's
  ; CHECK: :[[#@LINE-37]]:1: note: `p` is defined here
  ; CHECK: hint: the keys are :grid and :const; :warps of deftile says how many warps a block has
  (launch p {:grid [1] :block [128] :const {:bm 4 :bn 4}} m)
  ; CHECK: :[[#@LINE+3]]:24: error[tile-launch]: `:shared` of a launch of the tile program `p`: its threads and their memory are the compiler's
  ; CHECK: :[[#@LINE-41]]:1: note: `p` is defined here
  ; CHECK: hint: the keys are :grid and :const; :warps of deftile says how many warps a block has
  (launch p {:grid [1] :shared 128 :const {:bm 4 :bn 4}} m)
  ; CHECK: :[[#@LINE+1]]:20: error[kernel-shape]: a launch has one to three sizes, x first, not 4
  (launch p {:grid [1 1 1 1] :const {:bm 4 :bn 4}} m)
  ; CHECK: :[[#@LINE+2]]:36: error[type-literal-range]: `1.5` is no integer, and the type is index
  ; CHECK: hint: write an integer, or a float type such as f32
  (launch p {:grid [1] :const {:bm 1.5 :bn 4}} m)
  ; CHECK: :[[#@LINE+2]]:3: error[call-arity]: the kernel `p` takes 1 arguments, not 0
  ; CHECK: :[[#@LINE-50]]:1: note: `p` is defined here: (memref<?x?xf32>) -> ()
  (launch p {:grid [1] :const {:bm 4 :bn 4}})
  ; CHECK: :[[#@LINE+2]]:46: error[call-type]: argument 1 of the kernel `p` has type index, not memref<?x?xf32>
  ; CHECK: :[[#@LINE-53]]:1: note: `p` is defined here: (memref<?x?xf32>) -> ()
  (launch p {:grid [1] :const {:bm 4 :bn 4}} n)
  ; CHECK: :[[#@LINE+2]]:11: error[kernel-unknown]: there is no kernel `pp`
  ; CHECK: hint: did you mean `p`?
  (launch pp {:grid [1] :const {:bm 4 :bn 4}} n)
  ; CHECK: :[[#@LINE+2]]:14: error[kernel-shape]: `launch` does not know `:gird`
  ; CHECK: hint: its keys are :grid, :const
  (launch p {:gird [1] :const {:bm 4 :bn 4}} m))
