"""Writes arguments.txt: how PyTorch's functions and methods are called, one line for each way.

    python tests/golden/make_arguments.py NAMES > tests/golden/arguments.txt

NAMES is a file with the names of luth's operators, one a line ("softmax", "linalg.qr", "nn.functional.pad"):

    for _, f in ipairs(require('luth.registry').faces()) do print(f.name) end

Names, order, keyword-only arguments and defaults are those that PyTorch's own parser takes: the schemas of its
operators for what is built in, inspect for what is written in Python. Documented names that the parser refuses
(`torch.cholesky_solve(B, L)`) follow as lines that begin with "doc ".
"""
import inspect
import re
import sys
import warnings

import torch

warnings.simplefilter("ignore")
# Where, with what memory, for whose random numbers: the same everywhere, and not an operator's own.
COMMON = {"out", "layout", "pin_memory", "device", "generator", "requires_grad", "memory_format"}
OLD = {"names", "_stacklevel", "size_average"}  # out of use, and reduce where its default is None
schemas = {}
for schema in torch._C._jit_get_all_schemas():
    if schema.name.startswith("aten::"):
        schemas.setdefault(schema.name[6:], []).append(schema)


def text(value):
    if isinstance(value, torch.dtype) or value is inspect.Parameter.empty:
        return "None"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(v) for v in value) + "]"
    return repr(value)


def join(arguments):
    """arguments: (name, default or None for a required one, keyword only)"""
    line, star = [], False
    for name, default, keyword in arguments:
        if name in COMMON or name in OLD or (name, default) == ("reduce", "None"):
            continue
        if keyword and not star:
            line.append("*")
            star = True
        line.append(name if default is None else f"{name}={default}")
    return ", ".join(line)


def is_tensor_operator(schema):
    """Not one of the same name on TorchScript's lists and numbers."""
    name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
    return torch._C._dispatch_has_kernel(name) and "Tensor" in str(schema)


def of_schema(schema, method):
    if not is_tensor_operator(schema):
        return None
    arguments = []
    for a in schema.arguments:
        kind = str(a.type)
        if "Dimname" in kind or a.is_out:
            return None
        if a.name == "self" and method:
            continue
        default = text(a.default_value) if a.has_default_value() else None
        if a.name == "reduction" and default == "1":
            default = "'mean'"
        if a.name == "dtype":
            default = "None"
        arguments.append(("input" if a.name == "self" else a.name, default, a.kwarg_only))
    return join(arguments)


def of_python(function, method):
    arguments = []
    for i, p in enumerate(inspect.signature(function).parameters.values()):
        if method and i == 0:
            continue
        if p.kind in (p.VAR_KEYWORD,):
            return None
        required = p.default is p.empty
        name = "*" + p.name if p.kind == p.VAR_POSITIONAL else p.name
        arguments.append((name, None if required else text(p.default), p.kind == p.KEYWORD_ONLY))
    return join(arguments)


def owner_of(name):
    owner = torch
    for part in name.split(".")[:-1]:
        owner = getattr(owner, part, None)
    return owner


def is_python(function):
    return inspect.isfunction(function) or hasattr(function, "__wrapped__")


def ways(name, method):
    last = name.split(".")[-1]
    owner = torch.Tensor if method else owner_of(name)
    if not method and "." not in name and hasattr(torch.nn.functional, name) and name != "unfold":
        owner = torch.nn.functional
    function = getattr(owner, last, None)  # F.unfold has nothing in common with x.unfold
    if function is None:
        return []
    if "boolean_dispatch" in getattr(function, "__qualname__", ""):
        function = getattr(torch.nn.functional, "_" + last, function)
    if is_python(function):
        lines = [of_python(function, method)]
    else:
        native = name.replace("nn.functional.", "").replace(".", "_")
        lines = [of_schema(s, method) for s in schemas.get(native, [])]
    return sorted({line for line in lines if line is not None})


def documented(name):
    """The names in the first line of the documentation: "cholesky_solve(B, L, upper=False, *, out=None) -> Tensor"."""
    last = name.split(".")[-1]
    function = getattr(owner_of(name), last, None) or getattr(torch.nn.functional, last, None)
    text = (getattr(function, "__doc__", None) or "").strip().split("\n\n")[0].replace("\\", "").replace("\n", " ")
    first = re.match(r"(?:torch\.)?(?:linalg\.|special\.)?" + last + r"\((.*?)\)\s*(?:->.*)?$", text)
    names = []
    for part in first.group(1).split(",") if first else []:
        name = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(=.*)?", part)
        if name and name.group(1) not in COMMON | OLD:
            names.append(name.group(1))
    return names


def main():
    for name in open(sys.argv[1]).read().split():
        if name.startswith("_") or name == "Tensor":
            continue
        functions, methods = ways(name, False), [] if "." in name else ways(name, True)
        where = "torch" if "." in name or hasattr(torch, name) else "F"
        for line in functions:
            print(f"{where}.{name}({line})")
        without = {re.sub(r"^(input|tensor)(, )?", "", line) for line in functions}
        for line in methods:
            if line not in without and (not functions or is_python(getattr(torch.Tensor, name))):
                print(f"x:{name}({line})")
        known = {re.split("=", a.strip())[0].lstrip("*") for line in functions for a in line.split(",")}
        names = documented(name)
        if functions and [n for n in names if n not in known]:
            print(f"doc {where}.{name}({', '.join(names)})")


main()
