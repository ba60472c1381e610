; Compiled for a processor with AMX on any machine: sums stay in the eight registers.
; RUN: lispier --emit=asm --cpu=sapphirerapids %s > %t
; RUN: FileCheck %s --input-file=%t --check-prefix=LOOP
; What is stored and loaded is all that the templates store and load; a register that had to make room would add to it.
; RUN: grep -c tilestored %t | FileCheck %s --check-prefix=STORED
; RUN: grep -c tileloadd %t | FileCheck %s --check-prefix=LOADED
; RUN: grep -c tdpbf16ps %t | FileCheck %s --check-prefix=PRODUCTS
; STORED: {{^14$}}
; LOADED: {{^30$}}
; PRODUCTS: {{^36$}}
; The runtime's functions are declared by each file of kernels and by the program: one declaration is meant.
; RUN: not grep lispier_rt_threads_ %t
; A processor without AMX gets none.
; RUN: lispier --emit=asm --cpu=cooperlake %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: tdpbf16ps
; REQUIRES: x86
(require-dialect nn)
(extern-fn lispier_rt_threads (-> [] [i64]))

; High and low parts of x: two tiles of w and four of x are loaded for eight products. Up to 16 tokens take half.
; LOOP-LABEL: __template_nn.linear{{.*}}parallel{{[^:]*}}:
; LOOP-COUNT-4: tilezero
; LOOP: .LBB[[LOOP:[0-9_]+]]:
; LOOP-NOT: {{ldtilecfg|tilezero}}
; LOOP-COUNT-6: tileloadd
; LOOP-NOT: {{ldtilecfg|tilezero|tileloadd}}
; LOOP: j{{[a-z]+}} .LBB[[LOOP]]
; LOOP-COUNT-4: tilestored
(defn linear [(: x "memref<?x?xf32>") (: w "memref<?x?xbf16>") (: out "memref<?x?xf32>")]
  (nn.linear x w [] [] out))

; Scores, and then results: each three products of high and low parts.
(defn attention [(: q memref<?x?x?xf32>) (: k memref<?x?x?xf32>) (: keys memref<?x?x?xf32>) (: values memref<?x?x?xf32>)
                 (: position memref<1xi32>) (: out memref<?x?x?xf32>)]
  (nn.attention q k k keys values position out))
