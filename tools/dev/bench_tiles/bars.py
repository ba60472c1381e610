"""The bars that tile programs are held to, and the lines of bench-tiles in which their figures stand."""
import dataclasses
import re


@dataclasses.dataclass
class Bar:
    """`ours` and `peer` match the names of lines in a section, such as "softmax 8192x8192"; the fastest line counts.
    The peer's time divided by ours is at least `ratio`; or ours is at most `most` microseconds. With `rate` the GB/s of
    the lines are compared, whose numbers of bytes differ."""
    work: str
    section: str
    ours: str
    peer: str = None
    ratio: float = None
    most: float = None
    rate: bool = False


def products():
    sizes = ("4096 4096 4096", "8192 8192 8192", "1024 3072 768", "1024 768 3072")
    plain = r"\d+ \d+ \d+, "  # "128 256 64, 4 stages, 8 warps"
    for size in sizes:
        section = f"products {size}"
        yield Bar(f"BF16 product {size}", section, plain, "cuBLAS", ratio=0.50)
        yield Bar(f"BF16 product {size}", section, plain, "Triton", ratio=0.70)
        yield Bar(f"BF16 product {size}, seed", f"tuned-products {size}", "seed", "Triton", ratio=0.70)
    yield Bar("BF16 product 1024 3072 768 with bias and GELU", "products 1024 3072 768", "with bias and GELU", "cuBLAS",
              ratio=0.75)
    f32 = "products-f32 4096 4096 4096"
    yield Bar("F32 product by bf16x3 or tf32x3", f32, "(bf16|tf32)x3", "cuBLAS, F32", ratio=2.0)
    yield Bar("F32 product, exact", f32, "f32,", "cuBLAS, F32", ratio=0.80)


def attentions():
    for size in "96 1024 64", "64 4096 128":
        section = f"attentions {size}"
        yield Bar(f"causal attention {size}", section, "(late-)?attention", "cuDNN", ratio=0.5)
        yield Bar(f"causal attention {size}", section, "(late-)?attention", "Triton", ratio=0.70)


def rows():
    yield Bar("softmax 8192x50257", "rows", "softmax 8192x50257$", most=1150)
    yield Bar("softmax 8192x50304", "rows", "softmax 8192x50304$", most=1000)
    for work in "layer norm 65536x768", "GELU 8192x50257", "add 8192x50257", "cast 8192x50257", "transpose 16384x16384":
        yield Bar(work, "rows", f"{work}$", "copy 8192x50257$", ratio=0.90, rate=True)
    softmaxes = [f"softmax {size}" for size in ("65536x768", "8192x8192", "8192x50257", "8192x50304")]
    for work in [*softmaxes, "layer norm 65536x768"]:
        yield Bar(work, "rows", f"{work}$", f"{work}, Triton", ratio=0.95)


BARS = [*products(), *attentions(), *rows()]


def read(path):
    """The lines `name: microseconds us(, rate GB/s)` of each section, as (name, microseconds, rate or None)."""
    sections, lines = {}, None
    with open(path) as file:
        for line in file:
            if line.startswith("-- "):
                lines = sections.setdefault(line[3:].strip(), [])
            found = re.match(r"(.+): ([0-9.]+) us(?:, ([0-9.]+) GB/s)?", line)
            if found and lines is not None:
                lines.append((found[1], float(found[2]), float(found[3]) if found[3] else None))
    return sections


def judge(bar, lines):
    """Whether the bar is met, and a text that says by how much; None if the figures are not there."""
    ours = [line for line in lines if re.match(bar.ours, line[0])]
    peers = [line for line in lines if bar.peer and re.match(bar.peer, line[0])]
    if not ours or (bar.peer and not peers):
        return None
    if bar.most:
        time = min(line[1] for line in ours)
        return time <= bar.most, f"{time:.1f} us of at most {bar.most:.0f}"
    if bar.rate:
        ratio = max(line[2] for line in ours) / max(line[2] for line in peers)
        return ratio >= bar.ratio, f"{ratio:.2f} of the rate of {peers[0][0]}, at least {bar.ratio:.2f}"
    ratio = min(line[1] for line in peers) / min(line[1] for line in ours)
    return ratio >= bar.ratio, f"{ratio:.2f} of {peers[0][0]}, at least {bar.ratio:.2f}"


def show(path):
    """Prints each bar; the exit status is 1 if one is missed."""
    sections, missed = read(path), False
    for bar in BARS:
        judged = judge(bar, sections.get(bar.section, []))
        missed |= bool(judged) and not judged[0]
        verdict, text = ("NONE", "not measured") if not judged else ("PASS" if judged[0] else "MISS", judged[1])
        print(f"{verdict} {bar.work}: {text}")
    return int(missed)
