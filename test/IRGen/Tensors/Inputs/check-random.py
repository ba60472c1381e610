"""check-random.py LISPIER: compares random-bits, uniform and normal with Philox 4x32-10 computed here."""
import math, random, struct, subprocess, sys, tempfile

MASK = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k[0], second & MASK, first >> 32 ^ c[3] ^ k[1], first & MASK]
        k = [k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK]
    return c


# kat_vectors of Random123.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([MASK] * 4, [MASK] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
assert (philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0])
        == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])


def halves(number):
    return [number & MASK, number >> 32 & MASK]


def word(seed, stream, i):
    return philox(halves(i // 4) + halves(stream), halves(seed))[i % 4]


def signed(number, bits):
    return number - (1 << bits) if number >> bits - 1 else number


rng = random.Random(1)
numbers = [(rng.getrandbits(63), rng.getrandbits(63)) for _ in range(8)] + [(2 ** 63 - 1, 2 ** 63 - 1), (1, 0)]
text, wanted = "(defn main []\n", []
for seed, stream in numbers:
    text += f"  (println (random-bits i32 [6] :seed {seed} :stream {stream}))\n"
    wanted.append([signed(word(seed, stream, i), 32) for i in range(6)])
seed, stream = numbers[0]
text += f"  (println (random-bits i64 [5] :seed {seed} :stream {stream}))\n"
wanted.append([signed(word(seed, stream, 2 * i) | word(seed, stream, 2 * i + 1) << 32, 64) for i in range(5)])
text += f"  (println (uniform f32 [6] :seed {seed} :stream {stream}) :digits full)\n"
wanted.append([(word(seed, stream, i) >> 8) / 2 ** 24 for i in range(6)])
text += f"  (println (normal f64 [6] :seed {seed} :stream {stream}) :digits full))\n"
pairs = [[word(seed, stream, 4 * i + j) | word(seed, stream, 4 * i + j + 1) << 32 for j in (0, 2)] for i in range(6)]
wanted.append([math.sqrt(-2 * math.log(((a >> 11) + 1) / 2 ** 53)) * math.cos(2 * math.pi * (b >> 11) / 2 ** 53)
               for a, b in pairs])
with tempfile.NamedTemporaryFile("w", suffix=".lisp") as file:
    file.write(text)
    file.flush()
    lines = subprocess.run([sys.argv[1], "run", file.name], check=True, capture_output=True, text=True).stdout.splitlines()
got = [[float(n) if "." in n or "e" in n else int(n) for n in line.strip("[]").split()] for line in lines if line[0] == "["]
for line, numbers in zip(wanted[:-1], got[:-1], strict=True):
    single = [struct.unpack("f", struct.pack("f", n))[0] if isinstance(n, float) else n for n in numbers]
    assert single == line, (line, numbers)
assert max(abs(a - b) for a, b in zip(wanted[-1], got[-1], strict=True)) < 1e-13, (wanted[-1], got[-1])
print(sum(map(len, wanted[:10])), "words agree")
