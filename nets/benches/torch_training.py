#!/usr/bin/env python3
"""Rows a second of CPU time in PyTorch on one thread, for the nets and the data of nets.rs: Adam, batches of 256 in random
order.

    python3 torch_training.py    # Debian: apt install python3-torch
"""
import time

import torch

INPUTS, ROWS, BATCH = 85, 16 * 1024, 256
torch.set_num_threads(1)
torch.manual_seed(1)


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(INPUTS, 100)
        self.outcome = torch.nn.Linear(100, 3)

    def forward(self, x):
        return (self.outcome(torch.sigmoid(self.hidden(x))),)

    def loss(self, outputs, points, place):
        wanted = torch.stack([points, torch.zeros_like(points), 1 - points], 1)
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs[0], wanted)


class Residual(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.ModuleList([torch.nn.Linear(INPUTS, 256)] + [torch.nn.Linear(256, 256) for _ in range(3)])
        self.value = torch.nn.Linear(256, 1)
        self.policy = torch.nn.Linear(256, 60)

    def forward(self, x):
        h = torch.relu(self.hidden[0](x))
        for layer in self.hidden[1:]:
            h = h + torch.relu(layer(h))
        return self.value(h)[:, 0], self.policy(h)

    def loss(self, outputs, points, place):
        value = torch.nn.functional.binary_cross_entropy_with_logits(outputs[0], points)
        return value + torch.nn.functional.cross_entropy(outputs[1], place)


def main():
    rows = torch.zeros(ROWS, INPUTS)
    for row in rows:
        row[torch.randperm(INPUTS)[:55]] = torch.randint(1, 5, (55,)) * 0.25
    points = (torch.arange(ROWS) % 2).float()
    place = torch.arange(ROWS) % 60
    for name, net, epochs in [("85-100-3", Small(), 40), ("residual", Residual(), 6)]:
        adam = torch.optim.Adam(net.parameters(), lr=1e-3)
        best = 0.0
        for _ in range(epochs):
            start = time.thread_time()
            for batch in torch.randperm(ROWS).split(BATCH):
                adam.zero_grad()
                net.loss(net(rows[batch]), points[batch], place[batch]).backward()
                adam.step()
            best = max(best, ROWS / (time.thread_time() - start))
        print(f"{name}: {best / 1e3:.0f} thousand rows a second, best of {epochs} epochs, torch {torch.__version__}")


main()
