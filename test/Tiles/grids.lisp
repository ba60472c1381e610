; A grid may be empty, as data may be. A negative size is an error, on the CPU too, where no runtime sees the launch.
; RUN: not lispier run --target=cpu %s 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU
; RUN: not lispier run --target=sim %s 2>&1 | FileCheck %s --check-prefixes=CHECK,SIM
(require-dialect memref)
(deftile scale {:const [n]} [(: a memref<?xf32>) (: s f32)]
  (def i (* n (program-id 0)))
  (store (* s (load a [i] [n])) a [i]))
; CHECK: 2 2
; CPU: :[[#@LINE+10]]:3: error[cpu-launch]: grid (-1, 1, 1): sizes must be positive
; SIM: :[[#@LINE+9]]:3: error[sim-launch]: grid (-1, 1, 1) of blocks (1, 1, 1): sizes must be positive
; CHECK: note: in the launch of kernel `scale_128`
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def a (memref.alloc {:result memref<?xf32>} (: 1000 index)))
  (for [i 0 1000] (memref.store 1.0 a i))
  (launch scale {:grid [8] :const {:n 128}} a 2.0)
  (launch scale {:grid [0] :const {:n 128}} a 2.0)
  (println "%g %g" (memref.load a 0) (memref.load a 999))
  (def size (- (cast index argc) 1))
  (launch scale {:grid [size] :const {:n 128}} a 2.0))
