"""A training step from Python: value-and-grad in a function of a few lines, on weights that this program owns.

    PYTHONPATH=python python3 examples/python/train.py

Two layers learn which of two moons a point lies on (examples/tour/15-gradients.lisp).
"""
import lispier
import numpy as np

m = lispier.source("""
(defrecord Mlp [w1 (tensor h 2 f32)] [b1 (tensor h f32)] [w2 (tensor 2 h f32)] [b2 (tensor 2 f32)])
(defn loss-of [(: m Mlp) (: points (tensor n 2 f32)) (: labels (tensor n i32))]
  (cross-entropy (linear (tanh (linear points (:w1 m) (:b1 m))) (:w2 m) (:b2 m)) labels))
(defn step "The loss, and the weights after a step of gradient descent."
  [(: m Mlp) (: points (tensor n 2 f32)) (: labels (tensor n i32)) (: rate f32)]
  (def [loss d] (value-and-grad loss-of m points labels))
  [loss (- (:w1 m) (* rate (:w1 d))) (- (:b1 m) (* rate (:b1 d)))
        (- (:w2 m) (* rate (:w2 d))) (- (:b2 m) (* rate (:b2 d)))])
(export step)""")
random = np.random.default_rng(0)
labels = random.integers(0, 2, 256).astype(np.int32)
angle, side = np.pi * random.random(256), 1 - 2 * labels
points = np.stack([side * np.cos(angle) + labels / 2, side * np.sin(angle) - side / 4], 1).astype(np.float32)
names = ("w1", "b1", "w2", "b2")
weights = [random.standard_normal(shape).astype(np.float32) for shape in ((16, 2), (16,), (2, 16), (2,))]
for i in range(1001):
    loss, *weights = m.step(dict(zip(names, weights)), points, labels, 0.5)
    if i % 250 == 0:
        print(f"step {i}: loss {loss:.4f}")
