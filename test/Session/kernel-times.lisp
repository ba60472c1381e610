; --explain with --trace prints how long each kernel's runs took, and puts them into the trace; also a program from the
; cache, on the simulator, and on a device, where steps are then launched one by one.
; RUN: rm -rf %t && mkdir %t && cp %s %t/p.lisp
; RUN: env LISPIER_CACHE_DIR=%t/cache LISPIER_CACHE=1 lispier run --explain --speed=1000,2 --trace=%t/a.json %t/p.lisp >%t/out 2>%t/first
; RUN: env LISPIER_CACHE_DIR=%t/cache LISPIER_CACHE=1 lispier run --explain --speed=1000,2 --trace=%t/b.json -v %t/p.lisp >%t/out 2>%t/second
; RUN: FileCheck %s --input-file=%t/first --check-prefixes=TIMES,LIMIT
; RUN: FileCheck %s --input-file=%t/second --check-prefixes=CACHED,TIMES,LIMIT
; RUN: %{python} -m json.tool %t/b.json >/dev/null
; RUN: FileCheck %s --input-file=%t/a.json --check-prefix=TRACE
; RUN: FileCheck %s --input-file=%t/b.json --check-prefix=TRACE
; RUN: lispier run --target=sim:sm_80 --explain --trace=%t/c.json %s 2>&1 | FileCheck %s --check-prefixes=TIMES,LIMIT
; RUN: %with-fake-drivers LISPIER_FAKE_KERNELS=1 LISPIER_FAKE_LOG=%t/log lispier run --target=rocm --explain --speed=1000,2 --trace=%t/d.json %s 2>&1 | FileCheck %s --check-prefixes=TIMES,LIMIT
; RUN: FileCheck %s --input-file=%t/d.json --check-prefix=DEVICE
; RUN: FileCheck %s --input-file=%t/log --check-prefix=CALLS
;
; Without a speed there is no limit, without --explain nothing is timed, and a program that is timed is not the one in
; the cache.
; RUN: lispier run --explain --trace=%t/e.json %s 2>&1 | FileCheck %s --check-prefix=TIMES --implicit-check-not="limit"
; RUN: env LISPIER_CACHE_DIR=%t/cache LISPIER_CACHE=1 lispier run --explain --speed=1000,2 -v %t/p.lisp 2>&1 | FileCheck %s --check-prefix=PLAIN
; PLAIN-NOT: {{from the cache|runs}}
; RUN: lispier --emit=loops %s -o - | FileCheck %s --check-prefix=NONE
; NONE-NOT: group.begin
; RUN: lispier --emit=loops --explain --trace=%t/f.json %s -o - 2>/dev/null | FileCheck %s --check-prefix=CODE
;
; The code of a kernel is between the two ops, and that of its ops still one loop.
; CODE: group.begin "main_0"
; CODE-NEXT: scf.parallel
; CODE-NOT: scf.parallel
; CODE: group.end
;
; CACHED: from the cache
; TIMES-DAG: kernel main_0, elementwise: line
; TIMES-DAG: kernel main_1, row: line
; TIMES: kernels as they were run
; TIMES-NEXT: {{^}}  main_0: 4 runs, {{[0-9.e+-]+}} us in all, {{[0-9.e+-]+}} us each, {{[0-9.e+-]+}} GB/s
; LIMIT-SAME: ; at least {{[0-9.e+-]+}} us, {{[0-9.e+-]+}} % of the device's limit
; TIMES-NEXT: {{^}}  main_1: 1 run, {{[0-9.e+-]+}} us in all, {{[0-9.e+-]+}} GB/s
; TRACE-COUNT-4: "cat":"kernel run","name":"main_0",{{.*}},"args":{"bytes":16384,"least_us":{{[0-9.]+}}}}
; TRACE: "cat":"kernel run","name":"main_1"
;
; CALLS-NOT: hipStreamBeginCapture
; CALLS: hipModuleLaunchKernel
; CALLS-NOT: hipStreamBeginCapture
; DEVICE: "cat":"kernel","name":"main_0{{.*}},"tid":1000000000
; DEVICE: "cat":"kernel run","name":"main_0",{{.*}},"tid":1000000000,"args":{"bytes":16384,"least_us":{{[0-9.]+}}}}
(require-dialect linalg memref)
(defn halve [(: x (inout (tensor 64 32 f32)))] (update x (* 0.5 (exp x)) [0 0]))
(defn main []
  (def x (device-alloc memref<64x32xf32> []))
  (for [i 0 4] (replayable (linalg.fill 0.0 x) (halve x)))
  (println (sum (load x) :axis 1)))
