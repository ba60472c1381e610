#!/usr/bin/env python3
"""amx-as-vectors.py < IN > OUT: replaces AMX's ops on tiles of BF16 by vectors of two dimensions, which any processor
computes. A product takes pairs: number 2 p + i of a left row times number i of column n in row p on the right."""
import itertools
import re
import sys

MAPS = ", ".join(f"affine_map<(m, n, p, i) -> {dims}>" for dims in ("(m, p, i)", "(p, n, i)", "(m, n)"))
counter = itertools.count()


def product(match):
    number = next(counter)
    result, left, right, sums = match.groups()
    pairs = "vector<16x32xbf16> to vector<16x16x2xbf16>"
    return f"""%left_{number} = vector.shape_cast {left} : {pairs}
%right_{number} = vector.shape_cast {right} : {pairs}
{result} = vector.contract {{indexing_maps = [{MAPS}],
  iterator_types = ["parallel", "parallel", "reduction", "reduction"], kind = #vector.kind<add>}}
  %left_{number}, %right_{number}, {sums} : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>"""


text = sys.stdin.read()
text = re.sub(r"amx\.tile_zero : \S+", "arith.constant dense<0.0> : vector<16x16xf32>", text)
text = re.sub(r"amx\.tile_load (\S+\[.*?\]) : (.*) into (\S+)", r"vector.load \1 : \2, \3", text)
text = re.sub(r"amx\.tile_store (\S+\[.*?\]), (\S+) : (.*), (\S+)$", r"vector.store \2, \1 : \3, \4", text, flags=re.M)
text = re.sub(r"(\S+) = amx\.tile_mulf (\S+), (\S+), (\S+) : .*", product, text)
if next(counter) == 0:
    sys.exit("no product by AMX")
print(text.replace("!amx.tile<", "vector<"))
