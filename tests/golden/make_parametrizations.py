# Writes parametrizations.safetensors: layers whose weight is computed, as PyTorch has them, for tests/lang/parametrize.lua. Run it
# where PyTorch and safetensors are:  python tests/golden/make_parametrizations.py
# Names: <case>|<key of the state dict>, and <case>| for what the layer gives for ones. 
import os
import warnings

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.utils import parametrizations, prune, spectral_norm, weight_norm

warnings.simplefilter("ignore")
torch.manual_seed(0)
out = {}


def record(case, m):
    with torch.no_grad():
        for p in m.parameters():
            noise = torch.randn_like(p) * 0.3
            if case.startswith("householder") and p.dim() == 2:  # its diagonal holds signs
                noise = noise.tril(-1) if p.shape[0] >= p.shape[1] else noise.triu(1)
            p.add_(noise)
    m.eval()
    for key, value in m.state_dict().items():
        out[f"{case}|{key}"] = value.clone().contiguous()
    out[f"{case}|"] = m(torch.ones(1, m.in_features)).detach()


for orthogonal_map in ("matrix_exp", "cayley", "householder"):
    for rows, columns in ((4, 4), (5, 3), (3, 5)):
        for trivial in (True, False):
            m = parametrizations.orthogonal(nn.Linear(columns, rows), orthogonal_map=orthogonal_map, use_trivialization=trivial)
            record(f"{orthogonal_map} {rows} {columns} {trivial}", m)
record("parametrizations.weight_norm", parametrizations.weight_norm(nn.Linear(3, 4)))
record("parametrizations.spectral_norm", parametrizations.spectral_norm(nn.Linear(3, 4)))
record("weight_norm", weight_norm(nn.Linear(3, 4)))
record("spectral_norm", spectral_norm(nn.Linear(3, 4)))
m = nn.Linear(6, 4)
prune.ln_structured(m, "weight", 0.5, 2, 0)
prune.l1_unstructured(m, "weight", 0.3)
out["prune|weight"], out["prune|mask"] = m.weight_orig.detach().clone(), m.weight_mask.clone()
save_file(out, os.path.join(os.path.dirname(os.path.abspath(__file__)), "parametrizations.safetensors"))
