"""Writes repr.json: what PyTorch prints for its modules, `python make_repr.py` with torch and h5py.

A list of {module, args, required, children, repr}. The constructors are those of modules-*.h5 and the ones below, with dims and
indices counted from 1, as luth takes them; `repr` is PyTorch's, counted from 0. Every class of torch.nn has an entry.
"""
import glob
import json
import os
import warnings

import h5py
import torch
from torch import nn

folder = os.path.dirname(os.path.abspath(__file__))
BASES = {"Module", "Container", "RNNBase", "RNNCellBase", "NLLLoss2d", "LinearCrossEntropyOptions"}  # not for users
POSITIONS = {"dim", "start_dim", "end_dim", "padding_idx"}


def m(module, *children, required=(), **args):
    """A constructor as the goldens have it."""
    spec = {"module": module, "args": args, "required": list(required)}
    if children:
        spec["children"] = list(children)
    return spec


layer = dict(d_model=8, nhead=2, dim_feedforward=16)
MORE = [
    m("Softmax", dim=0), m("Softmin", dim=-2), m("GLU", dim=0), m("GELU", approximate="tanh"),
    m("ReLU6", inplace=True), m("ELU", alpha=0.5, inplace=True), m("SELU", inplace=True), m("CELU", inplace=True),
    m("SiLU", inplace=True), m("Mish", inplace=True), m("Hardtanh", min_val=-2.5, max_val=2.5, inplace=True),
    m("Hardsigmoid", inplace=True), m("Hardswish", inplace=True), m("LeakyReLU", negative_slope=1e-5, inplace=True),
    m("RReLU", lower=0.25, upper=0.5, inplace=True), m("Threshold", threshold=0.1, value=20.0, inplace=True),
    m("Softplus", beta=2.0, threshold=1e20), m("PReLU", num_parameters=3, init=0.1),
    m("Dropout", p=0.1, inplace=True), m("Dropout2d", p=0.1, inplace=True), m("AlphaDropout", p=0.1, inplace=True),
    m("FractionalMaxPool2d", kernel_size=2, output_size=3), m("FractionalMaxPool3d", kernel_size=[2, 3, 2], output_ratio=0.5),
    m("MaxPool2d", kernel_size=[3, 2], stride=[2, 1], padding=[1, 0], dilation=2, return_indices=True, ceil_mode=True),
    m("AvgPool2d", kernel_size=[3, 2], padding=[1, 0], count_include_pad=False, divisor_override=3),
    m("LPPool2d", norm_type=1.5, kernel_size=[3, 2], stride=2, ceil_mode=True), m("MaxUnpool3d", kernel_size=3, stride=2, padding=1),
    m("AdaptiveAvgPool2d", output_size=[None, 7]), m("AdaptiveMaxPool3d", output_size=[1, None, 2], return_indices=True),
    m("ZeroPad2d", padding=[1, 2, 0, 3]), m("ConstantPad1d", padding=[3, 1], value=-1.0), m("CrossMapLRN2d", size=3, k=2.0),
    m("LocalResponseNorm", size=5, alpha=1e-3), m("Upsample", size=[4, 6], mode="bilinear", align_corners=True),
    m("Upsample", scale_factor=[2.0, 1.5]), m("UpsamplingNearest2d", size=8), m("UpsamplingBilinear2d", scale_factor=2.0),
    m("Conv2d", in_channels=4, out_channels=8, kernel_size=[3, 5], stride=2, padding=[1, 2], dilation=2, groups=2, bias=False,
      padding_mode="reflect"),
    m("Conv1d", in_channels=4, out_channels=8, kernel_size=3, padding="same"),
    m("ConvTranspose2d", in_channels=4, out_channels=8, kernel_size=3, stride=2, padding=1, output_padding=1),
    m("LazyConvTranspose1d", out_channels=8, kernel_size=3), m("LazyInstanceNorm1d"), m("LazyInstanceNorm2d", affine=True),
    m("LazyInstanceNorm3d"), m("SyncBatchNorm", num_features=4), m("BatchNorm2d", num_features=4, eps=1e-3, momentum=None, affine=False),
    m("LayerNorm", normalized_shape=[4, 5], elementwise_affine=False), m("RMSNorm", normalized_shape=8, eps=1e-6),
    m("Embedding", num_embeddings=10, embedding_dim=3, padding_idx=2, max_norm=1.0, norm_type=1.5, scale_grad_by_freq=True),
    m("Embedding", num_embeddings=10, embedding_dim=3, sparse=False),
    m("EmbeddingBag", num_embeddings=10, embedding_dim=3, mode="sum", padding_idx=0, max_norm=2.0),
    m("RNN", input_size=3, hidden_size=4, num_layers=2, nonlinearity="relu", batch_first=True, dropout=0.1, bidirectional=True),
    m("LSTM", input_size=3, hidden_size=4, bias=False, proj_size=2), m("GRU", input_size=3, hidden_size=4, dropout=0.0, num_layers=3),
    m("RNNCell", input_size=3, hidden_size=4, bias=False, nonlinearity="relu"), m("GRUCell", input_size=3, hidden_size=4, bias=False),
    m("MultiheadAttention", embed_dim=8, num_heads=2, bias=False), m("MultiheadAttention", embed_dim=8, num_heads=2, kdim=3, vdim=5),
    m("TransformerEncoderLayer", **layer, activation="gelu", norm_first=True), m("TransformerDecoderLayer", **layer),
    m("TransformerEncoder", encoder_layer=m("TransformerEncoderLayer", required=["d_model", "nhead"], **layer), num_layers=3),
    m("TransformerDecoder", decoder_layer=m("TransformerDecoderLayer", required=["d_model", "nhead"], **layer), num_layers=2,
      norm=m("LayerNorm", normalized_shape=8)),
    m("Transformer", d_model=8, nhead=2, num_encoder_layers=2, num_decoder_layers=1, dim_feedforward=16),
    m("AdaptiveLogSoftmaxWithLoss", in_features=8, n_classes=20, cutoffs=[4, 10], div_value=2.0, head_bias=True),
    m("TripletMarginWithDistanceLoss", margin=0.5, swap=True),
    m("LinearCrossEntropyLoss", in_features=4, num_classes=3),
    m("Sequential"), m("ModuleList"), m("ModuleDict"), m("ParameterList"), m("ParameterDict"),
    m("Sequential", m("Conv2d", in_channels=1, out_channels=2, kernel_size=3), m("Sequential", m("ReLU"), m("Linear", in_features=2, out_features=1)),
      m("Sequential")),
    m("ModuleList", m("Linear", in_features=2, out_features=3), m("Linear", in_features=2, out_features=3), m("ReLU")),
    m("Sequential", m("ModuleList", *[m("Linear", in_features=2, out_features=2)] * 3), m("Identity")),
]


