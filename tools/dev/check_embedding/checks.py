"""What a GPU must show of functions that PyTorch calls: numbers, streams, graphs, operators, errors, threads."""
import threading

import torch

import lispier
import lispier.torch

DEVICE = "cuda"


def close(got, want, tolerance=1e-5):
    assert got.shape == want.shape and got.device == want.device and got.dtype == want.dtype
    difference = ((got - want).float().norm() / want.float().norm()).item()
    assert difference < tolerance, difference


def random(*shape, **options):
    return torch.randn(*shape, device=options.pop("device", DEVICE), **options)


def feed_forward(x, w, v):
    return torch.nn.functional.gelu(x @ w.T, approximate="tanh") @ v.T


def attention(q, k, v, slopes):
    back = torch.arange(q.shape[1], device=q.device)[:, None] - torch.arange(k.shape[1], device=q.device)
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5 - slopes[:, None, None] * back
    return scores.masked_fill(back < 0, float("-inf")).softmax(2) @ v


def check_numbers(m):
    """Results are new tensors of the device, or memory that is there; also on the host and on other devices."""
    for device in ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]:
        x = random(33, 1000, device=device)
        close(m.rows(x), x.softmax(1))
        out = torch.empty_like(x)
        assert m.rows(x, out=out) is out
        close(out, x.softmax(1))
        w, v = random(64, 48, device=device), random(48, 64, device=device)
        y = random(20, 48, device=device)
        close(m.mlp(y, w, v), feed_forward(y, w, v), 2e-3)
        a = random(100, device=device)
        close(m.grown(a, 3), a * 1.5 ** 3)
        found = m.looked_up(torch.tensor([3, 0], device=device, dtype=torch.int32))
        close(found, torch.tensor([3.0, 1], device=device))
        b = a.clone()
        m.doubled(b)
        close(b, 2 * a)
        for i in (0, 1):
            close(m.chosen(a, torch.tensor([i], device=device, dtype=torch.int32)), a * (2 if i else 3))
        h = random(7, 9, device=device).bfloat16()
        close(m.half(h, h), h + h)
        assert m.rows(x[:0]).shape == (0, 1000)
    assert torch.cuda.current_device() == 0
    return f"on the host and {torch.cuda.device_count()} devices"


def check_streams(m):
    """Work of the caller's stream comes before and after, without a wait of the host."""
    x = torch.zeros(256, 1024, device=DEVICE)
    y = random(256, 1024)
    z = torch.empty_like(x)
    m.rows(x, out=z)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    for _ in range(20):
        x.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(5_000_000)
            x.copy_(y)
            m.rows(x, out=z)
            assert not stream.query(), "the call has waited for its stream"
            total = z + 1
        stream.synchronize()
        close(total, y.softmax(1) + 1)
    # Temporary memory of calls in two streams at once is not the same.
    w, v = random(4096, 1024), random(1024, 4096)
    inputs = [random(256, 1024) for _ in range(2)]
    want = [m.mlp(each, w, v) for each in inputs]
    torch.cuda.synchronize()
    streams, found = [torch.cuda.Stream() for _ in inputs], [[], []]
    for _ in range(20):
        for stream, each, got in zip(streams, inputs, found):
            with torch.cuda.stream(stream):
                got.append(m.mlp(each, w, v))
    torch.cuda.synchronize()
    for right, got in zip(want, found):
        for each in got:
            assert torch.equal(each, right)
    return "20 rounds behind a sleeping stream, 40 in two streams"


def check_graphs(m):
    """Captured and replayed, with memory of its own; what cannot be captured says so, and harms nothing."""
    x, w, v = random(64, 512), random(2048, 512), random(512, 2048)
    q, slopes = random(4, 128, 64), 2.0 ** -torch.arange(4, device=DEVICE).float()
    a = random(1000)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = m.mlp(x, w, v)
        z = m.rows(y)
        o = m.alibi(q, q, q, slopes)
        g = m.grown(a, 3)
    for _ in range(5):
        x.copy_(random(64, 512))
        a.copy_(random(1000))
        q.copy_(random(4, 128, 64))
        graph.replay()
        noise = [torch.empty(1 << 20, device=DEVICE).normal_() for _ in range(3)]  # In memory that others may use.
        close(m.mlp(x, w, v), feed_forward(x, w, v), 2e-3)
        assert torch.equal(y, m.mlp(x, w, v)) and torch.equal(z, m.rows(y)) and torch.equal(g, m.grown(a, 3))
        assert torch.equal(o, m.alibi(q, q, q, slopes))
        del noise
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            m.chosen(a, torch.ones(1, device=DEVICE, dtype=torch.int32))
        raise AssertionError("no error")
    except lispier.Error as error:
        assert "the caller captures the stream" in str(error), error
    torch.cuda.synchronize()
    close(m.rows(x), x.softmax(1))
    return "four functions in a graph, five replays, one refused"


