"""step.py BINARY FOLDER SHARED MODEL LAYER: what `bisect run` runs in trials.py: builds the model with the tensors on
standard input as outputs, prints MODEL,LOG, and fails while the fusion of that layer is there."""
import pathlib
import sys

import measure
import rebuild


def main():
    binary, folder, shared, name, layer = sys.argv[1:]
    m = measure.Model(binary, rebuild.Builder(folder, pathlib.Path(shared)), pathlib.Path(shared), name)
    row = next(r for r in m.fusions() if r["layer"] == int(layer))
    tensors = sys.stdin.read().splitlines()
    pair = m.builder.engine(rebuild.with_outputs(m.model, tensors, m.types), m.shapes)
    if not pair[1]:
        return 125
    print(",".join(map(str, pair)))
    return 0 if m.group(row) in {g for _, old, _ in m.marked(tensors) for g in old} else 1


if __name__ == "__main__":
    sys.exit(main())
