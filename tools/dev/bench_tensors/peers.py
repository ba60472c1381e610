"""Prints what PyTorch reaches at the work of the programs beside this file: lines `name | peer: microseconds us`, with
the names of the programs. Usage: peers.py rows|order|products|training|attention
gpu|cpu. Needs torch. Times are those of 20
calls in a row."""
import sys
import time

import torch
import torch.nn.functional as F

SECTION, DEVICE = sys.argv[1:]
CUDA = DEVICE == "gpu"
torch.manual_seed(1)


def microseconds(f, n=20):
    """The least of three rounds: warm caches and clocks, as in the programs, which time after five calls."""
    for _ in range(5):
        f()
    best = float("inf")
    for _ in range(3):
        if CUDA:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(n):
                f()
            end.record()
            torch.cuda.synchronize()
            best = min(best, 1000 * begin.elapsed_time(end) / n)
        else:
            start = time.perf_counter()
            for _ in range(n):
                f()
            best = min(best, 1e6 * (time.perf_counter() - start) / n)
    return best


def show(name, f, *operands):
    """f eager and compiled."""
    print(f"{name} | PyTorch: {microseconds(lambda: f(*operands)):.2f} us", flush=True)
    try:
        compiled = torch.compile(f, dynamic=False)
        compiled(*operands)
    except Exception as error:  # No compiler for it on this machine.
        print(f"  no compiled {name}: {type(error).__name__}", flush=True)
        return
    print(f"{name} | PyTorch compiled: {microseconds(lambda: compiled(*operands)):.2f} us", flush=True)


def random(*sizes, dtype=torch.float32):
    return torch.rand(*sizes, device="cuda" if CUDA else "cpu").mul(2).sub(1).to(dtype)


def softmax(r, c):
    show(f"softmax {r}x{c}", lambda x: torch.softmax(x, -1), random(r, c))


def bf16_rows(r, c):
    x, w, b = (random(*sizes, dtype=torch.bfloat16) for sizes in ((r, c), (c,), (c,)))
    gelu = lambda x: F.gelu(x, approximate="tanh")
    show(f"bf16 softmax {r}x{c}", lambda x: torch.softmax(x, -1), x)
    show(f"bf16 layer norm {r}x{c}", lambda x, w, b: F.layer_norm(x, (c,), w, b), x, w, b)
    show(f"bf16 GELU {r}x{c}", gelu, x)
    show(f"bf16 masked softmax of GELU {r}x{c}",
         lambda x: torch.softmax(torch.where(x > 0.1, gelu(x), -torch.inf), -1), x)


def rows():
    large, small = [(65536, 768), (8192, 8192), (8192, 50257), (8192, 50304)], [(1823, 781), (1024, 4096), (64, 50257)]
    for r, c in large if CUDA else small:
        softmax(r, c)
    r, c = (65536, 768) if CUDA else (8192, 768)
    show(f"layer norm {r}x{c}", lambda x, w, b: F.layer_norm(x, (c,), w, b), random(r, c), random(c), random(c))
    for r, c in [(8192, 8192), (8192, 50257)] if CUDA else [(1024, 4096)]:
        bf16_rows(r, c)
    r, c = (8192, 50257) if CUDA else (2048, 2048)
    x, z, y = random(r, c), random(r, c), random(r, c)
    print(f"copy {r}x{c} | PyTorch: {microseconds(lambda: y.copy_(x)):.2f} us", flush=True)
    show(f"GELU {r}x{c}", lambda x: F.gelu(x, approximate="tanh"), x)
    print(f"add {r}x{c} | PyTorch: {microseconds(lambda: torch.add(x, z, out=y)):.2f} us", flush=True)
    show(f"cast to BF16 {r}x{c}", lambda x: x.bfloat16(), x)
    del x, y, z
    n = 16384 if CUDA else 2048
    a = random(n, n)
    show(f"transpose {n}x{n}", lambda a: a.T.contiguous(), a)
    show(f"sums of rows {n}x{n}", lambda a: a.sum(1), a)
    show(f"sums of columns {n}x{n}", lambda a: a.sum(0), a)
    if not CUDA:
        return
    for m in n, 4096:
        for name in "all", "any length":
            show(f"sum of {name} {m}x{m}", lambda a: a.sum(), a[:m, :m].contiguous())
    del a
    r, c = 1 << 19, 64
    a = random(r, c)
    show(f"sums of rows {r}x{c}", lambda a: a.sum(1), a)
    show(f"sums of columns {r}x{c}", lambda a: a.sum(0), a)


