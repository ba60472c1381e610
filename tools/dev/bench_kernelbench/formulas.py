"""The problems of level1.lisp and level2.lisp in PyTorch, which checks our results and competes with their times: the
functions that a user of PyTorch would call."""
import torch
import torch.nn.functional as F


def rms(x):
    return x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-5)


def batch_norm(x, g, o):
    return F.batch_norm(x, None, None, g, o, training=True)


def exclusive_sum(x):
    return F.pad(torch.cumsum(x[:, :-1], 1), (1, 0))


def divergence(p, t):
    return F.kl_div(torch.log(p), t, reduction="batchmean")


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def without_means(x):
    return x - x.mean((2, 3, 4), keepdim=True)


def sum_and_more(x):
    y = x.sum(1, keepdim=True).amax(1, keepdim=True).mean(1, keepdim=True)
    return y.logsumexp(1, keepdim=True).logsumexp(1, keepdim=True)


def swish_of_sums(x):
    y = x.logsumexp(1, keepdim=True)
    return y * torch.sigmoid(y + 3) / 6


def residual_sums(x, g, t):
    return (x + F.hardswish(torch.tanh(F.group_norm(x, 16, g, t)))).logsumexp(1, keepdim=True)


LEVEL1 = {
    1: torch.matmul, 2: torch.matmul, 3: torch.bmm, 4: torch.matmul,
    5: lambda a: a * 3.14,
    6: torch.matmul, 7: torch.matmul, 8: torch.matmul, 9: torch.matmul, 10: torch.matmul,
    11: lambda a, c: torch.einsum("bijl,lk->bijk", a, c),
    12: lambda d, b: d[:, None] * b,
    13: torch.matmul,
    14: lambda a, b: torch.triu(a @ b),
    15: lambda a, b: torch.tril(a @ b),
    16: lambda a, b: a.T @ b,
    17: lambda a, b: a @ b.T,
    18: lambda a, b: a.T @ b.T,
    19: torch.relu,
    20: lambda x: F.leaky_relu(x, 0.01),
    21: torch.sigmoid,
    22: torch.tanh,
    23: lambda x: torch.softmax(x, 1),
    24: lambda x: torch.log_softmax(x, 1),
    25: lambda x: x * torch.sigmoid(x),
    26: F.gelu,
    27: torch.selu,
    28: F.hardsigmoid,
    29: F.softplus,
    30: lambda x: x / (1 + x.abs()),
    31: F.elu,
    32: F.hardtanh,
    33: batch_norm,
    34: F.instance_norm,
    35: lambda x, g, o: F.group_norm(x, 8, g, o),
    36: rms,
    37: lambda x: x / torch.linalg.vector_norm(x),
    38: lambda x: x / x.abs().mean(1, keepdim=True),
    39: lambda x: x / torch.linalg.vector_norm(x, dim=1, keepdim=True),
    40: lambda x, g, o: F.layer_norm(x, x.shape[1:], g, o),
    41: lambda x: F.max_pool1d(x, 8, 1, 4, 3),
    42: lambda x: F.max_pool2d(x, 4, 1, 1),
    43: lambda x: F.max_pool3d(x, 3, 2, 1, 3),
    44: lambda x: F.avg_pool1d(x, 8, 1, 4),
    45: lambda x: F.avg_pool2d(x, 11),
    46: lambda x: F.avg_pool3d(x, 3, 2, 1),
    47: lambda x: x.sum(1, keepdim=True),
    48: lambda x: x.mean(1),
    49: lambda x: x.max(1)[0],
    50: lambda x, f, s: F.conv2d(x, f, s, stride=4, padding=2),
    51: lambda x: x.argmax(1),
    52: lambda x: x.argmin(1),
    53: lambda x: x.min(1)[0],
    54: F.conv3d, 55: F.conv2d, 56: F.conv2d, 57: F.conv_transpose2d, 58: F.conv_transpose3d, 59: F.conv3d,
    60: F.conv3d, 61: F.conv_transpose3d, 62: F.conv2d, 63: F.conv2d, 64: F.conv_transpose1d,
    65: F.conv_transpose2d, 66: F.conv3d, 67: F.conv1d, 68: F.conv_transpose3d, 69: F.conv_transpose2d,
    70: F.conv_transpose3d, 71: F.conv_transpose2d,
    72: lambda x, f: F.conv_transpose3d(x, f, stride=2, padding=(1, 2, 3), output_padding=1, groups=4),
    73: lambda x, f: F.conv_transpose3d(x, f, stride=2, padding=1, groups=4),
    74: lambda x, f: F.conv_transpose1d(x, f, dilation=3),
    75: lambda x, f: F.conv_transpose2d(x, f, stride=(2, 3), padding=(1, 2), dilation=(2, 1), groups=4),
    76: lambda x, f: F.conv1d(x, f, stride=3, dilation=4),
    77: lambda x, f: F.conv_transpose3d(x, f, stride=2, padding=1, dilation=2),
    78: lambda x, f: F.conv_transpose2d(x, f, padding=(1, 3)),
    79: lambda x, f: F.conv_transpose1d(x, f, stride=2, padding=1, dilation=2),
    80: lambda x, f: F.conv2d(x, f, padding=(2, 4), dilation=(2, 3)),
    81: lambda x, f: F.conv_transpose2d(x, f, stride=5, padding=1, dilation=2),
    82: lambda x, f: F.conv2d(x, f, groups=x.shape[1]),
    83: lambda x, f: F.conv2d(x, f, groups=x.shape[1]),
    84: lambda x, f: F.conv2d(x, f, groups=x.shape[1]),
    85: lambda x, f: F.conv2d(x, f, groups=x.shape[1]),
    86: lambda x, f, g: F.conv2d(F.conv2d(x, f, padding=1, groups=x.shape[1]), g),
    87: F.conv2d,
    88: lambda x: F.gelu(x, approximate="tanh"),
    89: lambda x: torch.cumsum(x, 1),
    90: lambda x: torch.cumprod(x, 1),
    91: lambda x: torch.cumsum(x.flip(1), 1).flip(1),
    92: exclusive_sum,
    93: lambda x, mask: torch.cumsum(x * mask, 1),
    94: F.mse_loss,
    95: F.cross_entropy,
    96: F.smooth_l1_loss,
    97: attention,
    98: divergence,
    99: F.triplet_margin_loss,
    100: lambda p, t: torch.clamp(1 - p * t, min=0).mean(),
}