def golden():
    for path in sorted(glob.glob(os.path.join(folder, "modules-*.h5"))):
        with h5py.File(path) as file:
            for case in json.loads(bytes(file["json"][()]))["cases"]:
                if "module" in case and not any(str(v).startswith("$") for v in case["args"].values()):
                    yield {key: case[key] for key in ("module", "args", "required", "children") if key in case}


def value(v):
    if isinstance(v, dict):
        return build(v)
    if isinstance(v, list):  # luth has one form for a list of one number and the number
        return v[0] if len(v) == 1 else tuple(v)
    return v


def build(spec):
    children = [build(c) for c in spec.get("children", ())]
    args = {k: value(v) for k, v in spec["args"].items()}
    if spec["module"] == "ModuleList" and children:
        children = [children]
    return getattr(nn, spec["module"])(*children, **args)


def face(spec):
    def shifted(name, v):
        if isinstance(v, dict):
            return face(v)
        return v + 1 if name in POSITIONS and isinstance(v, int) and v >= 0 else v

    out = dict(spec, args={k: shifted(k, v) for k, v in spec["args"].items()})
    if "children" in spec:
        out["children"] = [face(c) for c in spec["children"]]
    return out


def main():
    warnings.simplefilter("ignore")
    entries, seen, classes = [], set(), set()
    for spec in [*golden(), *MORE]:
        text = json.dumps(face(spec), sort_keys=True)
        if text in seen or not hasattr(nn, spec["module"]):
            continue
        seen.add(text)
        classes.add(spec["module"])
        entries.append(dict(face(spec), repr=repr(build(spec))))
    missing = {n for n in nn.modules.__all__ if isinstance(getattr(nn, n), type)} - classes - BASES
    assert not missing, missing
    with open(os.path.join(folder, "repr.json"), "w") as out:
        out.write("[" + ",\n".join(json.dumps(e) for e in entries) + "]\n")
    print(len(entries), "forms of", len(classes), "classes, torch", torch.__version__)


if __name__ == "__main__":
    main()
