"""make-shards.py FOLDER: small shards of tokens as llm.c writes them, one with a token of 8192, and a text."""
import pathlib, struct, sys

folder = pathlib.Path(sys.argv[1])


def shard(name, tokens):
    header = struct.pack("<256i", 20240520, 1, len(tokens), *[0] * 253)
    (folder / name).write_bytes(header + struct.pack(f"<{len(tokens)}H", *tokens))


shard("train_000.bin", range(20))
shard("train_001.bin", range(100, 120))
shard("large.bin", [1, 2, 8192] + [3] * 20)
(folder / "story.txt").write_text("Once upon a time there was a little dog. The dog was very happy.")
