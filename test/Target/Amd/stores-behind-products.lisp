; A step of a product's loop issues the loads of the next step before its products, and waits for them, and writes them
; to shared memory, after all products; the results are right on the simulator, whose shared memory has no race.
; RUN: lispier --target=rocm:gfx942 --emit=hsaco %s -o %t.hsaco
; RUN: llvm-objdump -d --disassemble-symbols=gemm_64_64_32 %t.hsaco | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s --check-prefix=SUM
; The loop: from a barrier on.
; CHECK: s_barrier
; CHECK: global_load_dwordx4
; CHECK: global_load_dwordx4
; CHECK-NOT: vmcnt
; CHECK-COUNT-8: v_mfma_f32_16x16x16_bf16
; CHECK-NOT: v_mfma
; CHECK: s_waitcnt vmcnt
; CHECK-NEXT: ds_write_b128
; CHECK-NEXT: ds_write_b128
; CHECK-NOT: scratch_
; CHECK-NOT: v_accvgpr
; SUM: 7 6
(require-dialect memref)

(deftile gemm {:const [bm bn bk] :warps 4 :stages 2}
  [(: a memref<128x256xbf16>) (: b memref<128x256xbf16>) (: c memref<128x128xf32>)]
  (def i (* (program-id 0) bm))
  (def j (* (program-id 1) bn))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 256 bk]
           (dot (load a [i k] [bm bk]) (load b [j k] [bn bk]) acc :transpose-b true))
         c [i j]))

(defn main []
  (def places (iota i32 [128 256] :axis 1))
  (def rows (iota i32 [128 1] :axis 0))
  (def a (to-memref (cast bf16 (% (+ places (* 256 rows)) 5))))
  (def b (to-memref (cast bf16 (= (% places 64) (% rows 64)))))
  (def c (to-memref (zeros f32 [128 128])))
  (launch gemm {:grid [2 2] :const {:bm 64 :bn 64 :bk 32}} a b c)
  (println "%g %g" (cast f64 (memref.load c 5 7)) (cast f64 (memref.load c 100 127))))
