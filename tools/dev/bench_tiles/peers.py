"""Prints what cuBLAS, cuDNN, PyTorch and Triton reach on this GPU at the work of the programs beside this file: lines
`name: microseconds us`. Needs torch; Triton's lines need triton. Times are those of many calls in a row, as the
programs'."""
import sys

import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def microseconds(f, n=20):
    for _ in range(5):
        f()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(n):
        f()
    end.record()
    torch.cuda.synchronize()
    return 1000 * begin.elapsed_time(end) / n


def show(name, f):
    print(f"{name}: {microseconds(f):.2f} us", flush=True)


if triton:

    @triton.jit
    def softmax_rows(x, y, cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < cols
        v = tl.load(x + row * cols + at, mask=inside, other=float("-inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * cols + at, e / tl.sum(e, axis=0), mask=inside)

    @triton.jit
    def softmax_chunks(x, y, cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        high = tl.full([BLOCK], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK], tl.float32)
        for start in range(0, cols, BLOCK):
            v = tl.load(x + row * cols + start + at, mask=start + at < cols, other=float("-inf"))
            new = tl.maximum(high, v)
            total = tl.where(new == float("-inf"), 0.0, total * tl.exp(high - new) + tl.exp(v - new))
            high = new
        m = tl.max(high, axis=0)
        s = tl.sum(tl.where(high == float("-inf"), 0.0, total * tl.exp(high - m)), axis=0)
        for start in range(0, cols, BLOCK):
            inside = start + at < cols
            v = tl.load(x + row * cols + start + at, mask=inside, other=float("-inf"))
            tl.store(y + row * cols + start + at, tl.exp(v - m) / s, mask=inside)

    @triton.jit
    def layer_norm_rows(x, w, b, y, cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < cols
        v = tl.load(x + row * cols + at, mask=inside, other=0.0)
        d = tl.where(inside, v - tl.sum(v, axis=0) / cols, 0.0)
        r = tl.rsqrt(tl.sum(d * d, axis=0) / cols + 1e-5)
        tl.store(y + row * cols + at, d * r * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)

    CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": 64, "GROUP": 8}, num_stages=s, num_warps=w) for m, n, s, w in
               [(128, 256, 3, 8), (128, 128, 4, 4), (128, 128, 3, 8), (64, 128, 4, 4), (128, 64, 4, 4), (64, 64, 5, 4)]]

    @triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
    @triton.jit
    def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
        pid = tl.program_id(0)
        rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
        first = pid // (GROUP * columns) * GROUP
        size = min(rows - first, GROUP)
        i, j = first + pid % (GROUP * columns) % size, pid % (GROUP * columns) // size
        m, n, k = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
        pa = a + (m % M)[:, None] * K + k[None, :]
        pb = b + k[:, None] + (n % N)[None, :] * K
        acc = tl.zeros([BM, BN], tl.float32)
        for at in range(0, K, BK):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += BK
            pb += BK
        tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=(m < M)[:, None] & (n < N)[None, :])

    FUSED = [triton.Config({"BM": m, "BN": n}, num_stages=s, num_warps=w) for m, n, s, w in
             [(128, 64, 3, 4), (128, 128, 2, 8), (128, 64, 3, 8), (64, 64, 3, 4), (128, 128, 3, 8)]]

    @triton.autotune(configs=FUSED, key=["T", "D"])
    @triton.jit
    def attention(q, k, v, o, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
        block = tl.num_programs(0) - 1 - tl.program_id(0)
        base = tl.program_id(1).to(tl.int64) * T * D
        m, d = block * BM + tl.arange(0, BM), tl.arange(0, D)
        queries = tl.load(q + base + m[:, None] * D + d[None, :])
        high = tl.full([BM], float("-inf"), tl.float32)
        total = tl.zeros([BM], tl.float32)
        acc = tl.zeros([BM, D], tl.float32)
        by_powers_of_two = scale * 1.4426950408889634
        for start in range(0, (block + 1) * BM, BN):
            n = start + tl.arange(0, BN)
            s = tl.dot(queries, tl.load(k + base + n[None, :] * D + d[:, None])) * by_powers_of_two
            if start + BN > block * BM:
                s = tl.where(n[None, :] <= m[:, None], s, float("-inf"))
            new = tl.maximum(high, tl.max(s, 1))
            p = tl.exp2(s - new[:, None])
            fade = tl.exp2(high - new)
            total = total * fade + tl.sum(p, 1)
            acc = tl.dot(p.to(tl.bfloat16), tl.load(v + base + n[:, None] * D + d[None, :]), acc * fade[:, None])
            high = new
        tl.store(o + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.bfloat16))


def products(m, n, k):
    a, b = (torch.rand(s, k, device="cuda").mul(2).sub(1).bfloat16() for s in (m, n))
    show("cuBLAS", lambda: a @ b.T)
    if triton:
        c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        show("Triton", lambda: matmul[lambda o: (triton.cdiv(m, o["BM"]) * triton.cdiv(n, o["BN"]),)](a, b, c, m, n, k))


def products_f32(m, n, k):
    a, b = (torch.rand(*s, device="cuda").mul(2).sub(1) for s in ((m, k), (k, n)))
    for name, allowed in ("F32", False), ("TF32", True):
        torch.backends.cuda.matmul.allow_tf32 = allowed
        show(f"cuBLAS, {name}", lambda: a @ b)


def attentions(heads, time, d):
    q, k, v = (torch.randn(1, heads, time, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    backends = torch.nn.attention.SDPBackend
    for name, backend in ("cuDNN", backends.CUDNN_ATTENTION), ("FlashAttention-2", backends.FLASH_ATTENTION):
        with torch.nn.attention.sdpa_kernel(backend):
            show(name, lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))
    if triton:
        o = torch.empty_like(q)
        show("Triton", lambda: attention[lambda c: (triton.cdiv(time, c["BM"]), heads)](q, k, v, o, time, d ** -0.5, d))


def attentions_backward(heads, time):
    like = {"device": "cuda", "dtype": torch.bfloat16, "requires_grad": True}
    q, k, v = (torch.randn(1, heads, time, 64, **like) for _ in range(3))
    backends = torch.nn.attention.SDPBackend
    for name, backend in ("cuDNN", backends.CUDNN_ATTENTION), ("FlashAttention-2", backends.FLASH_ATTENTION):
        with torch.nn.attention.sdpa_kernel(backend):
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        g = torch.randn_like(o)
        show(name, lambda: torch.autograd.grad(o, (q, k, v), g, retain_graph=True))


def rows():
    for r, c in (1823, 781), (65536, 768), (8192, 8192), (8192, 50257), (8192, 50304):
        x, y = torch.randn(r, c, device="cuda"), torch.empty(r, c, device="cuda")
        show(f"copy {r}x{c}, PyTorch", lambda: y.copy_(x))
        show(f"softmax {r}x{c}, PyTorch", lambda: torch.softmax(x, -1))
        if triton and c > 8192:
            show(f"softmax {r}x{c}, Triton", lambda: softmax_chunks[(r,)](x, y, c, BLOCK=4096, num_warps=8))
        elif triton:
            block, warps = triton.next_power_of_2(c), 4 if c <= 1024 else 8
            show(f"softmax {r}x{c}, Triton", lambda: softmax_rows[(r,)](x, y, c, BLOCK=block, num_warps=warps))
        if c == 768:
            w, b = torch.randn(c, device="cuda"), torch.randn(c, device="cuda")
            show(f"layer norm {r}x{c}, PyTorch", lambda: F.layer_norm(x, (c,), w, b))
            if triton:
                show(f"layer norm {r}x{c}, Triton",
                     lambda: layer_norm_rows[(r,)](x, w, b, y, c, BLOCK=1024, num_warps=4))
        if c == 50257:
            show(f"GELU {r}x{c}, PyTorch", lambda: F.gelu(x, approximate="tanh"))
            z = torch.randn(r, c, device="cuda")
            show(f"add {r}x{c}, PyTorch", lambda: torch.add(x, z, out=y))
    a = torch.randn(16384, 16384, device="cuda")
    b = torch.empty_like(a)
    show("transpose 16384x16384, PyTorch", lambda: b.copy_(a.T))


if __name__ == "__main__":
    {"products": products, "tuned-products": products, "products-f32": products_f32, "attentions": attentions,
     "attentions-backward": attentions_backward, "rows": rows}[sys.argv[1]](*map(int, sys.argv[2:]))
