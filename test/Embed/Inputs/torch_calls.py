"""Functions as operators of PyTorch: schemas, fakes, gradients, torch.compile."""
import lispier
import lispier.torch
import torch

m = lispier.source("""
(defn rows "Softmax of each row." [(: x (tensor n c f32))] (softmax x))
(defn scaled [(: x (tensor n c f32)) (: w (tensor c f32)) (: a f32)] (* a x w))
(defn scaled-backward [(: x (tensor n c f32)) (: w (tensor c f32)) (: a f32) (: dy (tensor n c f32))]
  [(* a w dy) (* a (sum (* x dy) :axis 0))])
(defn twice [(: x (inout (tensor n f32)))] (update x (* 2.0 x) [0]))
(defn joined [(: x (tensor n f32)) (: y (tensor m f32))] (concat x y x :axis 0))
(defn pair [(: x (tensor n f32)) (: k index)] [(* x (cast f32 k)) (sum x)])
(defn number [(: x f32)] (* x 2.0))
(defn kept [(: x (tensor n f32)) (: mask (tensor n i1))] (where mask x 0.0))
(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])
(defn layer [(: x (tensor t k f32)) (: w Linear)] (+ (einsum "tk,nk->tn" x (:weight w)) (:bias w)))
(defn generic [x y] (* x y))
""")
torch.manual_seed(0)


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def check(op, *inputs):
    torch.library.opcheck(op.operator, inputs)


def same_gradients(f, g, *inputs):
    wanted = [each for each in inputs if isinstance(each, torch.Tensor) and each.requires_grad]
    y, z = f(*inputs), g(*inputs)
    seed = torch.randn_like(z)
    for one, other in zip((y, *torch.autograd.grad(y, wanted, seed)), (z, *torch.autograd.grad(z, wanted, seed))):
        assert torch.allclose(one, other, atol=1e-5), (one, other)


def fails(call, text):
    try:
        call()
    except (lispier.Error, BufferError, RuntimeError) as error:
        assert text in str(error), error
        return
    raise AssertionError("no error: " + text)


rows = lispier.torch.op("test::rows", m.rows, backward=True)
check(rows, leaf(5, 7))
same_gradients(rows, lambda x: x.softmax(1), leaf(5, 7))
scaled = lispier.torch.op("test::scaled", m.scaled, backward=m.scaled_backward)
check(scaled, leaf(5, 7), leaf(7), 2.0)
same_gradients(scaled, lambda x, w, a: a * x * w, leaf(5, 7), leaf(7), 3.0)
python = lispier.torch.op("test::python", m.scaled, backward=lambda x, w, a, dy: (a * w * dy, a * (x * dy).sum(0)))
same_gradients(python, lambda x, w, a: a * x * w, leaf(5, 7), leaf(7), 3.0)

# A sum hands a gradient of stride 0 back; symbolic sizes; two operators in one graph.
graph = torch.compile(lambda x, w: scaled(rows(x), w, 3.0).sum(), fullgraph=True, backend="aot_eager")
for n in (4, 9, 17):
    same_gradients(graph, lambda x, w: (x.softmax(1) * w * 3).sum(), leaf(n, 7), leaf(7))

joined = lispier.torch.op("test::joined", m.joined, backward=True)
check(joined, leaf(5), leaf(3))
same_gradients(joined, lambda x, y: torch.cat([x, y, x]), leaf(5), leaf(3))
pair = lispier.torch.op("test::pair", m.pair)
check(pair, torch.randn(5), 3)
assert torch.equal(pair(torch.ones(4), 3)[0], torch.full((4,), 3.0)) and pair(torch.ones(4), 3)[1].shape == ()
twice = lispier.torch.op("test::twice", m.twice)
check(twice, torch.ones(3))
v = torch.ones(3)
assert twice(v) is None and v[0] == 2
kept = lispier.torch.op("test::kept", m.kept, backward=True)
check(kept, leaf(4), torch.tensor([True, False, True, False]))
layer = lispier.torch.op("test::layer", m.layer)
w = torch.nn.Linear(7, 4)
with torch.no_grad():
    x = torch.randn(5, 7)
    assert torch.allclose(layer(x, {"weight": w.weight, "bias": w.bias}), w(x), atol=1e-5)
    assert torch.allclose(layer(x, w), w(x), atol=1e-5)
check(layer, torch.randn(5, 7), w.weight.detach(), w.bias.detach())
generic = lispier.torch.op("test::generic", m.generic, backward=True, example=(x, x))
check(generic, leaf(5, 2), leaf(5, 2))
same_gradients(generic, lambda x, y: x * y, leaf(5, 2), leaf(5, 2))

fails(lambda: lispier.torch.op("test::number", m.number), "an operator returns tensors, and this function a number")
fails(lambda: lispier.torch.op("test::untyped", m.generic), "generic has no types; pass example=")
fails(lambda: lispier.torch.op("test::two", m.pair, backward=True), "pair: backward=True is for functions without")
fails(lambda: rows(torch.randn(3, 4, 5)), "`x` is f32 [3 4 5], and must be f32 [n c]")
fails(lambda: m.rows(leaf(3, 4)), "rows: an argument requires a gradient, which only an operator has")
fails(lambda: m.scaled(torch.ones(2, 7), leaf(7), 1.0), "scaled: an argument requires a gradient")
with torch.no_grad():
    assert m.rows(leaf(3, 4)).shape == (3, 4)
bf16 = torch.ones(3, 2, dtype=torch.bfloat16)
assert torch.equal(m.generic(bf16, bf16), bf16) and m.generic(bf16, bf16).dtype == torch.bfloat16
print("all right")
