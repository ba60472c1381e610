"""numbered.py FOLDER: a model of F32 tensors whose elements are numbers of their own: 100 * (tensor's number) + place."""
import json
import os
import struct
import sys

TENSORS = {"a": [4, 3], "b": [2, 3], "wide": [2, 6], "turned": [6, 2], "odd": [3, 2], "fused": [6, 3],
           "h.0.w": [4, 2], "h.1.w": [4, 2], "h.0.bias": [4], "h.1.bias": [4], "cube": [2, 4, 3]}

header, data = {}, b""
for number, (name, shape) in enumerate(TENSORS.items()):
    count = 1
    for size in shape:
        count *= size
    numbers = struct.pack(f"<{count}f", *(100 * number + i for i in range(count)))
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
    data += numbers
text = json.dumps(header).encode()
os.makedirs(sys.argv[1], exist_ok=True)
with open(os.path.join(sys.argv[1], "model.safetensors"), "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
