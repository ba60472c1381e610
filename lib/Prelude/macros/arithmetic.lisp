; Arithmetic that names its kind: i signed, ui unsigned, f floating point.
; The bare + - * / % and comparisons ask the operands instead.

(defmacro +i "(+i a b)" [a b] `(arith.addi ~a ~b))
(defmacro -i "(-i a b)" [a b] `(arith.subi ~a ~b))
(defmacro *i "(*i a b)" [a b] `(arith.muli ~a ~b))
(defmacro /i "(/i a b)" [a b] `(arith.divsi ~a ~b))
(defmacro /ui "(/ui a b)" [a b] `(arith.divui ~a ~b))
(defmacro %i "(%i a b)" [a b] `(arith.remsi ~a ~b))
(defmacro %ui "(%ui a b)" [a b] `(arith.remui ~a ~b))

(defmacro +f "(+f a b)" [a b] `(arith.addf ~a ~b))
(defmacro -f "(-f a b)" [a b] `(arith.subf ~a ~b))
(defmacro *f "(*f a b)" [a b] `(arith.mulf ~a ~b))
(defmacro /f "(/f a b)" [a b] `(arith.divf ~a ~b))

(defmacro <=i "(<=i a b)" [a b] `(arith.cmpi {:predicate "sle"} ~a ~b))
(defmacro <i "(<i a b)" [a b] `(arith.cmpi {:predicate "slt"} ~a ~b))
(defmacro >=i "(>=i a b)" [a b] `(arith.cmpi {:predicate "sge"} ~a ~b))
(defmacro >i "(>i a b)" [a b] `(arith.cmpi {:predicate "sgt"} ~a ~b))
(defmacro =i "(=i a b)" [a b] `(arith.cmpi {:predicate "eq"} ~a ~b))
(defmacro !=i "(!=i a b)" [a b] `(arith.cmpi {:predicate "ne"} ~a ~b))

; False when an operand is NaN; !=f is true then.
(defmacro <=f "(<=f a b)" [a b] `(arith.cmpf {:predicate "ole"} ~a ~b))
(defmacro <f "(<f a b)" [a b] `(arith.cmpf {:predicate "olt"} ~a ~b))
(defmacro >=f "(>=f a b)" [a b] `(arith.cmpf {:predicate "oge"} ~a ~b))
(defmacro >f "(>f a b)" [a b] `(arith.cmpf {:predicate "ogt"} ~a ~b))
(defmacro =f "(=f a b)" [a b] `(arith.cmpf {:predicate "oeq"} ~a ~b))
(defmacro !=f "(!=f a b)" [a b] `(arith.cmpf {:predicate "une"} ~a ~b))
