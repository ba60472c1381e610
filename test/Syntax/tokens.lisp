; RUN: lispier --emit=forms %s | FileCheck %s

; Commas are white space outside <>; all three kinds of comment vanish.
; CHECK: (a b c)
(a, b #| block #| nested |# |# c) ; line
; CHECK-NEXT: (kept)
(#_(dropped [x]) kept #_#_ two forms)

; The text of a number stays as written, less its separators, until a type is known.
; CHECK-NEXT: (9007199254740993 -5 0.5 1e-5 -1E+30 0x1F 0b101 1000000)
(9007199254740993 -5 0.5 1e-5 -1E+30 0x1F 0b101 1_000_000)
; A minus is part of a number only when a digit follows.
; CHECK-NEXT: (- 5 x-5 -x +5)
(- 5 x-5 -x +5)

; CHECK-NEXT: ("a\nb\t\"\\\0" "Aé" "two\nlines")
("a\nb\t\"\\\0" "\x41\u{e9}" "two
lines")

; CHECK-NEXT: {:llvm.emit_c_interface true :drop-unit-dims nil :x [1 {:y :z}]}
{:llvm.emit_c_interface true, :drop-unit-dims nil, :x [1 {:y :z}]}

; A colon alone is a symbol; a label keeps its `^`, `-` included.
; CHECK-NEXT: ((: 1 i64) ^bb0 ^loop-body)
((: 1 i64) ^bb0 ^loop-body)

; Operators with a first `<` are no types; `/` may begin a name, `#` end one, `&` stand alone.
; CHECK-NEXT: (< <i <=i <= << >i >=i -> ptr->memref /i / %ui x# & ...)
(< <i <=i <= << >i >=i -> ptr->memref /i / %ui x# & ...)

; CHECK-NEXT: (quasiquote (a (unquote b) (unquote-splice c) (quasiquote (unquote (unquote d)))))
`(a ~b ~@c `~~d)
