; Where sizes are known, --explain says how long a device takes at least for what a kernel reads and writes, and for what
; it computes: a GPU by its data sheet, also a simulated one, or any by --speed.
; RUN: lispier --emit=tiles --explain --speed=1000,2,4 --sizes=t=512,c=1024,n=2048 %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --explain --target=cuda:sm_80 --speed=1000,2,4 --sizes=t=512,c=1024,n=2048 %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --explain --target=sim:sm_80 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHEET
; RUN: lispier --emit=tiles --explain %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not="at least"
; RUN: not lispier run --speed=1000,2 %s 2>&1 | FileCheck %s --check-prefix=ALONE
; RUN: not lispier run --explain --speed=fast %s 2>&1 | FileCheck %s --check-prefix=WRONG
; RUN: not lispier --emit=tiles --explain --sizes=n0=many %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
; NUMBER: a size is written as n0=512, not as `n0=many`
; ALONE: `--speed` is for `--explain`
; WRONG: --speed

; Units work side by side, so that a kernel takes at least the longest of their times. Bytes at 10^12 a second; an
; exponential is an instruction of a unit of its own, or a formula of at least 8 operations.
; CHECK: kernel exponentials_0, elementwise
; CHECK-NEXT: reads 4194304 bytes, writes 4194304 bytes, work of 16777216 additions
; CHECK-NEXT: at least 8.39 us for the bytes at 1000 GB/s, 4.19 us for the operations at 0.25e12 a second
; SHEET: kernel exponentials_0, elementwise
; SHEET-NEXT: reads 4194304 bytes
; SHEET-NEXT: at least 4.11 us for the bytes at 2039 GB/s, 0.43 us for the exponentials at 2.44e12 a second
; NONE: kernel exponentials_0
(defn exponentials [(: x (tensor 1024 1024 f32))] (exp x))

; Products: 2 M N K operations, of 16-bit factors 4 x 10^12 a second. Hand-written kernels have these times, too.
; CHECK: kernel product_0, nn.linear
; CHECK: reads 2 c n + 2 c t bytes, writes 4 n t bytes
; CHECK-SAME: work of 2 c n t additions
; CHECK-NEXT: at least 9.44 us for the bytes at 1000 GB/s, 537 us for the products at 4e12 a second
; SHEET: kernel product_0
; SHEET-NOT: at least
(defn product [(: x (tensor t c bf16)) (: w (tensor n c bf16))] (einsum "tk,nk->tn" x w :out f32))

; An F32 factor is two BF16 terms, or F32 instructions, whichever are more a second: here 2 x 10^12. The other factor is
; exact, so that with 8 x 10^12 it takes two products and not three.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_80 --speed=1000,2,8 --sizes=t=512,c=1024,n=2048 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TERMS
; TERMS: kernel exact_0
; TERMS: at least 10.5 us for the bytes at 1000 GB/s, 537 us for the products at 4e12 a second
; CHECK: kernel exact_0
; CHECK: at least 10.5 us for the bytes at 1000 GB/s, 1.07e+03 us for the operations at 2e12 a second
; SHEET: kernel exact_0
(defn exact [(: x (tensor t c f32)) (: w (tensor n c bf16))] (einsum "tk,nk->tn" x (cast f32 w)))

; A gather reads as many elements as it takes, not the table: here 2048 rows of 64.
; CHECK: kernel rows_0, elementwise
; CHECK-NEXT: reads 260 n bytes, writes 256 n bytes
; CHECK-NEXT: at least 1.06 us for the bytes at 1000 GB/s
; SHEET: kernel rows_0
(defn rows [(: x (tensor r 64 f32)) (: i (tensor n i32))] (* 2.0 (embedding x i)))

; A multiplication and an addition can be one instruction, two of the operations that a device's speed counts; what
; compares, chooses or converts can be part of another. Here 2 operations and an exponential an element, and no more.
; RUN: lispier --emit=tiles --explain --target=sim:sm_80 --speed=1000,2,4,1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNITS
; UNITS: kernel scaled_0, elementwise
; UNITS-NEXT: reads 4194304 bytes, writes 2097152 bytes
; UNITS-NEXT: at least 6.29 us for the bytes at 1000 GB/s, 1.05 us for the operations at 2e12 a second, 1.05 us for the exponentials at 1e12 a second
(defn scaled [(: x (tensor 1024 1024 f32))] (cast bf16 (where (> x 0.0) (+ 1.0 (* 3.0 (exp x))) x)))
