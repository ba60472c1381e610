(defn shares [(: x (tensor r c f32))] (/ x (sum x :axis -1 :keep true)))