def order():
    dtypes = {"f32": torch.float32, "bf16": torch.bfloat16}
    first = [(50, "f32", 1, 50257), (50, "f32", 256, 50257), (50, "bf16", 256, 50257), (100, "f32", 1, 1 << 24)]
    whole = [("f32", 1, 50257), ("f32", 4096, 256), ("f32", 4096, 2048), ("f32", 1024, 50257), ("f32", 1, 1 << 24),
             ("bf16", 1, 1 << 24)]
    if not CUDA:
        first, whole = [(50, "f32", 1, 50257), (50, "f32", 64, 50257)], [("f32", 1024, 256), ("f32", 1, 1 << 20)]
    # Nothing is compiled: PyTorch calls the same functions then.
    for k, name, r, c in first:
        x = random(r, c, dtype=dtypes[name])
        print(f"topk {k} {name} {r}x{c} | PyTorch: {microseconds(lambda: torch.topk(x, k)):.2f} us", flush=True)
    for name, r, c in whole:
        x = random(r, c, dtype=dtypes[name])
        # With stable=True, as ours; places are i64.
        for what, f in ("sort", torch.sort), ("argsort", torch.argsort):
            taken = microseconds(lambda: f(x, dim=-1, stable=True))
            print(f"{what} {name} {r}x{c} | PyTorch: {taken:.2f} us", flush=True)


def product(name, m, n, k):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[name]
    a, b = random(m, k, dtype=dtype), random(n, k, dtype=dtype)
    print(f"{name} product {m} {n} {k} | PyTorch: {microseconds(lambda: a @ b.T):.2f} us", flush=True)


def mlp(name, t, c, h):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[name]
    operands = [random(*sizes, dtype=dtype) for sizes in ((t, c), (h, c), (h,), (c, h), (c,))]
    show(f"{name} GELU MLP {t} {c} {h}",
         lambda x, w1, b1, w2, b2: F.linear(F.gelu(F.linear(x, w1, b1), approximate="tanh"), w2, b2), *operands)


def pair(name, m, n, k):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[name]
    operands = [random(*sizes, dtype=dtype) for sizes in ((m, k), (n, k), (n, k))]
    show(f"{name} gated units {m} {n} {k}", lambda x, g, u: (F.silu(x @ g.T) * (x @ u.T)).float(), *operands)


def attention(name, h, t, d):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[name]
    q, k, v = (random(1, h, t, d, dtype=dtype) for _ in range(3))
    label = f"{name} attention {h} {t} {d}"
    run = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    if not CUDA:
        print(f"{label} | PyTorch: {microseconds(run):.2f} us", flush=True)
        return
    backends = torch.nn.attention.SDPBackend
    for peer, backend in ("cuDNN", backends.CUDNN_ATTENTION), ("FlashAttention-2", backends.FLASH_ATTENTION):
        with torch.nn.attention.sdpa_kernel(backend):
            print(f"{label} | {peer}: {microseconds(run):.2f} us", flush=True)


def products():
    if CUDA:
        product("bf16", 4096, 4096, 4096)
        product("bf16", 8192, 8192, 8192)
        product("f32", 4096, 4096, 4096)
        product("bf16", 64, 64, 65536)
        product("f32", 64, 64, 65536)
        pair("bf16", 1024, 5632, 2048)
        pair("bf16", 4096, 14336, 4096)
        pair("f32", 1024, 5632, 2048)
        m, n, k = 1024, 3072, 768
        a, b = random(m, k, dtype=torch.bfloat16), random(n, k, dtype=torch.bfloat16)
        # Alone: the bar is a share of the product without its epilogue.
        time_ = microseconds(lambda: a @ b.T)
        print(f"product with bias and GELU {m} {n} {k} | cuBLAS alone: {time_:.2f} us", flush=True)
        mlp("bf16", 1024, 768, 3072)
        attention("bf16", 96, 1024, 64)
    else:
        product("f32", 1024, 1024, 1024)
        product("bf16", 1024, 1024, 1024)
        mlp("f32", 512, 768, 3072)
        attention("f32", 12, 512, 64)


def norm_backward(dy, x, g):
    centered = x.float() - x.float().mean(-1, keepdim=True)
    r = torch.rsqrt((centered * centered).mean(-1, keepdim=True) + 1e-5)
    xh, dxh = centered * r, dy * g
    dx = r * (dxh - dxh.mean(-1, keepdim=True) - xh * (dxh * xh).mean(-1, keepdim=True))
    return dx, (dy * xh).sum(0), dy.sum(0)


def classifier(x, t):
    x = x.float()
    z = torch.logsumexp(x, -1, keepdim=True)
    hit = torch.arange(x.shape[1], device=x.device) == t[:, None]
    return z[:, 0] - x.gather(1, t[:, None])[:, 0], ((x - z).exp() - hit.float()).bfloat16()


def weights(n, c, v):
    """AdamW, and the gradient of an embedding; the words as in training.lisp."""
    w = random(v, c).requires_grad_(True)
    w.grad = random(v, c)
    optimizer = torch.optim.AdamW([w], lr=1e-3, weight_decay=0.1, fused=True)
    print(f"AdamW {v}x{c} | PyTorch: {microseconds(optimizer.step):.2f} us", flush=True)
    i = torch.arange(n, device="cuda")
    rows = random(n, c, dtype=torch.bfloat16)
    for name, words in ("words apart", 7919 * i % v), ("few words", 31 * (i * i % 977) % v):
        time_ = microseconds(lambda: torch.ops.aten.embedding_dense_backward(rows, words, v, -1, False))
        print(f"embedding's gradient, {name} {n}x{c} | PyTorch: {time_:.2f} us", flush=True)


