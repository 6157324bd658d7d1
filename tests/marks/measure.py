"""measure.py BINARY FOLDER SHARED [--free N] [--breaks N] [--seed N]: holds what `tensors` says of ten models against
engines that TensorRT for RTX builds of them with a tensor marked as an output.

    free     a tensor that is `between` layers is marked alone: no fusion may change
    together all of these that may be marked together are marked in one build of each model: likewise
    breaks   the fusion of a random layer is split as `--break` says: it must be, and the fusions that change must be
             those that were stated

Engines are kept in FOLDER by their content, so that another run only builds what is new.  Exit status 1 below the bars.
"""
import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import onnx

import models
import rebuild


class Model:
    def __init__(self, binary, builder, shared, name):
        self.binary, self.builder, self.name = binary, builder, name
        self.model, self.shapes = models.load(shared, name)
        self.types = rebuild.types_of(self.model)
        self.pair = builder.engine(self.model, self.shapes)
        self.report = self.ask("diff", *self.pair)
        self.nodes = [n["name"] for n in self.report["nodes"]]
        self.answer = self.ask("tensors", *self.pair)

    def ask(self, *words):
        p = subprocess.run([self.binary, *map(str, words), "-f", "json"], capture_output=True, text=True)
        if p.returncode > 1:
            raise SystemExit(f"{' '.join(map(str, words))}: {p.stderr}")
        return json.loads(p.stdout)

    def free(self):
        return [t["name"] for t in self.answer["tensors"] if t["place"] == "between" and "why" not in t]

    def free_together(self):
        return [t["name"] for t in self.answer["tensors"] if t.get("together")]

    def fusions(self):
        """Each group of more than one node."""
        return [row for row in self.ask("tensors", *self.pair, "--break", "*")["breaks"] if row["fusion"] != "single"]

    def changed(self, model):
        """The regions that differ in an engine of this edit of the model, as nodes of the model as it was:
        [(what, old groups, new groups)]; None: not built."""
        pair = self.builder.engine(model, self.shapes)
        if not pair[1]:
            return None
        answer = self.ask("compare", ",".join(map(str, self.pair)), f"{self.pair[0]},{pair[1]}", "-q")
        return [(r["what"], *([frozenset(g["nodes"]) for g in r[side]] for side in ("old", "new")))
                for r in answer["regions"] if r["what"] != "same"]

    def marked(self, tensors):
        return self.changed(rebuild.with_outputs(self.model, tensors, self.types))

    def split(self, row):
        """The same of the model that the program writes for a row of --break."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "split.onnx")
            self.ask("tensors", *self.pair, "--break", f"layer:{row['layer']}", "-o", path)
            model = onnx.load(path, load_external_data=False)
        onnx.checker.check_model(without_data(model))
        return self.changed(model)

    def group(self, row):
        return frozenset(self.nodes[i] for i in row["nodes"])


def without_data(model):
    """The checker opens files of weights, which the corpus has not."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for w in bare.graph.initializer:
        if w.external_data:
            del w.external_data[:]
            w.data_location = onnx.TensorProto.DEFAULT
            w.raw_data = bytes(onnx.helper.tensor_dtype_to_np_dtype(w.data_type).itemsize * math.prod(w.dims))
    return bare


def shown(groups):
    return " | ".join(sorted(" + ".join(sorted(g)) for g in groups))[:200]


def check_free(all_models, n, draw):
    pool = [(m, t) for m in all_models for t in m.free()]
    print(f"free: {len(pool)} tensors between layers in {len(all_models)} models:",
          ", ".join(f"{m.name} {len(m.free())}" for m in all_models))
    drawn = draw.sample(pool, min(n, len(pool)))
    good = 0
    for m, tensor in drawn:
        regions = m.marked([tensor])
        good += regions == []
        if regions:
            print(f"  {m.name}: {tensor}")
            for what, old, new in regions:
                print(f"      {what}: {shown(old)} -> {shown(new)}")
        elif regions is None:
            print(f"  {m.name}: {tensor}: the builder refuses the model")
    print(f"free: {good} of {len(drawn)} leave all fusions unchanged", flush=True)
    return len(drawn) >= n and good >= 0.98 * len(drawn)


