#!/usr/bin/env python3
"""weights.py FILE.bin [LAYERS CHANNELS VOCABULARY POSITIONS]: random weights of a GPT-2 as an llm.c checkpoint.

The default shape is that of 124M. Speed does not depend on the values, so they are chosen to be fast to generate:
BF16 numbers of either sign from 0.0078 to 0.0156. The last token, which ends a text, has a zero embedding, so it is
never the most likely one.
"""
import random
import struct
import sys

SHAPE = (12, 768, 50257, 1024)
CHUNK = 1 << 22
# The high byte of a BF16 number: its sign and the upper bits of its exponent.
HIGH = bytes(0x3C | byte & 0x80 for byte in range(256))


def numbers(source, count):
    """`count` BF16 numbers as bytes."""
    for start in range(0, count, CHUNK):
        n = min(CHUNK, count - start)
        pairs = bytearray(2 * n)
        pairs[0::2] = source.randbytes(n).translate(bytes(byte & 0x7F for byte in range(256)))
        pairs[1::2] = source.randbytes(n).translate(HIGH)
        yield pairs


def write(path, layers=SHAPE[0], channels=SHAPE[1], vocabulary=SHAPE[2], positions=SHAPE[3]):
    source = random.Random(0)
    padded = (vocabulary + 127) // 128 * 128
    c = channels
    layer = 2 * c + 3 * c * c + 3 * c + c * c + c + 2 * c + 4 * c * c + 4 * c + 4 * c * c + c
    header = [20240326, 5, positions, vocabulary, layers, c // 64, c, padded]
    with open(path, "wb") as file:
        file.write(struct.pack("<256i", *header, *[0] * (256 - len(header))))
        for count in ((vocabulary - 1) * c, positions * c + layers * layer + 2 * c):
            for chunk in numbers(source, count):
                file.write(chunk)
            if count == (vocabulary - 1) * c:
                file.write(bytes(2 * c * (padded - vocabulary + 1)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 6):
        sys.exit(__doc__)
    write(sys.argv[1], *map(int, sys.argv[2:]))
