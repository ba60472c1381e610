"""train-losses.py RUN SHARD STEPS WARMUP PARTS: the losses that the tests compare, by PyTorch in float32.

RUN is the folder that this wrote, whose weights are the first ones, as the learning rate is 0; SHARD is the text's:
    cp examples/training/sonnets.txt . && cp sonnets.txt sonnets-l.txt
    lispier run examples/training/train-gpt2.lisp -- --data sonnets.txt --size tiny --steps 1 --lr 0 --out run
    train-losses.py run sonnets.txt.bin 20 5 2 > train-losses.txt
    lispier run examples/training/train-llama.lisp -- --data sonnets-l.txt --model examples/llama/llama3-tiny \
        --size new --steps 1 --lr 0 --out run-l
    train-losses.py run-l sonnets-l.txt.bin 8 2 1 > train-losses-llama.txt
Steps of AdamW: B 4, T 64, PARTS batches accumulated, learning rate 1e-3 with a warm-up and a cosine to 0, betas 0.9 and
0.95, decay 0.1 of matrices, gradients clipped to 1.
"""
import math
import sys

import numpy
import torch
import transformers

model = transformers.AutoModelForCausalLM.from_pretrained(
    sys.argv[1] + "/latest", attn_implementation="eager", dtype=torch.float32
)
model.train()
tokens = torch.from_numpy(numpy.fromfile(sys.argv[2], dtype=numpy.uint16, offset=1024).astype(numpy.int64))
matrices = [p for name, p in model.named_parameters() if p.dim() == 2]
vectors = [p for name, p in model.named_parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW(
    [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
    lr=1e-3, betas=(0.9, 0.95), eps=1e-8
)
steps, warmup, parts = (int(word) for word in sys.argv[3:])
peak, rows, row = 1e-3, 4, 64
dropout = [module for module in model.modules() if isinstance(module, torch.nn.Dropout)]
for module in dropout:
    module.p = 0.0
place = 0
for step in range(steps):
    rate = peak * (step + 1) / (warmup + 1)
    if step >= warmup:
        rate = 0.5 * peak * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    total = 0.0
    for _ in range(parts):
        if place + rows * row + 1 > len(tokens):
            place = 0
        batch = tokens[place : place + rows * row + 1]
        place += rows * row
        inputs, targets = batch[:-1].reshape(rows, row), batch[1:].reshape(rows, row)
        logits = model(inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
        (loss / parts).backward()
        total += loss.item() / parts
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print("%.4f" % total)
