"""Attention with ALiBi (Press et al. 2022) as an operator of PyTorch with gradients, beside PyTorch's own formulas.

    PYTHONPATH=python python3 examples/python/alibi.py

Scores fall with the distance of the key. The five formulas are one kernel, which keeps no matrix of scores, and their
gradient is derived. On a GPU if PyTorch finds one.
"""
import lispier
import lispier.torch
import torch

m = lispier.source("""
(defn alibi [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32)) (: slopes (tensor h f32))]
  (def back (- (iota f32 [t 1] :axis 0) (iota f32 [1 s] :axis 1)))
  (def scores (- (/ (einsum "htd,hsd->hts" q k) (sqrt (cast f32 d))) (* (reshape slopes [h 1 1]) back)))
  (einsum "hts,hsd->htd" (softmax (where (>= back 0.0) scores -inf)) v))""")
alibi = lispier.torch.op("example::alibi", m.alibi, backward=True)


def formulas(q, k, v, slopes):
    back = torch.arange(q.shape[1], device=q.device)[:, None] - torch.arange(k.shape[1], device=q.device)
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5 - slopes[:, None, None] * back
    return scores.masked_fill(back < 0, float("-inf")).softmax(2) @ v


device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
inputs = [torch.randn(8, 256, 64, device=device, requires_grad=True) for _ in range(3)]
inputs.append((2.0 ** -torch.arange(1, 9, device=device)).requires_grad_())
seed = torch.randn(8, 256, 64, device=device)
found = []
for function in (formulas, alibi, torch.compile(lambda *a: alibi(*a), fullgraph=True, backend="aot_eager")):
    y = function(*inputs)
    found.append([y, *torch.autograd.grad(y, inputs, seed)])
for name, want, *got in zip(("y", "dq", "dk", "dv", "dslopes"), *found):
    differences = [((each - want).norm() / want.norm()).item() for each in got]
    assert max(differences) < 1e-4, (name, differences)
    print(f"{name:8} {list(want.shape)} differs by {max(differences):.0e}")
