"""step.py BINARY FOLDER SHARED MODEL LAYER: what `bisect run` runs in trials.py: builds the model that FUSIONDIFF_MODEL
names, prints the log, and fails while the fusion of that layer is there."""
import os
import pathlib
import sys

import onnx

import measure
import rebuild


def main():
    binary, folder, shared, name, layer = sys.argv[1:]
    m = measure.Model(binary, rebuild.Builder(folder, pathlib.Path(shared)), pathlib.Path(shared), name)
    row = next(r for r in m.fusions() if r["layer"] == int(layer))
    model = onnx.load(os.environ["FUSIONDIFF_MODEL"], load_external_data=False)
    pair = m.builder.engine(model, m.shapes)
    if not pair[1]:
        return 125
    print(pair[1])
    return 0 if m.group(row) in {g for _, old, _ in m.changed(model) for g in old} else 1


if __name__ == "__main__":
    sys.exit(main())
