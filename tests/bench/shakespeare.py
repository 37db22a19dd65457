"""The recipes of scripts/char_lstm.lua and scripts/char_gpt.lua in PyTorch: bits per character of the last tenth of the text.

shakespeare.py lstm|gpt FILE STEPS [SEED] [THREADS]
"""
import math, sys, time
import torch
from torch import nn
from torch.nn import functional as F

kind, path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.manual_seed(int(sys.argv[4]) if len(sys.argv) > 4 else 0)
torch.set_num_threads(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
text = open(path).read()
letters = sorted(set(text))
codes = torch.tensor([letters.index(c) for c in text])
last = round(0.9 * len(codes))
train, val = codes[:last], codes[last:]
context, batch = 64, 32


class CharLSTM(nn.Module):
    def __init__(self, hidden=256):
        super().__init__()
        self.embed, self.lstm, self.head = nn.Embedding(len(letters), 64), nn.LSTM(64, hidden, batch_first=True), nn.Linear(hidden, len(letters))

    def forward(self, x):
        return self.head(self.lstm(self.embed(x))[0])


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, w))
        return x + self.mlp(self.norm2(x))


class CharGPT(nn.Module):
    def __init__(self, width=128, layers=4, heads=4):
        super().__init__()
        self.tokens, self.places = nn.Embedding(len(letters), width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, len(letters))
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, 0, 0.02)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.tokens(x) + self.places(torch.arange(x.shape[1])))))


model = CharLSTM() if kind == 'lstm' else CharGPT()
rate = 3e-3 if kind == 'lstm' else 1e-3
opt = torch.optim.AdamW(model.parameters(), lr=rate)
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=rate, total_steps=steps)
n = (len(train) - context - 1) // context + 1  # windows, each of which begins up to context - 1 characters later
start = time.process_time()
step = 0
while step < steps:
    order = torch.randperm(n)
    for at in range(0, n, batch):
        begin = [int(i) * context + int(torch.randint(0, min(context, len(train) - context - int(i) * context), ())) for i in order[at:at + batch]]
        x = torch.stack([train[b:b + context] for b in begin])
        y = torch.stack([train[b + 1:b + context + 1] for b in begin])
        opt.zero_grad()
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        schedule.step()
        step += 1
        if step == steps:
            break
seconds = time.process_time() - start
total = count = 0
with torch.no_grad():
    for at in range(0, len(val) - context - 1 + 1, context * 64):
        begins = [b for b in range(at, min(at + context * 64, len(val) - context), context)]
        x = torch.stack([val[b:b + context] for b in begins])
        y = torch.stack([val[b + 1:b + context + 1] for b in begins])
        total += F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction='sum').item()
        count += y.numel()
print(f'{kind}: {steps} steps, {total / count / math.log(2):.4f} bits per character, {seconds:.0f} s of processor time, {1000 * seconds / steps:.1f} ms a step')
