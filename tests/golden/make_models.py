# Writes tests/golden/models, what torchvision's and Hugging Face's models are and give, for tests/lang/models.lua. Run it where
# torch, torchvision, safetensors and transformers are:  python tests/golden/make_models.py
#   keys.json            of each model: the number of parameters, of state-dict keys, and a checksum of "key [shape]" in order
#   <name>.safetensors   weights of a narrow variant, random; resnet18 as .pth
#   gpt llama bert       folders as save_pretrained writes them
#   results.safetensors  <name>.in, <name>.out
import json
import os
import shutil

import torch
import torchvision
from safetensors.torch import save_file
from torchvision.models.resnet import BasicBlock, ResNet
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
VISION = """alexnet vgg11 vgg13 vgg16 vgg19 vgg11_bn vgg13_bn vgg16_bn vgg19_bn resnet18 resnet34 resnet50 resnet101 resnet152
resnext50_32x4d wide_resnet50_2 densenet121 squeezenet1_0 squeezenet1_1 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large
shufflenet_v2_x1_0 efficientnet_b0 convnext_tiny googlenet vit_b_16""".split()


def described(model):
    text = "".join(f"{k} {list(v.shape)}\n" for k, v in model.state_dict().items())
    h = 0xCBF29CE484222325  # FNV-1a, 64 bits
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) % 2**64
    return {"parameters": sum(p.numel() for p in model.parameters()), "keys": len(model.state_dict()), "checksum": f"{h:016x}"}


# ResNet-18 whose stages have `width`, 2 width, … channels.
class NarrowResNet(ResNet):
    def __init__(self, width, num_classes):
        self.__dict__["scale"] = 64 // width
        super().__init__(BasicBlock, [2, 2, 2, 2], num_classes=num_classes)
        self.fc = torch.nn.Linear(8 * width, num_classes)

    def __setattr__(self, name, value):
        super().__setattr__(name, 64 // self.scale if name == "inplanes" and value == 64 and "conv1" not in self._modules else value)

    def _make_layer(self, block, planes, *args, **kwargs):
        return super()._make_layer(block, planes // self.scale, *args, **kwargs)


def randomised(model):
    model.eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() > 1 and "norm" not in name.lower():
                fan = p[0].numel()
                p.copy_(torch.randn_like(p) * (1.4 / fan**0.5 if fan > 1 else 0.3))
            else:
                p.copy_(torch.rand_like(p) * 0.6 + (0.7 if name.endswith("weight") else -0.3))
        for name, b in model.named_buffers():
            if name.endswith("running_mean"):
                b.copy_(torch.randn_like(b) * 0.2)
            elif name.endswith("running_var"):
                b.copy_(torch.rand_like(b) + 0.5)
    return model


def main():
    torch.manual_seed(0)
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    with torch.device("meta"):
        keys = {n: described(getattr(torchvision.models, n)(**({"init_weights": False} if n == "googlenet" else {}))) for n in VISION}
        keys["gpt"] = described(GPT2LMHeadModel(GPT2Config()).transformer)
        keys["bert"] = described(BertModel(BertConfig()))
        keys["llama"] = described(LlamaForCausalLM(LlamaConfig()))
    with open(os.path.join(FOLDER, "keys.json"), "w") as f:
        json.dump(keys, f, indent=0)
        f.write("\n")

    results = {}
    image = torch.randn(2, 3, 64, 64)
    vit = torchvision.models.VisionTransformer(image_size=64, patch_size=16, num_layers=2, num_heads=2, hidden_dim=16, mlp_dim=32, num_classes=7)
    vision = {
        "resnet18": NarrowResNet(4, 7),
        "mobilenet_v3_small": torchvision.models.mobilenet_v3_small(width_mult=0.125, num_classes=7),
        "vit_b_16": vit,
    }
    for name, model in vision.items():
        randomised(model)
        if name == "resnet18":
            torch.save(model.state_dict(), os.path.join(FOLDER, name + ".pth"))
        else:
            save_file({k: v.contiguous() for k, v in model.state_dict().items()}, os.path.join(FOLDER, name + ".safetensors"))
        results[name + ".in"] = image
        results[name + ".out"] = model(image).detach()

    tokens = torch.randint(0, 40, (2, 9))
    gpt = randomised(GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2)))
    llama = LlamaConfig(vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
    llama.rope_parameters = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                             "original_max_position_embeddings": 16}
    llama = randomised(LlamaForCausalLM(llama))
    bert = randomised(BertModel(BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                                           max_position_embeddings=16)))
    gpt.save_pretrained(os.path.join(FOLDER, "gpt"))
    llama.save_pretrained(os.path.join(FOLDER, "llama"), max_shard_size="10KB")
    bert.save_pretrained(os.path.join(FOLDER, "bert"))
    for name, model in (("gpt", gpt), ("llama", llama)):
        results[name + ".in"] = tokens
        results[name + ".out"] = model(tokens).logits.detach()
        results[name + ".generated"] = model.generate(tokens[:, :3], max_new_tokens=6, do_sample=False, pad_token_id=39, eos_token_id=None)
    mask = torch.ones(2, 9, dtype=torch.int64)
    mask[1, 6:] = 0
    types = (torch.arange(9) > 4).long().expand(2, 9).contiguous()
    out = bert(tokens, attention_mask=mask, token_type_ids=types)
    results.update({"bert.in": tokens, "bert.mask": mask, "bert.types": types, "bert.out": out.last_hidden_state.detach(),
                    "bert.pooled": out.pooler_output.detach()})
    save_file({k: v.clone() for k, v in results.items()}, os.path.join(FOLDER, "results.safetensors"))
    for name in ("gpt", "llama"):
        os.remove(os.path.join(FOLDER, name, "generation_config.json"))


main()
