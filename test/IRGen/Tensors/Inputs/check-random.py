"""check-random.py LISPIER: compares random-bits, uniform and normal with Philox 4x32-10 computed here."""
import math, random, struct, subprocess, sys, tempfile
from philox import word


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
