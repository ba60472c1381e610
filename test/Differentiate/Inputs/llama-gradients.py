"""llama-gradients.py: writes llama-gradients.npy, the gradients of llama.lisp by PyTorch in F64, beside itself."""
import math, os
import numpy, torch

torch.set_default_dtype(torch.float64)
shapes = [(37, 16), (2, 16), (2, 16, 16), (2, 8, 16), (2, 8, 16), (2, 16, 16), (2, 16), (2, 24, 16), (2, 24, 16),
          (2, 16, 24), (16,), (37, 16)]
gains = {1, 6, 10}
parameters = [(0.006 * ((37 * torch.arange(math.prod(shape)) + 11 * n) % 101 - 50) + (n in gains)).reshape(shape)
              .requires_grad_() for n, shape in enumerate(shapes)]
embedding, *layers, last, output = parameters


def norm(x, w):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w


def rope(x):
    angles = torch.arange(9.0)[:, None] * 10000.0 ** (-torch.arange(2.0) / 2)
    a, b = x.chunk(2, -1)
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


def heads(x, count):
    return x.reshape(9, count, -1).transpose(0, 1)


x = embedding[7 * torch.arange(9) % 37]
for norm1, query, key, value, out, norm2, gate, up, down in zip(*layers):
    y = norm(x, norm1)
    q, k = rope(heads(y @ query.T, 4)), rope(heads(y @ key.T, 2))
    k, v = (z.repeat_interleave(2, 0) for z in (k, heads(y @ value.T, 2)))
    mixed = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    x = x + mixed.transpose(0, 1).reshape(9, 16) @ out.T
    z = norm(x, norm2)
    x = x + (torch.nn.functional.silu(z @ gate.T) * (z @ up.T)) @ down.T
loss = torch.nn.functional.cross_entropy(norm(x, last) @ output.T, (5 + 11 * torch.arange(9)) % 37)
loss.backward()
print(f"loss {loss.item():.6f}")
flat = torch.cat([p.grad.reshape(-1) for p in parameters]).float().numpy()
numpy.save(os.path.join(os.path.dirname(os.path.abspath(__file__)), "llama-gradients.npy"), flat)
