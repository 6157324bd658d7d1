#!/usr/bin/env python3
"""order.py BINARY

Checks that fusiondiff finds the same ways to split fusions if the second half of a model's nodes precedes the first half.
ONNX requires that a node follows the producers of its inputs, and a fast search relies on this; other models have a slower
search. Both searches handle 64 fusions at once, so the network has some 200: no search may see what an earlier one marked.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "growth"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import honest

STEPS = 100


def breaks(binary, net, order, folder):
    """What `tensors --break` prints about each fusion, with the names of nodes in place of their numbers."""
    net.nodes, names = [net.nodes[i] for i in order], [net.names[i] for i in order]
    build = honest.Build(folder, net, "order")
    done = subprocess.run([binary, "tensors", build.model, build.engine, "--break", "*", "-f", "json"], capture_output=True, check=True)

    def named(row):
        return {key: sorted(names[i] for i in value) if key == "nodes" else list(map(named, value)) if key == "changes" else value
                for key, value in row.items()}

    return {row["layer"]: named(row) for row in json.loads(done.stdout)["breaks"]}


def main():
    numbers = list(range(len(honest.rnn(STEPS).nodes)))
    half = len(numbers) // 2
    found = []
    for order in (numbers, numbers[half:] + numbers[:half]):
        with tempfile.TemporaryDirectory() as folder:
            found.append(breaks(sys.argv[1], honest.rnn(STEPS), order, folder))
    in_order, rearranged = found
    failed = [layer for layer in in_order if in_order[layer] != rearranged[layer]]
    for layer in failed:
        print(f"FAILED in order:  {in_order[layer]}\n       rearranged: {rearranged[layer]}")
    exact = sum(row["exact"] and "pass" in row for row in in_order.values())
    print(f"{len(in_order)} fusions, {exact} that an If splits, {len(failed)} failures")
    return 1 if failed or not exact else 0


if __name__ == "__main__":
    sys.exit(main())
