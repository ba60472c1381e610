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

# Section, name, and the largest error that its arithmetic explains: 2^-8 for each rounding to BF16; of F32 the terms
# that a precision leaves out (dialects/Tile/README.md), and 4e-6 for the sums of 4096 products.
ERRORS = [
    ("products ", "", 4.3e-3),
    ("attentions", "", 2 ** -7),
    ("products-f32", "f32,", 4e-6),
    ("products-f32", "tf32x3,", 3 * 2 ** -20 + 4e-6),
    ("products-f32", "bf16x3,", 3 * 2 ** -18 + 4e-6),
    ("products-f32", "tf32,", 2 ** -9),
]


def why_wrong(section, line):
    """Says by how much a printed line's error is too large, and of an error that no row allows; None if it is right.

    >>> why_wrong("products 4096 4096 4096", "seed: 5.00 us, largest error 3.4e-03")
    >>> why_wrong("attentions-backward 96 1024", "backward: 159.83 us, largest error 3.4e-01")
    'largest error 0.34 of at most 0.0078'
    >>> why_wrong("products-f32 4096 4096 4096", "bf16x3, 3 stages: 1.00 us, largest error nan")
    'largest error nan of at most 1.5e-05'
    >>> why_wrong("rows", "softmax 8192x8192: 1.00 us, largest error 0")
    'no row of ERRORS says how large its error may be'
    """
    found = re.search(r"largest error ([^,\s]+)", line)
    if not found:
        return None
    most = [limit for of, name, limit in ERRORS if section.startswith(of) and line.startswith(name)]
    if not most:
        return "no row of ERRORS says how large its error may be"
    error = float(found[1])  # Not a NaN either.
    return None if error <= most[0] else f"largest error {error:.2g} of at most {most[0]:.2g}"


def read(path):
    """The lines `name: microseconds us(, rate GB/s)` of each section, as (name, microseconds, rate or None), and those
    whose errors are too large, as (section, name, why); their times do not count."""
    sections, wrong, section = {}, [], None
    with open(path) as file:
        for line in file:
            if line.startswith("-- "):
                section = line[3:].strip()
                sections.setdefault(section, [])
            found = re.match(r"(.+): ([0-9.]+) us(?:, ([0-9.]+) GB/s)?", line)
            if not found or section is None:
                continue
            if why := why_wrong(section, line):
                wrong.append((section, found[1], why))
            else:
                sections[section].append((found[1], float(found[2]), float(found[3]) if found[3] else None))
    return sections, wrong


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
    """Prints each bar, and what is wrong; the exit status is 1 if a bar is missed or a result is wrong."""
    sections, wrong = read(path)
    missed = bool(wrong)
    for section, name, why in wrong:
        print(f"WRONG {section}, {name}: {why}")
    for bar in BARS:
        judged = judge(bar, sections.get(bar.section, []))
        missed |= bool(judged) and not judged[0]
        verdict, text = ("NONE", "not measured") if not judged else ("PASS" if judged[0] else "MISS", judged[1])
        print(f"{verdict} {bar.work}: {text}")
    return int(missed)