def check_together(all_models):
    """All that may be marked together is marked in one build."""
    good, asked = 0, [m for m in all_models if m.free_together()]
    for m in asked:
        regions = m.marked(m.free_together())
        good += regions == []
        if regions != []:
            print(f"  {m.name}: {len(m.free_together())} tensors: {'the builder refuses the model' if regions is None else ''}")
            for what, old, new in regions or []:
                print(f"      {what}: {shown(old)} -> {shown(new)}")
    print(f"together: in {good} of {len(asked)} models all free tensors at once leave all fusions unchanged", flush=True)
    return good >= 0.95 * len(asked)


def is_apart(target, regions):
    """No new group holds all nodes that the fusion had."""
    new = [g for _, _, groups in regions for g in groups]
    return any(target in old for _, old, _ in regions) and not any(target <= g for g in new)


def check_breaks(all_models, n, draw, by, bars):
    """@param bars: the least shares that are split, and that change exactly what is stated, and the greatest without an exact break"""
    pool = [(m, row) for m in all_models for row in m.fusions() if not by or {"mark": "mark", "if": "pass"}[by] in row]
    print(f"breaks: {len(pool)} fusions:", ", ".join(f"{m.name} {sum(x is m for x, _ in pool)}" for m in all_models), flush=True)
    drawn = draw.sample(pool, min(n, len(pool)))
    count = collections.Counter()
    for m, row in drawn:
        if not row["exact"]:
            count["none"] += 1
            print(f"  {m.name}: layer {row['layer']} {row['fusion']}: none: {shown([m.group(row)])}")
            continue
        by = "mark" if "mark" in row else "if"
        target, stated = m.group(row), {m.group(c) for c in row["changes"]}
        regions = m.split(row)
        seen = {g for _, old, _ in regions or [] for g in old}
        count["refused"] += regions is None
        split, right = is_apart(target, regions or []), seen == stated
        count.update({by: 1, f"{by} split": split, f"{by} right": right})
        if not split or not right:
            print(f"  {m.name}: layer {row['layer']} {row['fusion']}, {by} {row.get('mark') or [p['name'] for p in row['pass']]}: "
                  f"{'split' if split else 'NOT SPLIT'}; stated {shown(stated)}; changed {shown(seen)}")
            for what, old, new in regions or []:
                print(f"      {what}: {shown(old)} -> {shown(new)}", flush=True)
    exact = count["mark"] + count["if"]
    split, right = (count[f"mark {what}"] + count[f"if {what}"] for what in ("split", "right"))
    for by in ("mark", "if"):
        print(f"breaks: by {by}: {count[by]}, split {count[f'{by} split']}, stated changes right {count[f'{by} right']}")
    print(f"breaks: of {len(drawn)} fusions {count['none']} have no exact break; {split} are split; "
          f"the stated changes are right in {right} of {exact}; the builder refuses {count['refused']}", flush=True)
    return split >= bars[0] * exact and right >= bars[1] * exact and count["none"] <= bars[2] * len(drawn) and not count["refused"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--free", type=int, default=200)
    p.add_argument("--breaks", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--made", type=int, default=0, metavar="N", help="N models made by the seed, in place of the ten")
    p.add_argument("--only", action="append", help="a model")
    p.add_argument("--by", choices=["mark", "if"], help="breaks of this kind alone")
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    names = models.names_of(a.seed, a.made) if a.made else models.TEN
    all_models = [Model(a.binary, builder, a.shared, name) for name in a.only or names]
    good = check_free(all_models, a.free, random.Random(a.seed)) if a.free else True
    good &= check_together(all_models) if a.free else True
    bars = (1, 0.92, 0.1) if a.made else (0.95, 0.9, 0.25)
    good &= check_breaks(all_models, a.breaks, random.Random(a.seed), a.by, bars) if a.breaks else True
    print(f"{builder.built} engines built")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
