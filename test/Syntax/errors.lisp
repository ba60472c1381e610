; Every message of the reader, with its place; reading goes on after each.
; RUN: split-file %s %t
; RUN: not lispier --emit=forms %t/chars.lisp 2>&1 >%t/chars.out | FileCheck %s --check-prefix=CHARS --match-full-lines --strict-whitespace
; RUN: not lispier --emit=forms %t/strings.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=STRINGS
; RUN: not lispier --emit=forms %t/numbers.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=NUMBERS
; RUN: not lispier --emit=forms %t/angles.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=ANGLES
; RUN: not lispier --emit=forms %t/brackets.lisp 2>&1 >%t/brackets.out | FileCheck %s --check-prefix=BRACKETS
; RUN: FileCheck %s --check-prefix=RECOVERED <%t/brackets.out
; RUN: not lispier --emit=forms %t/missing.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSING
; RUN: not lispier --emit=forms %t/maps.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=MAPS
; RUN: not lispier --emit=forms %t/dialects.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=DIALECTS
; RUN: not lispier --emit=forms %t/many.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=MANY
; RUN: not lispier --emit=forms %t/long.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=LONG --strict-whitespace
; RUN: not lispier --emit=core %t/brackets.lisp 2>&1 | FileCheck %s --check-prefix=BRACKETS

