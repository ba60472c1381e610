"""gpt2-gradients.py: writes gpt2-gradients.npy, the gradients of gpt2.lisp by PyTorch in F64, beside itself."""
import math, os
import numpy, torch

torch.set_default_dtype(torch.float64)
shapes = [(37, 16), (8, 16), (2, 16), (2, 16), (2, 48, 16), (2, 48), (2, 16, 16), (2, 16), (2, 16), (2, 16), (2, 64, 16),
          (2, 64), (2, 16, 64), (2, 16), (16,), (16,)]
gains = {2, 8, 14}
parameters = [(0.006 * ((37 * torch.arange(math.prod(shape)) + 11 * n) % 101 - 50) + (n in gains)).reshape(shape)
              .requires_grad_() for n, shape in enumerate(shapes)]
tokens, positions, *layers, weight, bias = parameters


def norm(x, w, b):
    return torch.nn.functional.layer_norm(x, (16,), w, b, 1e-5)


text = (7 * torch.arange(16) % 37).reshape(2, 8)
targets = ((5 + 11 * torch.arange(16)) % 37).reshape(2, 8)
x = tokens[text] + positions
for n1w, n1b, qw, qb, aw, ab, n2w, n2b, ew, eb, cw, cb in zip(*layers):
    q, k, v = (norm(x, n1w, n1b) @ qw.T + qb).split(16, 2)
    q, k, v = (y.reshape(2, 8, 2, 8).transpose(1, 2) for y in (q, k, v))
    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + mixed.transpose(1, 2).reshape(2, 8, 16) @ aw.T + ab
    x = x + torch.nn.functional.gelu(norm(x, n2w, n2b) @ ew.T + eb, approximate="tanh") @ cw.T + cb
loss = torch.nn.functional.cross_entropy((norm(x, weight, bias) @ tokens.T).reshape(16, 37), targets.reshape(16))
loss.backward()
print(f"loss {loss.item():.6f}")
flat = torch.cat([p.grad.reshape(-1) for p in parameters]).float().numpy()
numpy.save(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpt2-gradients.npy"), flat)
