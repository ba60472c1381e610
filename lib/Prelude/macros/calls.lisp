; Calls that name their types, and pointers.

(defmacro call "(call type function argument ...)" [type function & arguments]
  (if (or (symbol? function) (string? function))
    `(func.call {:callee ~(symbol "@" function) :result ~type} ~@arguments)
    (error "the function is given by its name" function)))

(defmacro call! "(call! function argument ...)" [function & arguments]
  (if (or (symbol? function) (string? function))
    `(func.call {:callee ~(symbol "@" function)} ~@arguments)
    (error "the function is given by its name" function)))

(defmacro vararg-call "(vararg-call type function (-> [argument-type ...] [type]) argument ...)"
  [type function signature & arguments]
  (if (and (list? signature) (= (count signature) 3) (= (first signature) (quote ->)))
    `(llvm.call {:callee ~(symbol "@" function) :result ~type :var_callee_type ~signature} ~@arguments)
    (error "the signature is written (-> [argument-type ...] [type])" signature)))

(defmacro null-ptr "(null-ptr)" [] `(llvm.mlir.zero {:result !llvm.ptr}))
(defmacro null? "(null? pointer)" [pointer]
  `(llvm.icmp {:predicate "eq"} ~pointer (llvm.mlir.zero {:result !llvm.ptr})))

(defmacro ptr-load "(ptr-load type pointer)" [type pointer] `(llvm.load {:result ~type} ~pointer))
(defmacro ptr-store! "(ptr-store! value pointer)" [value pointer] `(llvm.store ~value ~pointer))

; N bytes further. The index of a getelementptr has 32 bits as an attribute and 64 as an operand.
(defmacro ptr-offset "(ptr-offset type pointer bytes)" [type pointer bytes]
  (let [n (if (and (list? bytes) (= (count bytes) 3)) (nth bytes 1) bytes)]
    (cond (not (number? n)) (error "the offset is a number of bytes" bytes)
          (and (> n -2147483648) (<= n 2147483647))
          `(llvm.getelementptr {:elem_type i8 :rawConstantIndices ~(symbol "array<i32: " n ">") :result ~type} ~pointer)
          :else
          `(llvm.getelementptr {:elem_type i8 :rawConstantIndices array<i32: -2147483648> :result ~type} ~pointer
             (: ~n i64)))))

; The address of element i; the least i32 stands for "use the operand".
(defmacro ptr-at "(ptr-at element-type pointer index)" [type pointer index]
  `(llvm.getelementptr {:elem_type ~type :rawConstantIndices array<i32: -2147483648> :result !llvm.ptr} ~pointer
     (cast i64 ~index)))
