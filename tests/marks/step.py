"""step.py BINARY FOLDER SHARED MODEL MODE:SEED LAYER...: what `bisect run` runs in trials.py: builds the model that
FUSIONDIFF_MODEL names, prints the log, and fails while a fusion of these layers is there (any), or all are (all).

Other modes: bad and good always end alike, flaky is any that one time in five is wrong, unbuildable is skipped."""
import os
import pathlib
import random
import sys

import onnx

import measure
import rebuild


def main():
    binary, folder, shared, name, how, *layers = sys.argv[1:]
    mode = how.split(":")[0]
    m = measure.Model(binary, rebuild.Builder(folder, pathlib.Path(shared)), pathlib.Path(shared), name)
    rows = [r for r in m.fusions() if str(r["layer"]) in layers]
    model = onnx.load(os.environ["FUSIONDIFF_MODEL"], load_external_data=False)
    pair = m.builder.engine(model, m.shapes)
    if not pair[1] or mode == "unbuildable":
        return 125
    print(pair[1])
    changed = {g for _, old, _ in m.changed(model) for g in old}
    there = [m.group(row) not in changed for row in rows]
    bad = {"bad": True, "good": False, "all": all(there)}.get(mode, any(there))
    return bad != (mode == "flaky" and random.SystemRandom().random() < 0.2)


if __name__ == "__main__":
    sys.exit(main())