def check_operators(m):
    """torch.library: opcheck, gradients, torch.compile(fullgraph=True)."""
    rows = lispier.torch.op("check::rows", m.rows, backward=m.rows_backward)
    mlp = lispier.torch.op("check::mlp", m.mlp, backward=m.mlp_backward)
    alibi = lispier.torch.op("check::alibi", m.alibi, backward=m.alibi_backward)
    wants = {"requires_grad": True}
    torch.library.opcheck(rows.operator, (random(5, 7, **wants),))
    torch.library.opcheck(mlp.operator, (random(5, 48, **wants), random(64, 48, **wants), random(48, 64, **wants)))
    qkv = [random(4, 96, 64, **wants) for _ in range(3)]
    slopes = (2.0 ** -torch.arange(4, device=DEVICE).float()).requires_grad_()
    torch.library.opcheck(alibi.operator, (*qkv, slopes))
    functions = [alibi, torch.compile(lambda *all: alibi(*all) * 1.0, fullgraph=True)]
    seed = random(4, 96, 64)
    want = torch.autograd.grad(attention(*qkv, slopes), [*qkv, slopes], seed)
    for function in functions:
        y = function(*qkv, slopes)
        close(y, attention(*qkv, slopes), 2e-3)
        for got, right in zip(torch.autograd.grad(y, [*qkv, slopes], seed), want):
            close(got, right, 5e-3)
    x = random(16, 48, **wants)
    w, v = random(64, 48, **wants), random(48, 64, **wants)
    step = torch.compile(lambda *all: mlp(*all).square().mean(), fullgraph=True)
    for n in (16, 17, 40):  # Sizes that torch.compile makes symbols of.
        x = random(n, 48, **wants)
        got = torch.autograd.grad(step(x, w, v), [x, w, v])
        right = torch.autograd.grad(feed_forward(x, w, v).square().mean(), [x, w, v])
        for one, other in zip(got, right):
            close(one, other, 5e-3)
    return "three operators with gradients"


def check_errors(m):
    """One message for each wrong call, and a right call after it."""
    x = random(8, 16)
    wrong = [(lambda: m.rows(x.double()), "`x` is f64 [8 16], and must be f32 [n c]"),
             (lambda: m.rows(x.t()), "its elements must lie in row-major order"),
             (lambda: m.rows(x[:, ::2]), "has the strides [16 2]"),
             (lambda: m.rows(x[0]), "must be f32 [n c]"),
             (lambda: m.rows(x, out=x), "`result` overlaps `x`"),
             (lambda: m.rows(x, out=torch.empty(8, 15, device=DEVICE)), "the size `c` is 16 in `x`"),
             (lambda: m.rows(x, out=torch.empty(8, 16)), "`result` is in the host's memory, and `x` on cuda:0"),
             (lambda: m.add(x[0], x[0].cpu()), "`y` is in the host's memory, and `x` on cuda:0"),
             (lambda: m.rows(x.requires_grad_(True)), "an argument requires a gradient"),
             (lambda: m.looked_up(torch.tensor([1], device=DEVICE)), "`rows` is i64 [1], and must be i32 [n]")]
    if torch.cuda.device_count() > 1:
        wrong.append((lambda: m.add(x[0].detach(), x[0].detach().to("cuda:1")), "`y` is on cuda:1, and `x` on cuda:0"))
    for call, text in wrong:
        try:
            call()
            raise AssertionError("no error: " + text)
        except (lispier.Error, BufferError) as error:
            assert text in str(error), f"{error}\n  instead of {text}"
        x = x.detach()
        close(m.rows(x), x.softmax(1))
    return f"{len(wrong)} wrong calls"


def check_threads(m):
    """Eight threads, each in a stream of its own."""
    failed = []
    w, v = random(256, 128), random(128, 256)
    torch.cuda.synchronize()

    def work(i):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(50):
                    x = torch.full((16, 128), i + 1.0, device=DEVICE)
                    close(m.mlp(x, w, v), feed_forward(x, w, v), 2e-3)
                    close(m.rows(x), x.softmax(1))
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    return "8 threads, 800 calls"


ALL = [check_numbers, check_streams, check_graphs, check_operators, check_errors, check_threads]
