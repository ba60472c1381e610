"""losses.py: the losses of steps of AdamW that adamw.lisp is compared with, by PyTorch in float64.

llm.c's scheme: B 4, T 64, the same batch in each step, learning rate 1e-4, betas 0.9 and 0.999, decay 0.01 of all
parameters, no clipping. Two layers of 32 channels, 2 heads, 96 tokens, 64 positions. Element i of parameter number n is
(37 i + 11 n) % 101 - 50, times 0.006, and of gains 1 more; token i is 31 (i^2 % 977) % 96.
"""
import torch

torch.set_default_dtype(torch.float64)
C, L, V, P, H = 32, 2, 96, 64, 2
number = 0


def parameter(*shape, shift=0.0):
    global number
    count = 1
    for size in shape:
        count *= size
    i = torch.arange(count)
    value = shift + 0.006 * (((37 * i + 11 * number) % 101) - 50).double()
    number += 1
    return value.reshape(shape).requires_grad_()


wte, wpe = parameter(V, C), parameter(P, C)
g1, b1, wq, bq, wo, bo = (parameter(L, C, shift=1.0), parameter(L, C), parameter(L, 3 * C, C), parameter(L, 3 * C),
                          parameter(L, C, C), parameter(L, C))
g2, b2, wu, bu, wd, bd = (parameter(L, C, shift=1.0), parameter(L, C), parameter(L, 4 * C, C), parameter(L, 4 * C),
                          parameter(L, C, 4 * C), parameter(L, C))
gf, bf = parameter(C, shift=1.0), parameter(C)
parameters = [wte, wpe, g1, b1, wq, bq, wo, bo, g2, b2, wu, bu, wd, bd, gf, bf]

places = torch.arange(4 * 64 + 1)
tokens = 31 * (places * places % 977) % V
inputs, targets = tokens[:-1].reshape(4, 64), tokens[1:].reshape(4, 64)


def norm(x, g, b):
    return torch.nn.functional.layer_norm(x, (C,), g, b, 1e-5)


def loss():
    x = wte[inputs] + wpe[:64]
    for i in range(L):
        q, k, v = (norm(x, g1[i], b1[i]) @ wq[i].T + bq[i]).split(C, dim=-1)
        q, k, v = (a.reshape(4, 64, H, C // H).transpose(1, 2) for a in (q, k, v))
        o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + o.transpose(1, 2).reshape(4, 64, C) @ wo[i].T + bo[i]
        u = norm(x, g2[i], b2[i]) @ wu[i].T + bu[i]
        x = x + torch.nn.functional.gelu(u, approximate="tanh") @ wd[i].T + bd[i]
    logits = norm(x, gf, bf) @ wte.T
    return torch.nn.functional.cross_entropy(logits.reshape(-1, V), targets.reshape(-1))


optimizer = torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)
for step in range(10):
    optimizer.zero_grad()
    value = loss()
    value.backward()
    optimizer.step()
    print("%.6f" % value.item())
