; Records, field by field. A list of records is one record of stacked tensors, so each field is visited once.

(defmacro each-field
  "(each-field Record f [record ...] argument ... :dimensions 2 :path \"\")"
  [record f records & operands]
  (let [size (- (count operands) (* 2 (count (filter keyword? operands))))
        given (take size operands)
        given-options (drop size operands)
        options (reduce (fn [all i] (assoc all (nth given-options i) (nth given-options (+ i 1)))) {}
                        (range 0 (count given-options) 2))
        path (get options :path)
        wanted (get options :dimensions)]
    `(do
       ~@(apply concat
           (map (fn [field]
                  (let [name (nth field 0)
                        type (nth field 1)
                        inner (if (list? type) (nth type 1) type)
                        parts (map (fn [r] `(~(keyword name) ~r)) records)
                        full (str path name)]
                    (cond (not (nil? (record-fields inner)))
                      [`(each-field ~inner ~f ~(vec parts) ~@given
                                    ~@(if (nil? wanted) [] [:dimensions wanted])
                                    ~@(if (nil? path) [] [:path (str full ".")]))]
                          (and (list? type) (= (first type) (quote tensor))
                               (or (nil? wanted) (= (count type) (+ wanted 2))))
                      [`(~f ~@parts ~@given ~@(if (nil? path) [] [`(cstring ~full)]))]
                          :else [])))
                (record-fields record))))))

(defmacro map-fields "(map-fields Record f record ...)" [record f & records]
  (let [typed (list? record)
        name (if typed (nth record 1) record)
        floats (if typed [(nth record 2)] [])]
    `(~name ~@floats
       ~(reduce (fn [all field]
                  (let [key (keyword (nth field 0))
                        type (nth field 1)
                        inner (if (list? type) (nth type 1) type)
                        parts (map (fn [r] `(~key ~r)) records)]
                    (assoc all key
                      (cond (not (nil? (record-fields inner)))
                        `(map-fields ~(if typed `(record ~inner ~@floats) inner) ~f ~@parts)
                            (list? type) `(~f ~@parts)
                            :else (first parts)))))
                {} (record-fields name)))))