;--- chars.lisp
(a 'b)
("é" é $)
(x#y)
(&rest)
(.5)
#| never closed
; CHARS:{{.*}}chars.lisp:1:4: error[lex-char]: unexpected character `'`
; CHARS-NEXT:  (a 'b)
; CHARS-NEXT:     ^
; CHARS-NEXT:hint: write (quote x), or `x for a template
; CHARS-NEXT:{{.*}}chars.lisp:2:7: error[lex-char]: the name `é` has letters beyond ASCII
; The caret counts characters, not bytes.
; CHARS-NEXT:  ("é" é $)
; CHARS-NEXT:       ^
; CHARS-NEXT:hint: names are of a to z, A to Z, digits and _-!?*+=<>@%./; strings and comments may hold any letter
; CHARS-NEXT:{{.*}}chars.lisp:2:10: error[lex-char]: unexpected character `$`
; CHARS-NEXT:  ("é" é $)
; CHARS-NEXT:         ^
; CHARS:{{.*}}chars.lisp:3:3: error[lex-char]: `#` may only end a name
; CHARS:{{.*}}chars.lisp:4:2: error[lex-char]: unexpected character `&`
; CHARS:hint: in a macro's parameters `&` stands alone: [a b & rest]
; CHARS:{{.*}}chars.lisp:5:2: error[lex-char]: a name cannot begin with `.`
; CHARS:hint: write 0.5
; CHARS:{{.*}}chars.lisp:6:1: error[lex-char]: unclosed `#|` comment

;--- strings.lisp
("bad \q \x4 \u{110000}")
(print "never closed)
(after)
; STRINGS: strings.lisp:1:7: warning[lex-string]: unknown escape `\q` is just `q`
; STRINGS: strings.lisp:1:10: error[lex-string]: `\x` needs two hexadecimal digits
; STRINGS: strings.lisp:1:14: error[lex-string]: `\u{...}` needs the hexadecimal number of a Unicode character
; The string is taken to end with its line, so that only its own bracket is missing.
; STRINGS: strings.lisp:2:8: error[lex-string]: unterminated string
; STRINGS-NEXT: (print {{.}}never closed)
; STRINGS-NEXT: {{^         \^$}}
; STRINGS-NEXT: strings.lisp:2:1: error[read-unmatched]: `(` is never closed
; STRINGS-NOT: error[

;--- numbers.lisp
(1e 1_ 0x 12ab 1.5.5 0b2)
; NUMBERS: numbers.lisp:1:2: error[lex-number]: malformed number `1e`
; NUMBERS: numbers.lisp:1:5: error[lex-number]: malformed number `1_`
; NUMBERS: numbers.lisp:1:8: error[lex-number]: malformed number `0x`
; NUMBERS: numbers.lisp:1:11: error[lex-number]: malformed number `12ab`
; NUMBERS: numbers.lisp:1:16: error[lex-number]: malformed number `1.5.5`
; NUMBERS: numbers.lisp:1:22: error[lex-number]: malformed number `0b2`
; NUMBERS: hint: numbers look like 12, -3, 0.5

;--- angles.lisp
(f memref<4xf32)
(g a<b) (h !llvm.array<4 ; comment
)
(i memref<3x
; ANGLES: angles.lisp:1:10: error[lex-angle]: unclosed `<` in type literal
; ANGLES-NEXT: (f memref<4xf32)
; ANGLES-NEXT: {{^           \^$}}
; ANGLES-NEXT: hint: inside a name `<` opens an MLIR type or attribute; to compare, put a space before it
; ANGLES: angles.lisp:2:5: error[lex-angle]
; ANGLES: angles.lisp:2:23: error[lex-angle]
; ANGLES: angles.lisp:4:10: error[lex-angle]
; ANGLES: angles.lisp:4:1: error[read-unmatched]: `(` is never closed

;--- brackets.lisp
(a [b c) ]
(d `) ~
; BRACKETS: brackets.lisp:1:4: error[read-unmatched]: `[` is never closed, or closed by the wrong bracket
; BRACKETS: brackets.lisp:1:8: note: this `)` closes a form around it
; BRACKETS: brackets.lisp:1:10: error[read-unmatched]: `]` closes nothing
; BRACKETS: brackets.lisp:2:4: error[read-unmatched]: ``` needs a form after it
; BRACKETS: brackets.lisp:2:7: error[read-unmatched]: `~` needs a form after it
; RECOVERED: (a [b c])
; RECOVERED-NEXT: (d)

;--- missing.lisp
(defn f []
  (g (h x)
(defn k [] 1)
; The place is the innermost open bracket, and the next form is read on its own.
; MISSING: missing.lisp:2:3: error[read-unmatched]: `(` is never closed
; MISSING: missing.lisp:3:1: note: a new form seems to start here
; MISSING: missing.lisp:1:1: note: the form that it is part of
; MISSING-NOT: error[

;--- maps.lisp
({:a 1 :a 2} {b 1} {:c})
; MAPS: maps.lisp:1:8: error[read-map-dup]: the key `:a` is given twice
; MAPS: maps.lisp:1:3: note: first given here
; MAPS: maps.lisp:1:15: error[read-map-key]: a map key must be a keyword, this is a symbol
; MAPS: maps.lisp:1:21: error[read-map-key]: the key `:c` has no value

;--- dialects.lisp
(require-dialect aritn [scf :az s])
(arith.addi) (arith.subi) (llvn.load) (s/for) (aritn.addi) (scf.)
; DIALECTS: dialects.lisp:1:18: error[read-dialect]: unknown dialect `aritn`
; DIALECTS: hint: did you mean `arith`?
; DIALECTS: dialects.lisp:1:24: error[read-dialect]: expected a dialect's name or [name :as alias]
; A missing dialect is reported once, where it is first used.
; DIALECTS: dialects.lisp:2:2: error[read-dialect]: the dialect `arith` is used but not required
; DIALECTS: hint: did you forget (require-dialect arith)?
; DIALECTS: dialects.lisp:2:28: error[read-dialect]: unknown dialect `llvn`
; DIALECTS: hint: did you mean `llvm`?
; DIALECTS: dialects.lisp:2:61: error[read-dialect]: `scf.` names no op
; DIALECTS-NOT: error[

;--- many.lisp
' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' ' '
; MANY-COUNT-20: error[lex-char]
; MANY-NOT: error[
; MANY: and 3 more errors

;--- long.lisp
(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa $)
; Only what is around the place is shown of a long line.
; LONG: long.lisp:1:[[#]]: error[lex-char]
; LONG-NEXT: {{^  \.\.\.a{99} \$\)$}}
; LONG-NEXT: {{^ {105}\^$}}