def weight_gradient(o, i, n):
    dy, x = (random(n, size, dtype=torch.bfloat16) for size in (o, i))
    print(f"weight gradient {o} {i} {n} | cuBLAS: {microseconds(lambda: dy.T @ x):.2f} us", flush=True)


def input_gradient(n, i, o):
    dy, w, u = (random(*sizes, dtype=torch.bfloat16) for sizes in ((n, o), (o, i), (n, i)))
    print(f"input gradient {n} {i} {o} | cuBLAS: {microseconds(lambda: dy @ w):.2f} us", flush=True)
    show(f"input gradient with GELU's derivative {n} {i} {o}",
         lambda dy, w, u: torch.ops.aten.gelu_backward(dy @ w, u, approximate="tanh"), dy, w, u)


def batch(h, m):
    a, b = (random(h, m, m, dtype=torch.bfloat16) for _ in range(2))
    show(f"bmm {h} {m} {m}", torch.bmm, a, b)
    show(f"bmm with [0 2 1] {h} {m} {m}", lambda a, b: torch.bmm(a, b).transpose(1, 2).contiguous(), a, b)
    show(f"transposition [0 2 1] {h} {m} {m}", lambda a: a.transpose(1, 2).contiguous(), a)


def scores(h, m, k):
    a, b = (random(h, m, k, dtype=torch.bfloat16) for _ in range(2))
    show(f"scores {h} {m} {m} {k}", lambda a, b: torch.bmm(a, b.transpose(1, 2)), a, b)


def packed_attention(b, t, h, d):
    def run(x):
        q, k, v = (y.reshape(b, t, h, d).transpose(1, 2) for y in x.split(h * d, 1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b * t, h * d)
    show(f"causal attention of packed heads {b} {t} {h} {d}", run, random(b * t, 3 * h * d, dtype=torch.bfloat16))


def training():
    n, c = 32768, 768
    x, y = random(65536, c), random(65536, c)
    print(f"copy 65536x{c} | PyTorch: {microseconds(lambda: y.copy_(x)):.2f} us", flush=True)
    show(f"norm backward {n}x{c}", norm_backward, random(n, c), random(n, c, dtype=torch.bfloat16), random(c))
    for columns in c, 3 * c, 4 * c:
        show(f"column sums {n}x{columns}", lambda x: x.sum(0, dtype=torch.float32),
             random(n, columns, dtype=torch.bfloat16))
    show(f"classifier {n}x50304", classifier, random(n, 50304, dtype=torch.bfloat16),
         torch.arange(n, device="cuda") % 50304)
    with torch.enable_grad():
        weights(n, c, 50304)
    for o, i in (c, c), (3 * c, c), (4 * c, c), (c, 4 * c):
        weight_gradient(o, i, n)
    input_gradient(n, 4 * c, c)
    batch(64, 512)
    scores(192, 1024, 64)
    packed_attention(32, 1024, 12, 64)
    packed_attention(2, 4096, 16, 128)
    for h, t, d in (192, 1024, 64), (16, 4096, 128):
        q, k, v = (random(1, h, t, d, dtype=torch.bfloat16) for _ in range(3))
        show(f"attention without mask {h} {t} {d}", F.scaled_dot_product_attention, q, k, v)


def attention_backward(mask, b, t, h, d):
    operands = [random(b, t, h, d, dtype=torch.bfloat16).transpose(1, 2).requires_grad_(True) for _ in range(3)]
    do = random(b, t, h, d, dtype=torch.bfloat16).transpose(1, 2)
    backends = torch.nn.attention.SDPBackend
    for peer, backend in ("cuDNN", backends.CUDNN_ATTENTION), ("FlashAttention-2", backends.FLASH_ATTENTION):
        with torch.nn.attention.sdpa_kernel(backend):
            o = F.scaled_dot_product_attention(*operands, is_causal=mask == "causal")
            time_ = microseconds(lambda: torch.autograd.grad(o, operands, do, retain_graph=True))
        print(f"attention backward, {mask}, {b} {t} {h} {d} | {peer}: {time_:.2f} us", flush=True)


def gradients():
    with torch.enable_grad():
        for sizes in ("causal", 2, 4096, 16, 128), ("causal", 4, 4096, 16, 128), ("all", 1, 4096, 16, 128), \
                ("causal", 8, 1024, 12, 64), ("causal", 32, 1024, 12, 64), ("causal", 4, 4096, 16, 64):
            attention_backward(*sizes)


with torch.no_grad():
    {"rows": rows, "order": order, "products": products, "training": training,
     "attention": gradients}[SECTION]()