LEVEL2 = {
    2: lambda x, f, s, t: torch.clamp(torch.clamp(
        F.conv_transpose2d(x, f, s, stride=2, padding=1, output_padding=1) + t[:, None, None], 0, 1) * 2, 0, 1) / 2,
    5: lambda x, f, s, t: torch.tanh(
        F.conv_transpose2d(x, f, s, stride=2, padding=1, output_padding=1) - t[:, None, None]),
    6: lambda x, f, s: F.max_pool3d(F.max_pool3d(torch.softmax(F.conv3d(x, f, s), 1), 2), 2),
    8: lambda x, f, s, t: (F.max_pool3d(F.conv3d(x, f, s) / 2, 2).mean((2, 3, 4)) + t).sum(1),
    15: lambda x, f, s, g, t: without_means(batch_norm(F.conv_transpose3d(x, f, s, stride=2, padding=1), g, t)),
    18: lambda x, w, s: sum_and_more(F.linear(x, w, s)),
    19: lambda x, f, s, g, o: F.group_norm(F.gelu(F.conv_transpose2d(x, f, s)), 8, g, o),
    30: lambda x, w, s, g, o: F.hardtanh(F.group_norm(F.linear(x, w, s), 16, g, o), -2, 2),
    51: lambda x, w, s, t: F.gelu((F.linear(x, w, s) - t).mean(1, keepdim=True).logsumexp(1, keepdim=True)) + x,
    58: lambda x, f, s, t: swish_of_sums(F.conv_transpose3d(x, f, s, stride=2, padding=1)).sub(t).clamp(-1, 1),
    61: lambda x, f, g, t: F.group_norm(F.relu(F.conv_transpose3d(x, f)), 8, g, t),
    68: lambda x, w, s: F.linear(x, w, s).clamp(max=2.0) - 2.0,
    69: lambda x, f, s: F.relu(F.hardswish(F.conv2d(x, f, s))),
    85: lambda x, f, s, g, t, w: F.max_pool2d(
        F.group_norm(F.conv2d(x, f, s), 16, g, t) * w[:, None, None], 4).clamp(0, 1),
    88: lambda x, w, s, g, o, t: F.silu(F.silu(F.group_norm(F.linear(x, w, s), 256, g, o)) * t),
    92: lambda x, f, s, g, t: residual_sums(F.conv2d(x, f, s), g, t),
    94: lambda x, w, s, t, g, o: F.group_norm(F.mish(F.hardtanh(F.linear(x, w, s) + t)), 256, g, o),
    95: lambda x, w, s, t: F.hardtanh(F.gelu(torch.tanh(F.silu(F.linear(x, w, s) + t)))),
    97: lambda x, w, s, g, o, t: F.silu(batch_norm(F.linear(x, w, s), g, o) + t),
    98: lambda x, w, s: (F.gelu(F.avg_pool1d(F.linear(x, w, s)[:, None], 16)[:, 0]) * 2).amax(1),
}

FORMULAS = {1: LEVEL1, 2: LEVEL2}
