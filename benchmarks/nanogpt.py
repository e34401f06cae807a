"""The peer of shakespeare.py: nanoGPT's model and loop, written after karpathy/nanoGPT (MIT).

Its recipe for a CPU: `config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=20
--log_interval=1 --block_size=64 --batch_size=12 --n_layer=4 --n_head=4 --n_embd=128
--max_iters=2000 --lr_decay_iters=2000 --dropout=0.0`. Only logging and files are left out.

python benchmarks/nanogpt.py TEXT STEPS      prints the seconds that training took, and the loss
"""

import json
import math
import sys
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

BLOCK, BATCH, LAYERS, HEADS, WIDTH = 64, 12, 4, 4, 128
RATE, LEAST, WARMUP, EVERY, MEASURED = 1e-3, 1e-4, 100, 250, 20


class Attention(nn.Module):
    """nanoGPT's CausalSelfAttention."""

    def __init__(self) -> None:
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.c_proj = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        rows, length, width = x.size()
        q, k, v = self.c_attn(x).split(WIDTH, dim=2)
        q, k, v = (y.view(rows, length, HEADS, width // HEADS).transpose(1, 2) for y in (q, k, v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(rows, length, width))


class Block(nn.Module):
    """nanoGPT's Block, its MLP included."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(WIDTH, bias=False), Attention()
        self.ln_2 = nn.LayerNorm(WIDTH, bias=False)
        self.c_fc = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.c_proj = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(functional.gelu(self.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    """nanoGPT's GPT, the loss included."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH, bias=False)
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                residual = name.endswith("c_proj.weight")
                nn.init.normal_(weight, std=0.02 / (math.sqrt(2 * LAYERS) if residual else 1))

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def drawn(data: Tensor) -> tuple[Tensor, Tensor]:
    """Letters at random places, and the letters that follow."""
    at = torch.randint(len(data) - BLOCK, (BATCH,))
    x = torch.stack([data[i : i + BLOCK] for i in at])
    return x, torch.stack([data[i + 1 : i + 1 + BLOCK] for i in at])


@torch.no_grad()
def estimated(model: GPT, splits: tuple[Tensor, Tensor]) -> list[float]:
    model.eval()
    found = [sum(model(*drawn(data)).item() for _ in range(MEASURED)) / MEASURED for data in splits]
    model.train()
    return found


def rate(step: int, steps: int) -> float:
    if step < WARMUP:
        return RATE * (step + 1) / (WARMUP + 1)
    share = (step - WARMUP) / (steps - WARMUP)
    return LEAST + 0.5 * (1 + math.cos(math.pi * share)) * (RATE - LEAST)


def train(text: str, steps: int) -> tuple[float, float]:
    letters = {letter: number for number, letter in enumerate(sorted(set(text)))}
    data = torch.tensor([letters[letter] for letter in text])
    splits = data[: int(0.9 * len(data))], data[int(0.9 * len(data)) :]
    model = GPT(len(letters))
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.99))
    started, found = time.perf_counter(), [math.nan, math.nan]
    batch = drawn(splits[0])
    for step in range(steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps)
        if step % EVERY == 0:
            found = estimated(model, splits)
        loss = model(*batch)
        batch = drawn(splits[0])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()
    return time.perf_counter() - started, found[1]


if __name__ == "__main__":
    torch.manual_seed(1337)
    torch.set_num_threads(2)
    seconds, loss = train(Path(sys.argv[1]).read_text("utf-8"), int(sys.argv[2]))
    print(json.dumps({"seconds": seconds, "loss": loss}))
