"""measure.py BINARY FOLDER SHARED [--free N] [--breaks N] [--seed N]: holds what `tensors` says of ten models against
engines that TensorRT for RTX builds of them with a tensor marked as an output.

    free     a tensor that is `between` layers is marked alone: no fusion may change
    breaks   the fusion of a random layer is split as `--break` says: it must be, and the fusions that change must be
             those that were stated

Engines are kept in FOLDER by their content, so that another run only builds what is new.  Exit status 1 below the bars.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys

import models
import rebuild


class Model:
    def __init__(self, binary, builder, shared, name):
        self.binary, self.builder, self.name = binary, builder, name
        self.model, self.shapes = models.load(shared, name)
        self.types = rebuild.types_of(self.model)
        self.pair = builder.engine(self.model, self.shapes)
        self.nodes = [n["name"] for n in self.ask("diff", *self.pair)["nodes"]]
        self.answer = self.ask("tensors", *self.pair)

    def ask(self, *words):
        p = subprocess.run([self.binary, *map(str, words), "-f", "json"], capture_output=True, text=True)
        if p.returncode > 1:
            raise SystemExit(f"{' '.join(map(str, words))}: {p.stderr}")
        return json.loads(p.stdout)

    def free(self):
        return [t["name"] for t in self.answer["tensors"] if t["place"] == "between" and "why" not in t]

    def fusions(self):
        """Each group of more than one node."""
        return [row for row in self.ask("tensors", *self.pair, "--break", "*")["breaks"] if row["fusion"] != "single"]

    def marked(self, tensors):
        """The regions that differ from the engine without marks: [(what, old groups, new groups)]; None: not built."""
        pair = self.builder.engine(rebuild.with_outputs(self.model, tensors, self.types), self.shapes)
        if not pair[1]:
            return None
        answer = self.ask("compare", ",".join(map(str, self.pair)), ",".join(map(str, pair)))
        return [(r["what"], *([frozenset(g["nodes"]) for g in r[side]] for side in ("old", "new")))
                for r in answer["regions"] if r["what"] != "same"]

    def group(self, row):
        return frozenset(self.nodes[i] for i in row["nodes"])


def told(groups):
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
                print(f"      {what}: {told(old)} -> {told(new)}")
        elif regions is None:
            print(f"  {m.name}: {tensor}: the builder refuses the model")
    print(f"free: {good} of {len(drawn)} leave all fusions unchanged", flush=True)
    return len(drawn) >= n and good >= 0.98 * len(drawn)


def check_breaks(all_models, n, draw):
    pool = [(m, row) for m in all_models for row in m.fusions()]
    print(f"breaks: {len(pool)} fusions:", ", ".join(f"{m.name} {sum(x is m for x, _ in pool)}" for m in all_models), flush=True)
    drawn = draw.sample(pool, min(n, len(pool)))
    none = split = right = 0
    for m, row in drawn:
        if not row["exact"]:
            none += 1
            continue
        target, stated = m.group(row), {m.group(c) for c in row["changes"]}
        regions = m.marked([row["mark"]])
        seen = {g for _, old, _ in regions or [] for g in old}
        split += target in seen
        right += seen == stated
        if seen != stated:
            print(f"  {m.name}: layer {row['layer']} {row['fusion']}, {row['mark']}: stated {told(stated)}; changed {told(seen)}")
            for what, old, new in regions or []:
                print(f"      {what}: {told(old)} -> {told(new)}")
    exact = len(drawn) - none
    print(f"breaks: of {len(drawn)} fusions {none} have no exact break; {split} of {exact} are split; "
          f"the stated changes are right in {right} of {exact}", flush=True)
    return split >= 0.8 * len(drawn) and right >= 0.9 * exact and none <= 0.25 * len(drawn)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--free", type=int, default=200)
    p.add_argument("--breaks", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", action="append", help="a model")
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    all_models = [Model(a.binary, builder, a.shared, name) for name in a.only or models.TEN]
    good = check_free(all_models, a.free, random.Random(a.seed)) if a.free else True
    good &= check_breaks(all_models, a.breaks, random.Random(a.seed)) if a.breaks else True
    print(f"{builder.built} engines built")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
