; A rank reads its own part of a tensor that a table of load-checkpoint divides: rows, columns, a part of each of joined
; tensors, of transposed ones, and of the layers of a list.
; RUN: %{python} %S/Inputs/numbered.py %t
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s %t | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 --rank-output=all %s %t | FileCheck %s --check-prefix=SECOND
; One rank has all.
; RUN: lispier run %s %t | FileCheck %s --check-prefix=ONE
(require-dialect llvm)
(defmesh [tp])
(defrecord Layer [w (tensor n k f32)] [bias (tensor n f32)])
(defrecord Model [rows (tensor r c f32)] [columns (tensor q s f32)] [joined (tensor j c f32)]
                 [by-row (tensor u v f32)] [by-column (tensor x y f32)] [inner (tensor _ _ _ f32)] [h (list Layer)]
                 [absent (tensor r f32)] [whole (tensor _ c f32)] [term (tensor _ c f32)])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (load-checkpoint Model (ptr-load !llvm.ptr argv)
           {:rows ["a" :split 0 :over tp]
            :columns ["wide" :split 1 :over tp]
            :joined [["a" "b"] :split 0 :over tp]
            :by-row ["turned" :transposed :split 0 :over tp]
            :by-column ["turned" :split 1 :transposed :over [tp]]
            :inner ["cube" :split 1 :over tp]
            :h {:w ["h.{}.w" :split 0 :over tp] :bias ["h.{}.bias" :split 0 :over tp]}
            :absent ["none" :optional :split 0 :over tp]
            :whole "a"
            :term ["a" :first :over tp]}))
  (println (:rows m))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: {{.*}}0 1 2
  ; CHECK-NEXT: {{.*}}3 4 5
  ; SECOND: 1| f32 [2 3]
  ; SECOND-NEXT: 1| {{.*}}6 7 8
  ; SECOND-NEXT: 1| {{.*}}9 10 11
  ; ONE: f32 [4 3]
  (println (:columns m))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: {{.*}}200 201 202
  ; CHECK-NEXT: {{.*}}206 207 208
  ; SECOND: 1| f32 [2 3]
  ; SECOND-NEXT: 1| {{.*}}203 204 205
  ; SECOND-NEXT: 1| {{.*}}209 210 211
  ; ONE: f32 [2 6]
  (println (:joined m))
  ; CHECK: f32 [3 3]
  ; CHECK-NEXT: {{.*}}0 1 2
  ; CHECK-NEXT: {{.*}}3 4 5
  ; CHECK-NEXT: {{.*}}100 101 102
  ; SECOND: 1| f32 [3 3]
  ; SECOND-NEXT: 1| {{.*}}6 7 8
  ; SECOND-NEXT: 1| {{.*}}9 10 11
  ; SECOND-NEXT: 1| {{.*}}103 104 105
  ; ONE: f32 [6 3]
  (println (:by-row m))
  ; CHECK: f32 [1 6]
  ; CHECK-NEXT: {{.*}}300 302 304 306 308 310
  ; SECOND: 1| {{.*}}301 303 305 307 309 311
  ; ONE: f32 [2 6]
  (println (:by-column m))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: {{.*}}300 302 304
  ; CHECK-NEXT: {{.*}}301 303 305
  ; SECOND: 1| {{.*}}306 308 310
  ; SECOND-NEXT: 1| {{.*}}307 309 311
  (println (:inner m))
  ; CHECK: f32 [2 2 3]
  ; CHECK: {{.*}}1000 1001 1002
  ; CHECK: {{.*}}1003 1004 1005
  ; CHECK: {{.*}}1012 1013 1014
  ; CHECK: {{.*}}1015 1016 1017
  ; SECOND: 1006 1007 1008
  ; SECOND: 1021 1022 1023
  (println (:w (:h m)))
  ; CHECK: f32 [2 2 2]
  ; CHECK: {{.*}}600 601
  ; CHECK: {{.*}}700 701
  ; SECOND: 1| {{.*}}604 605
  ; SECOND: 1| {{.*}}704 705
  (println (:bias (:h m)))
  ; CHECK: f32 [2 2]
  ; CHECK: {{.*}}800 801
  ; CHECK: {{.*}}900 901
  ; SECOND: 1| {{.*}}802 803
  ; SECOND: 1| {{.*}}902 903
  (println "%ld %ld" (dim (:absent m) 0) (dim (:whole m) 0))
  ; CHECK: {{^2 4$}}
  ; SECOND: {{^}}1| 2 4
  ; ONE: {{^4 4$}}
  ; What is read so has its placement. The rows of joined tensors, of each of which a rank has a part, may be taken apart
  ; and put together again.
  (def third (/ (dim (:joined m) 0) 3))
  (def [first second] (split (:joined m) [(* 2 third) third] :axis 0))
  (def turned (concat second first :axis 0))
  (println (all-reduce (sum turned :axis 0) :over tp))
  ; CHECK: f32 [3]
  ; CHECK-NEXT: {{.*}}221 227 233
  ; ONE: f32 [3]
  ; ONE-NEXT: {{.*}}221 227 233
  ; What the first rank has and the others have as zeros is a term of a sum over the ranks, as is a product of parts.
  (println (all-reduce (+ (sum (:term m) :axis 0) (sum (:rows m) :axis 0)) :over tp)))
  ; CHECK: f32 [3]
  ; CHECK-NEXT: {{.*}}36 44 52
  ; ONE: f32 [3]
  ; ONE-NEXT: {{.*}}36 44 52
