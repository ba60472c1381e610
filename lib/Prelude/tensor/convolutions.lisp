; Convolutions and pooling along the last one, two or three axes. :stride, :padding and :dilation are a number, or one
; for each of these axes, [s t]. A bias is added after: (+ (conv2d x w) (reshape b [_ 1 1])).

(defn conv1d
  "The sum over c, i of x[b c (p stride + i dilation - padding)] w[o c i]. x: [b c n], zeros around; w: [o c/groups k];
  the result is [b o (n + 2 padding - dilation (k - 1) - 1) / stride + 1]. Of :groups g > 1, each g-th part of the c is
  summed for the same g-th part of the o."
  [x w & {:stride 1 :padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (if (= groups 1)
    (einsum "bcpi,oci->bop" (windows x [k] :stride stride :pad padding :dilation dilation) w)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2)])
          y (einsum "bgcpi,goci->bgop" (windows parts [k] :stride stride :pad padding :dilation dilation)
                    (reshape w [groups _ (dim w 1) k]))]
      (reshape y [(dim y 0) _ (dim y 3)]))))

(defn conv2d "As conv1d, of two axes. x: [b c n m]; w: [o c/groups k l]. LeCun et al. 1989."
  [x w & {:stride 1 :padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (def l (dim w 3))
  (if (= groups 1)
    (einsum "bcpqij,ocij->bopq" (windows x [k l] :stride stride :pad padding :dilation dilation) w)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2) (dim x 3)])
          y (einsum "bgcpqij,gocij->bgopq" (windows parts [k l] :stride stride :pad padding :dilation dilation)
                    (reshape w [groups _ (dim w 1) k l]))]
      (reshape y [(dim y 0) _ (dim y 3) (dim y 4)]))))

(defn conv3d "As conv1d, of three axes. x: [b c n m r]; w: [o c/groups k l s]."
  [x w & {:stride 1 :padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (def l (dim w 3))
  (def s (dim w 4))
  (if (= groups 1)
    (einsum "bcpqrijh,ocijh->bopqr" (windows x [k l s] :stride stride :pad padding :dilation dilation) w)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2) (dim x 3) (dim x 4)])
          y (einsum "bgcpqrijh,gocijh->bgopqr" (windows parts [k l s] :stride stride :pad padding :dilation dilation)
                    (reshape w [groups _ (dim w 1) k l s]))]
      (reshape y [(dim y 0) _ (dim y 3) (dim y 4) (dim y 5)]))))

(defn conv-transpose1d
  "The gradient of conv1d by its first operand, for a y of the shape of its result: x[b c p] w[c o i] is added to place
  p stride + i dilation - padding. x: [b c n]; w: [c o/groups k]; the result is
  [b o (n - 1) stride - 2 padding + dilation (k - 1) + output-padding + 1]."
  [x w & {:stride 1 :padding 0 :output-padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (def turned (flip w :axis 2))
  (if (= groups 1)
    (einsum "bcpi,coi->bop"
            (windows x [k] :spread stride :crop padding :extra output-padding :dilation dilation) turned)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2)])
          y (einsum "bgcpi,gcoi->bgop"
                    (windows parts [k] :spread stride :crop padding :extra output-padding :dilation dilation)
                    (reshape turned [groups _ (dim w 1) k]))]
      (reshape y [(dim y 0) _ (dim y 3)]))))

(defn conv-transpose2d "As conv-transpose1d, of two axes. x: [b c n m]; w: [c o/groups k l]."
  [x w & {:stride 1 :padding 0 :output-padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (def l (dim w 3))
  (def turned (flip (flip w :axis 2) :axis 3))
  (if (= groups 1)
    (einsum "bcpqij,coij->bopq"
            (windows x [k l] :spread stride :crop padding :extra output-padding :dilation dilation) turned)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2) (dim x 3)])
          y (einsum "bgcpqij,gcoij->bgopq"
                    (windows parts [k l] :spread stride :crop padding :extra output-padding :dilation dilation)
                    (reshape turned [groups _ (dim w 1) k l]))]
      (reshape y [(dim y 0) _ (dim y 3) (dim y 4)]))))

(defn conv-transpose3d "As conv-transpose1d, of three axes. x: [b c n m r]; w: [c o/groups k l s]."
  [x w & {:stride 1 :padding 0 :output-padding 0 :dilation 1 :groups 1}]
  (def k (dim w 2))
  (def l (dim w 3))
  (def s (dim w 4))
  (def turned (flip (flip (flip w :axis 2) :axis 3) :axis 4))
  (if (= groups 1)
    (einsum "bcpqrijh,coijh->bopqr"
            (windows x [k l s] :spread stride :crop padding :extra output-padding :dilation dilation) turned)
    (let [parts (reshape x [(dim x 0) groups _ (dim x 2) (dim x 3) (dim x 4)])
          y (einsum "bgcpqrijh,gcoijh->bgopqr"
                    (windows parts [k l s] :spread stride :crop padding :extra output-padding :dilation dilation)
                    (reshape turned [groups _ (dim w 1) k l s]))]
      (reshape y [(dim y 0) _ (dim y 3) (dim y 4) (dim y 5)]))))

(defn max-pool1d
  "The greatest number of each window of :size along the last axis, one at each :stride-th place (_: the size). x:
  [... n] of floats; the result is [... (n + 2 padding - dilation (size - 1) - 1) / stride + 1]."
  [x & {:size 2 :stride _ :padding 0 :dilation 1}]
  (max (windows x size :axes [-1] :stride stride :pad padding :dilation dilation :value -inf) :axis -1))

(defn max-pool2d "As max-pool1d, of the last two axes. x: [... n m]."
  [x & {:size 2 :stride _ :padding 0 :dilation 1}]
  (max (windows x size :axes [-2 -1] :stride stride :pad padding :dilation dilation :value -inf) :axes [-2 -1]))

(defn max-pool3d "As max-pool1d, of the last three axes. x: [... n m r]."
  [x & {:size 2 :stride _ :padding 0 :dilation 1}]
  (max (windows x size :axes [-3 -2 -1] :stride stride :pad padding :dilation dilation :value -inf)
       :axes [-3 -2 -1]))

(defn avg-pool1d
  "The mean of each window of :size along the last axis, one at each :stride-th place (_: the size), zeros around among
  them. x: [... n]; the result is [... (n + 2 padding - size) / stride + 1]."
  [x & {:size 2 :stride _ :padding 0}]
  (mean (windows x size :axes [-1] :stride stride :pad padding) :axis -1))

(defn avg-pool2d "As avg-pool1d, of the last two axes. x: [... n m]." [x & {:size 2 :stride _ :padding 0}]
  (mean (windows x size :axes [-2 -1] :stride stride :pad padding) :axes [-2 -1]))

(defn avg-pool3d "As avg-pool1d, of the last three axes. x: [... n m r]." [x & {:size 2 :stride _ :padding 0}]
  (mean (windows x size :axes [-3 -2 -1] :stride stride :pad padding) :axes [-3 -2 -1]))
