# Writes distributions.json: what PyTorch's torch.distributions give, for tests/lang/distributions.lua. Run it where PyTorch is:
#   python tests/golden/make_distributions.py
# A case: a distribution (class and arguments), values with log_prob and cdf, icdf of `levels`, and its other figures. What PyTorch
# does not have is missing. Labels count from 1. Infinite numbers and nan are strings.
import json
import math
import os

import torch
import torch.distributions as D

torch.set_default_dtype(torch.float64)
LEVELS = [0.1, 0.5, 0.9]


def plain(x):
    if isinstance(x, torch.Tensor):
        x = x.tolist()
    if isinstance(x, (list, tuple, torch.Size)):
        return [plain(v) for v in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return x


def build(spec):
    if isinstance(spec, dict):
        return getattr(D, spec["class"])(**{k: build(v) for k, v in spec["args"].items()})
    if isinstance(spec, list) and spec and isinstance(spec[0], dict):
        return [build(v) for v in spec]
    return torch.tensor(spec, dtype=torch.float64) if isinstance(spec, list) else spec


def d(name, **args):
    return {"class": name, "args": args}


def figures(dist, base):
    out = {"batch_shape": list(dist.batch_shape), "event_shape": list(dist.event_shape)}
    for name in ("mean", "variance", "stddev", "mode"):
        try:
            out[name] = plain(getattr(dist, name) + (base if name == "mode" else 0))
        except (NotImplementedError, AttributeError):
            pass
    try:
        out["entropy"] = plain(dist.entropy())
    except NotImplementedError:
        pass
    try:
        out["icdf"] = [plain(dist.icdf(torch.tensor(p))) for p in LEVELS]
    except NotImplementedError:
        pass
    return out


def case(spec, values):
    dist = build(spec)
    base = 1 if spec["class"] == "Categorical" else 0
    out = {"distribution": spec, "values": []}
    out.update(figures(dist, base))
    for value in values:
        x = torch.tensor(value, dtype=torch.float64)
        row = {"value": plain(x + base), "log_prob": plain(dist.log_prob(x))}
        try:
            row["cdf"] = plain(dist.cdf(x))
        except NotImplementedError:
            pass
        out["values"].append(row)
    return out


cov = [[2.0, 0.3, -0.4], [0.3, 1.5, 0.2], [-0.4, 0.2, 0.9]]
tril = [[1.0, 0.0], [0.5, 2.0]]
normal2 = d("Normal", loc=[0.5, -1.25], scale=[0.75, 2.0])
real = [[-2.0, 0.3], [0.25, -1.5], 0.125]
cases = [
    case(d("Normal", loc=0.0, scale=1.0), [-3.0, 0.0, 0.5, 40.0]),
    case(normal2, real),
    case(d("MultivariateNormal", loc=[1.0, -0.5, 0.25], covariance_matrix=cov), [[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]]),
    case(d("MultivariateNormal", loc=[1.0, -0.5, 0.25], precision_matrix=cov), [[0.1, 0.2, 0.3]]),
    case(d("MultivariateNormal", loc=[[1.0, -0.5], [0.0, 3.0]], scale_tril=tril), [[0.1, 0.2], [[1.0, 2.0], [-2.0, 0.0]]]),
    case(d("Bernoulli", probs=[0.0, 0.25, 0.5, 0.9, 1.0]), [[0.0, 0.0, 1.0, 1.0, 1.0], 1.0]),
    case(d("Bernoulli", logits=[-2.0, 0.0, 3.5]), [[0.0, 1.0, 1.0]]),
    case(d("Categorical", probs=[[0.1, 0.5, 0.4], [2.0, 1.0, 1.0]]), [[0.0, 2.0], 1.0, [[0.0, 1.0], [2.0, 2.0]]]),
    case(d("Categorical", logits=[0.5, -1.0, 2.0, 0.0]), [3.0, [0.0, 1.0, 2.0]]),
    case(d("OneHotCategorical", probs=[[0.1, 0.5, 0.4], [2.0, 1.0, 1.0]]), [[0.0, 0.0, 1.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]),
    case(d("Uniform", low=-1.0, high=[0.5, 3.0]), [0.0, [0.25, 2.5]]),
    case(d("Exponential", rate=[0.5, 3.0]), [0.0, [0.25, 2.5]]),
    case(d("Gamma", concentration=[0.5, 1.0, 7.5], rate=[2.0, 1.0, 0.25]), [0.5, [0.01, 2.5, 30.0]]),
    case(d("Beta", concentration1=[0.5, 2.0, 5.0], concentration0=[0.75, 3.0, 1.0]), [0.5, [0.01, 0.25, 0.99]]),
    case(d("Dirichlet", concentration=[[0.5, 2.0, 5.0], [0.75, 0.25, 0.5]]), [[0.25, 0.25, 0.5], [[0.1, 0.2, 0.7], [0.5, 0.125, 0.375]]]),
    case(d("Laplace", loc=[0.5, -1.25], scale=[0.75, 2.0]), real),
    case(d("StudentT", df=[0.5, 1.5, 2.0, 7.0]), [0.0, [0.5, -1.0, 3.0, 20.0]]),
    case(d("StudentT", df=4.0, loc=[0.5, -1.25], scale=[0.75, 2.0]), real),
    case(d("Poisson", rate=[0.0, 0.5, 12.5]), [0.0, [0.0, 3.0, 11.0]]),
    case(d("Binomial", total_count=5, probs=[0.0, 0.25, 0.75]), [0.0, [0.0, 3.0, 5.0]]),
    case(d("Binomial", total_count=12, logits=[-1.0, 2.0]), [4.0, [0.0, 12.0]]),
    case(d("Independent", base_distribution=d("Normal", loc=[[0.5, -1.25], [0.0, 1.0]], scale=1.5), reinterpreted_batch_ndims=1),
         [[0.1, 0.2], [[1.0, 2.0], [-2.0, 0.0]]]),
    case(d("Independent", base_distribution=d("Bernoulli", probs=[0.25, 0.75]), reinterpreted_batch_ndims=1), [[0.0, 1.0]]),
    case(d("LogNormal", loc=[0.5, -1.25], scale=[0.75, 0.5]), [[0.5, 2.0], 1.0]),
    case(d("TransformedDistribution", base_distribution=normal2, transforms=[d("ExpTransform"), d("AffineTransform", loc=1.0, scale=-2.0)]),
         [[-0.5, -4.0]]),
    case(d("TransformedDistribution", base_distribution=normal2, transforms=[d("SigmoidTransform")]), [[0.25, 0.75]]),
    case(d("TransformedDistribution", base_distribution=normal2, transforms=[d("TanhTransform")]), [[0.25, -0.75]]),
    case(d("TransformedDistribution", base_distribution=normal2, transforms=[d("SoftplusTransform")]), [[0.25, 3.0]]),
    case(d("TransformedDistribution", base_distribution=d("Uniform", low=[0.0, 1.0], high=[1.0, 4.0]), transforms=[d("PowerTransform", exponent=2.0)]),
         [[0.25, 9.0]]),
    case(d("TransformedDistribution", base_distribution=d("Normal", loc=[[0.5, -1.25]], scale=1.0),
           transforms=[d("ComposeTransform", parts=[d("AffineTransform", loc=[1.0, 2.0], scale=3.0, event_dim=1), d("ExpTransform")])]),
         [[[0.25, 3.0]]]),
    case(d("TransformedDistribution", base_distribution=d("MultivariateNormal", loc=[1.0, -0.5], scale_tril=tril), transforms=[d("ExpTransform")]),
         [[0.25, 3.0]]),
]

log_normal = d("LogNormal", loc=[0.5, -1.25], scale=[0.75, 0.5])
pairs = [
    (normal2, d("Normal", loc=0.0, scale=[1.0, 3.0])),
    (d("MultivariateNormal", loc=[1.0, -0.5], scale_tril=tril), d("MultivariateNormal", loc=[0.0, 1.0], covariance_matrix=[[2.0, 0.5], [0.5, 1.0]])),
    (d("Bernoulli", probs=[0.0, 0.25, 1.0]), d("Bernoulli", probs=[0.5, 0.75, 0.9])),
    (d("Binomial", total_count=4, probs=[0.1, 0.25]), d("Binomial", total_count=4, probs=[0.5, 0.75])),
    (d("Categorical", probs=[0.2, 0.0, 0.8]), d("Categorical", probs=[0.5, 0.25, 0.25])),
    (d("OneHotCategorical", probs=[0.2, 0.3, 0.5]), d("OneHotCategorical", logits=[0.5, 0.25, 0.25])),
    (d("Poisson", rate=[0.5, 2.0]), d("Poisson", rate=[1.5, 1.0])),
    (d("Uniform", low=[0.0, 1.0], high=[1.0, 2.0]), d("Uniform", low=[-1.0, 1.5], high=2.0)),
    (d("Exponential", rate=[0.5, 2.0]), d("Exponential", rate=1.5)),
    (d("Gamma", concentration=[0.5, 2.0], rate=1.5), d("Gamma", concentration=3.0, rate=[0.5, 4.0])),
    (d("Beta", concentration1=[0.5, 2.0], concentration0=1.5), d("Beta", concentration1=3.0, concentration0=[0.5, 4.0])),
    (d("Dirichlet", concentration=[0.5, 2.0, 3.0]), d("Dirichlet", concentration=[1.5, 1.0, 0.25])),
    (d("Laplace", loc=0.5, scale=[1.0, 2.0]), d("Laplace", loc=-1.0, scale=1.5)),
    (d("Independent", base_distribution=normal2, reinterpreted_batch_ndims=1), d("Independent", base_distribution=d("Normal", loc=0.0, scale=[1.0, 3.0]), reinterpreted_batch_ndims=1)),
    (log_normal, d("LogNormal", loc=0.0, scale=[1.0, 2.0])),
    (d("Exponential", rate=[0.5, 2.0]), d("Gamma", concentration=3.0, rate=[0.5, 4.0])),
    (d("Gamma", concentration=3.0, rate=[0.5, 4.0]), d("Exponential", rate=[0.5, 2.0])),
    (d("Uniform", low=0.0, high=2.5), normal2),
    (d("Exponential", rate=[0.5, 2.0]), normal2),
    (d("Gamma", concentration=3.0, rate=[0.5, 4.0]), normal2),
    (d("Beta", concentration1=3.0, concentration0=[0.5, 4.0]), normal2),
    (d("Laplace", loc=0.5, scale=[1.0, 2.0]), normal2),
    (normal2, d("Laplace", loc=-1.0, scale=1.5)),
    (d("Bernoulli", probs=[0.25, 0.5]), d("Poisson", rate=[0.5, 3.0])),
    (d("Uniform", low=[-1.0, 1.0], high=2.0), d("Exponential", rate=1.5)),
    (d("Beta", concentration1=3.0, concentration0=[0.5, 4.0]), d("Uniform", low=-1.0, high=[0.5, 2.0])),
]
grid = torch.tensor([0.1, 0.5, 1.0, 2.5, 10.0, 300.0])
spots = torch.stack([grid * f for f in (0.6, 0.9, 1.0, 1.2, 1.5)])

out = {
    "torch": torch.__version__,
    "levels": LEVELS,
    "cases": cases,
    "kl": [{"p": p, "q": q, "kl": plain(D.kl_divergence(build(p), build(q)))} for p, q in pairs],
    "gamma_gradient": {"concentration": plain(grid), "sample": plain(spots), "gradient": plain(torch._standard_gamma_grad(grid.expand_as(spots), spots))},
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "distributions.json"), "w") as f:
    json.dump(out, f)
    f.write("\n")
