#!/usr/bin/env python3
"""Writes paper.safetensors, deep.safetensors and values.json: nets by Python's safetensors, and what they compute in double
precision by NumPy.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 safetensors==0.8.0 && venv/bin/python values.py
"""
import json
import pathlib

import numpy as np
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).parent
ACT = {
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "tanh": np.tanh,
}


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def linear(rng, tensors, name, inputs, outputs):
    bound = np.sqrt(3.0 / inputs)
    tensors[name + ".weight"] = rng.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
    tensors[name + ".bias"] = rng.uniform(-0.5, 0.5, outputs).astype(np.float32)


def apply(tensors, name, x):
    return x @ tensors[name + ".weight"].astype(np.float64).T + tensors[name + ".bias"].astype(np.float64)


def paper():
    rng = np.random.default_rng(7)
    tensors = {}
    linear(rng, tensors, "hidden.0", 21, 35)
    linear(rng, tensors, "outcome", 35, 3)

    def outputs(x):
        return ACT["sigmoid"](apply(tensors, "outcome", ACT["sigmoid"](apply(tensors, "hidden.0", x))))

    return "encoding=test/quarters inputs=21 hidden=35:sigmoid outcome=sigmoid", tensors, outputs


def deep():
    rng = np.random.default_rng(8)
    tensors = {}
    linear(rng, tensors, "hidden.0", 21, 40)
    for name in ["hidden.1", "hidden.2.first", "hidden.2.second", "hidden.3"]:
        linear(rng, tensors, name, 40, 40)
    linear(rng, tensors, "hidden.4", 40, 17)
    for name, width in [("outcome", 3), ("value", 1), ("policy", 18)]:
        linear(rng, tensors, name, 17, width)

    def outputs(x):
        h = ACT["relu"](apply(tensors, "hidden.0", x))
        h = h + ACT["tanh"](apply(tensors, "hidden.1", h))
        inner = ACT["relu"](apply(tensors, "hidden.2.first", h))
        h = ACT["relu"](h + apply(tensors, "hidden.2.second", inner))
        h = h + ACT["relu"](apply(tensors, "hidden.3", h))
        h = ACT["sigmoid"](apply(tensors, "hidden.4", h))
        outcome = softmax(apply(tensors, "outcome", h))
        value = ACT["tanh"](apply(tensors, "value", h))
        return np.concatenate([outcome, value, apply(tensors, "policy", h)], axis=1)

    text = "encoding=test/quarters inputs=21 hidden=40:relu,residual:tanh,block:relu,residual:relu,17:sigmoid"
    return text + " outcome=softmax value=tanh policy=18", tensors, outputs


def main():
    rng = np.random.default_rng(9)
    rows = rng.integers(0, 5, (9, 21)) * 0.25
    expected = {"inputs": rows.tolist(), "nets": {}}
    for name, make in [("paper", paper), ("deep", deep)]:
        text, tensors, outputs = make()
        save_file(tensors, HERE / f"{name}.safetensors", metadata={"format": "pt", "redqueen": text})
        expected["nets"][name] = {"architecture": text, "outputs": outputs(rows).tolist()}
    (HERE / "values.json").write_text(json.dumps(expected, indent=1) + "\n")


main()
