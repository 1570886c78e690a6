#!/usr/bin/env python3
"""Writes training.json: losses of PyTorch's autograd and Adam, in double precision, from the nets that values.py wrote. Each
batch is all rows, so that their order does not matter.

    python3 training.py    # Debian's python3-torch 1.13.1, and safetensors 0.8.0 of pip
"""
import json
import pathlib

import numpy as np
import torch
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).parent
ROWS, INPUTS, EPOCHS, RATE = 26, 21, 12, 0.01


def linear(tensors, name, x):
    return torch.nn.functional.linear(x, tensors[name + ".weight"], tensors[name + ".bias"])


def paper(tensors, x):
    return {"outcome": linear(tensors, "outcome", torch.sigmoid(linear(tensors, "hidden.0", x)))}


def deep(tensors, x):
    h = torch.relu(linear(tensors, "hidden.0", x))
    h = h + torch.tanh(linear(tensors, "hidden.1", h))
    inner = torch.relu(linear(tensors, "hidden.2.first", h))
    h = torch.relu(h + linear(tensors, "hidden.2.second", inner))
    h = h + torch.relu(linear(tensors, "hidden.3", h))
    h = torch.sigmoid(linear(tensors, "hidden.4", h))
    return {head: linear(tensors, head, h) for head in ["outcome", "value", "policy"]}


def loss(name, kind, logits, targets):
    f = torch.nn.functional
    outcome = targets["outcome"]
    if name == "paper":
        p = torch.sigmoid(logits["outcome"])
        return f.binary_cross_entropy(p, outcome) if kind == "cross-entropy" else f.mse_loss(p, outcome)
    if kind == "cross-entropy":
        total = f.cross_entropy(logits["outcome"], outcome)
    else:
        total = f.mse_loss(torch.softmax(logits["outcome"], 1), outcome)
    total = total + 0.5 * f.mse_loss(torch.tanh(logits["value"][:, 0]), 2 * targets["value"] - 1)
    legal = torch.where(targets["legal"], logits["policy"], torch.tensor(-torch.inf, dtype=torch.float64))
    log = torch.log_softmax(legal, 1)
    return total - 2.0 * torch.where(targets["legal"], targets["policy"] * log, torch.tensor(0.0)).sum(1).mean()


def main():
    rng = np.random.default_rng(11)
    rows = rng.integers(0, 5, (ROWS, INPUTS)) * 0.25
    points = rng.integers(0, 3, ROWS) * 0.5
    outcome = np.stack([points == 1.0, points == 0.5, points == 0.0], axis=1).astype(np.float64)
    legal = rng.random((ROWS, 18)) < 0.4
    legal[:, 3] = True
    shares = np.where(legal, rng.integers(0, 9, (ROWS, 18)), 0).astype(np.float64)
    shares[:, 3] += 1
    shares = (shares / shares.sum(1, keepdims=True)).astype(np.float32).astype(np.float64)
    targets = {
        "outcome": torch.tensor(outcome),
        "value": torch.tensor(points),
        "legal": torch.tensor(legal),
        "policy": torch.tensor(shares),
    }
    written = {
        "inputs": rows.tolist(),
        "points": points.tolist(),
        "policy": [[[int(m), float(s[m])] for m in np.flatnonzero(l)] for l, s in zip(legal, shares)],
        "value-weight": 0.5,
        "policy-weight": 2.0,
        "learning-rate": RATE,
        "cases": [],
    }
    for name, net in [("paper", paper), ("deep", deep)]:
        for kind in ["cross-entropy", "mean-square"]:
            for decay in [0.0, 0.1]:
                tensors = {
                    key: torch.tensor(value.astype(np.float64), requires_grad=True)
                    for key, value in load_file(HERE / f"{name}.safetensors").items()
                }
                groups = [
                    {"params": [t for key, t in tensors.items() if key.endswith("weight")], "weight_decay": decay},
                    {"params": [t for key, t in tensors.items() if key.endswith("bias")], "weight_decay": 0.0},
                ]
                adam = torch.optim.AdamW(groups, lr=RATE)
                losses = []
                for _ in range(EPOCHS):
                    adam.zero_grad()
                    value = loss(name, kind, net(tensors, torch.tensor(rows)), targets)
                    value.backward()
                    adam.step()
                    losses.append(value.item())
                case = {"net": name, "loss": kind, "weight-decay": decay, "losses": losses}
                case["weights"] = tensors["hidden.0.weight"].detach().numpy()[:2].tolist()
                case["bias"] = tensors["hidden.0.bias"].detach().numpy().tolist()
                written["cases"].append(case)
    (HERE / "training.json").write_text(json.dumps(written) + "\n")


main()
