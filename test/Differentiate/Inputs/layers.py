"""layers.py N: a program with the gradient of N layers, one after the other."""
import sys

count = int(sys.argv[1])
print("(defn layer [x w b] (+ x (gelu (linear (layer-norm x b b) w b))))")
print("(defn loss [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32)) (: b (tensor 8 f32))]")
for i in range(count):
    print(f"  (def x{i + 1} (layer {'x' if i == 0 else f'x{i}'} w b))")
print(f"  (mean x{count}))")
print("(defn gradient [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32)) (: b (tensor 8 f32))]")
print("  (def [l dx dw db] (value-and-grad loss x w b :wrt [0 1 2]))\n  [dx dw db])")
