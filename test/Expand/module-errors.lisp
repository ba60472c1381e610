; RUN: rm -rf %t && split-file %s %t
; RUN: not lispier --emit=core %t/main.lisp 2>&1 >/dev/null | FileCheck %s
; RUN: not lispier --emit=core %t/cycle-a.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=CYCLE
; RUN: not lispier --emit=core %t/macro-cycle-a.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=MACRO-CYCLE
; RUN: not lispier --emit=core %t/twice.lisp 2>&1 >/dev/null | FileCheck %s --check-prefix=TWICE
; RUN: lispier --emit=core %t/sub/rooted.lisp | FileCheck %s --check-prefix=ROOTED

; Where no folder around the file is a project's, as in /tmp.
; RUN: bash -c 'd=$(mktemp -d) && cp %t/rootless.lisp $d && lispier check $d/rootless.lisp; rm -r $d' 2>&1 | FileCheck %s --check-prefix=ROOTLESS

;--- lispier.toml
;--- rootless.lisp
(require ["@absent.lisp" :as a])
; ROOTLESS: rootless.lisp:1:11: error[mod-not-found]: cannot read the file {{.*}}absent.lisp: No such file or directory
; ROOTLESS: hint: "@p" is relative to the project's root, the nearest folder that holds lispier.toml, Cargo.toml or .git; none does
;--- broken.lisp
(defn b [] (
;--- lib.lisp
(defn f [] 1)
(defmacro m [] 1)
;--- main.lisp
(require ["absent.lisp" :as a] "lib.lisp" ["lib.lisp" as m] ["@lib.lisp" :as l] ["broken.lisp" :as b])
(require-macros lib)
(defn g [] (l/ff) (l/m) (b/any))
; CHECK: main.lisp:1:11: error[mod-not-found]: cannot read the file {{.*}}absent.lisp: No such file or directory
; CHECK: main.lisp:1:32: error[macro-shape]: `require` needs a name for the file: `:as` is missing
; CHECK: hint: (require ["./lib/math.lisp" :as m])
; CHECK: main.lisp:1:43: error[macro-shape]: `require` takes a vector for each file
; CHECK: broken.lisp:1:12: error[read-unmatched]
; CHECK: main.lisp:2:17: error[macro-shape]: `require-macros` expects the path of a file, not a symbol
; CHECK: main.lisp:3:13: error[call-unknown]: the file {{.*}}lib.lisp defines no `ff`
; CHECK: hint: did you mean `f`?
; CHECK: main.lisp:3:20: error[call-unknown]: the file {{.*}}lib.lisp defines no `m`
; CHECK: hint: it is a macro there; macros come with (require-macros "...")
; The definitions of a file with wrong brackets are not known, so there are no further messages.
; CHECK-NOT: error[
;--- cycle-a.lisp
(require ["cycle-b.lisp" :as b])
;--- cycle-b.lisp
(require ["cycle-a.lisp" :as a])
; CYCLE: cycle-b.lisp:1:11: error[mod-cycle]: files require each other: {{.*}}cycle-a.lisp -> {{.*}}cycle-b.lisp -> {{.*}}cycle-a.lisp
;--- macro-cycle-a.lisp
(require-macros "macro-cycle-b.lisp")
;--- macro-cycle-b.lisp
(require-macros "macro-cycle-a.lisp")
; MACRO-CYCLE: macro-cycle-b.lisp:1:17: error[mod-cycle]: files require each other's macros
;--- twice.lisp
(require ["lib.lisp" :as l])
(defn f [] 2)
; TWICE: twice.lisp:2:1: error[mod-dup-symbol]: `f` is defined twice, in {{.*}}lib.lisp and in {{.*}}twice.lisp
; TWICE: lib.lisp:1:1: note: the first definition
;--- sub/rooted.lisp
(require ["@lib.lisp" :as l])
(defn g [] (l/f))
; ROOTED: (defn f [] 1)
; ROOTED-NEXT: (defn g [] (f))
