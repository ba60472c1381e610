; Passes that a pass runs on the functions that need them are in the printed list, as its options, and the IR is printed
; after them.
; RUN: lispier --emit=target --print-pipeline %s -o %t 2>&1 | FileCheck %s
; CHECK: lispier-bufferize-tensors{{{.*}}deallocation={func.func(ownership-based-buffer-deallocation{
; CHECK-SAME: buffer-deallocation-simplification)}
; CHECK-SAME: lowering={builtin.module(bufferization-lower-deallocations,convert-bufferization-to-memref,cse,canonicalize{
; CHECK-SAME: outlining={builtin.module(gpu-kernel-outlining{
; CHECK-SAME: simplification={func.func(canonicalize{
; CHECK: lispier-lower-host-vectors{reductions={func.func(lower-vector-multi-reduction{
; CHECK-SAME: transfers={func.func(convert-vector-to-scf{
; CHECK-SAME: lispier-convert-host-vectors{functions={builtin.module(func.func(convert-vector-to-llvm{
; CHECK-SAME: whole={builtin.module(convert-vector-to-llvm{
; RUN: lispier --emit=ptx --target=cuda:sm_90a --print-pipeline %s -o %t 2>&1 | FileCheck %s --check-prefix=GPU
; GPU: lispier-schedule-groups{{{.*}}trial={builtin.module({{.*}}lispier-distribute-tiles
; GPU: lispier-vectors-to-llvm{conversion={gpu.module(lispier-shared-vectors,convert-vector-to-llvm{
; GPU-SAME: lispier-flatten-locations,lispier-nest-module,builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}),lispier-unnest-modules
; RUN: lispier --emit=group:scaled_0 --print-pipeline %s -o %t 2>&1 | FileCheck %s --check-prefix=GROUP
; GROUP: lispier-isolate-group{{{.*}}},builtin.module(lispier-bufferize-tensors{
; GROUP-SAME: ,func.func(convert-linalg-to-loops)),lispier-unnest-modules

; The pass that runs them is printed after these.
; RUN: lispier --emit=target --print-ir-after=bufferization-lower-deallocations --print-ir-after=lispier-bufferize-tensors %s -o %t 2>&1 | FileCheck %s --check-prefix=AFTER
; AFTER: IR Dump After {{.*}}bufferization-lower-deallocations
; AFTER: linalg.generic
; AFTER: IR Dump After {{.*}}lispier-bufferize-tensors
; AFTER-NOT: IR Dump After

; A pass that no function here needs is in the list; what is no pass is not, such as an option's value.
; RUN: lispier --emit=target --print-ir-after=lower-vector-multi-reduction %s -o %t 2>&1 | count 0
; RUN: not lispier --emit=target --print-ir-after=inner-parallel %s -o %t 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: error[pass-unknown]: the pass `inner-parallel` does not run here

; Options take other passes.
; RUN: lispier --emit=module %s -o - | lispier-opt -lispier-bufferize-tensors='lowering=builtin.module(cse,lispier-attach-target{target=sim})' | FileCheck %s --check-prefix=OTHERS
; OTHERS: device.target = "sim"

(defn scaled [(: x (tensor n 4 f32)) (: y (tensor 4 f32))]
  (* 2.0 (+ x y)))
