"""train-losses.py MODEL SHARD STEPS WARMUP PARTS [RATE [LOG]]: the losses of training, by PyTorch in float32.

Needs torch and transformers. MODEL is a folder with the first weights, such as what a run with a learning rate of 0
wrote; SHARD is the text's. The losses that the tests compare:
    cp examples/training/sonnets.txt . && cp sonnets.txt sonnets-l.txt
    lispier run examples/training/train-gpt2.lisp -- --data sonnets.txt --size tiny --steps 1 --lr 0 --out run
    train-losses.py run/latest sonnets.txt.bin 20 5 2 > train-losses.txt
    lispier run examples/training/train-llama.lisp -- --data sonnets-l.txt --model examples/llama/llama3-tiny \
        --size new --steps 1 --lr 0 --out run-l
    train-losses.py run-l/latest sonnets-l.txt.bin 8 2 1 > train-losses-llama.txt
With LOG, the log.tsv of such a run, it prints how far the losses are apart. Of the bundled model in 200 steps:
    lispier run examples/training/train-gpt2.lisp -- --data sonnets.txt --model examples/gpt2/mini --steps 200 \
        --lr 3e-4 --warmup 10 --out run-m
    train-losses.py examples/gpt2/mini sonnets.txt.bin 200 10 1 3e-4 run-m/log.tsv
    200 losses, at most 1.9e-05 apart, in step 119; the last are 0.027076 and 0.027075
Steps of AdamW: B 4, T 64, PARTS batches accumulated, learning rate RATE (1e-3) with a warm-up and a cosine to 0, betas
0.9 and 0.95, decay 0.1 of matrices, gradients clipped to 1.
"""
import math
import sys

import numpy
import torch
import transformers

model = transformers.AutoModelForCausalLM.from_pretrained(
    sys.argv[1], attn_implementation="eager", dtype=torch.float32
)
model.train()
tokens = torch.from_numpy(numpy.fromfile(sys.argv[2], dtype=numpy.uint16, offset=1024).astype(numpy.int64))
matrices = [p for name, p in model.named_parameters() if p.dim() == 2]
vectors = [p for name, p in model.named_parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW(
    [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
    lr=1e-3, betas=(0.9, 0.95), eps=1e-8
)
steps, warmup, parts = (int(word) for word in sys.argv[3:6])
peak = float(sys.argv[6]) if len(sys.argv) > 6 else 1e-3
log = [line.split("\t") for line in open(sys.argv[7])] if len(sys.argv) > 7 else None
rows, row = 4, 64
dropout = [module for module in model.modules() if isinstance(module, torch.nn.Dropout)]
for module in dropout:
    module.p = 0.0
place = 0
losses = []
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
    losses.append(total)
    if log is None:
        print("%.4f" % total)
if log is not None:
    own = [float(line[1]) for line in log[1:] if line[1]]
    apart = [abs(a - b) for a, b in zip(own, losses, strict=True)]
    worst = max(range(steps), key=lambda step: apart[step])
    print("%d losses, at most %.1e apart, in step %d; the last are %.6f and %.6f"
          % (steps, apart[worst], worst + 1, own[-1], losses[-1]))
