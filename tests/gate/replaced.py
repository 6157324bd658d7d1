#!/usr/bin/env python3
"""replaced.py BINARY FOLDER...: models of which one operator was replaced everywhere, compared with what they were.

FOLDERS hold models.  Relu becomes LeakyRelu, a SiLU a Relu, Add an operator of another domain.  Each node that was not
replaced must be in both, each that was must be another operator or, of what became fewer nodes, gone; no pair may be refused."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    print("skipped: no onnx, so no model was changed")
    sys.exit(77)

LARGEST = 60_000_000

# Equal branches, or counts from both ends that disagree: some of what was replaced is new and gone.
KNOWN = {("twins_and_dead", "add"), ("deberta", "add"), ("fastvit_t8", "add")}


def relu(model):
    nodes = [n for n in model.graph.node if n.op_type == "Relu" and n.name]
    for n in nodes:
        n.op_type = "LeakyRelu"
    return {n.name for n in nodes}, set()


def add(model):
    nodes = [n for n in model.graph.node if n.op_type == "Add" and n.name]
    for n in nodes:
        n.op_type, n.domain = "CustomAdd", "custom"
    if nodes:
        model.opset_import.append(onnx.helper.make_opsetid("custom", 1))
    return {n.name for n in nodes}, set()


def silu(model):
    """x * Sigmoid(x) becomes Relu(x)."""
    of = {o: n for n in model.graph.node for o in n.output}
    readers = {}
    for n in model.graph.node:
        for i in n.input:
            readers.setdefault(i, []).append(n)
    changed, gone = set(), set()
    for n in list(model.graph.node):
        if n.op_type != "Mul" or not n.name:
            continue
        for gate in n.input:
            s = of.get(gate)
            if s is None or s.op_type != "Sigmoid" or not s.name or len(readers[gate]) > 1 or s.input[0] not in n.input:
                continue
            x = s.input[0]
            model.graph.node.remove(s)
            del n.input[:]
            n.input.append(x)
            n.op_type = "Relu"
            changed.add(n.name)
            gone.add(s.name)
            break
    return changed, gone


def main():
    binary, folders = sys.argv[1], sys.argv[2:]
    models = sorted(p for f in folders for p in pathlib.Path(f).rglob("*.onnx") if p.stat().st_size < LARGEST)
    tried, faults, known = 0, [], set()
    with tempfile.TemporaryDirectory() as tmp:
        for path in models:
            for edit in (relu, silu, add):
                try:
                    model = onnx.load(path, load_external_data=False)
                except Exception:  # pylint: disable=broad-except
                    continue
                names = [n.name for n in model.graph.node]
                changed, gone = edit(model)
                if not changed or len(set(names)) != len(names):
                    continue
                other = pathlib.Path(tmp, "other.onnx")
                onnx.save(model, other)
                done = subprocess.run([binary, "compare", path, other, "-f", "json", "-q"], capture_output=True, text=True,
                                      check=False)
                tried += 1
                if done.returncode not in (0, 1):
                    faults.append(f"{path} {edit.__name__}: {done.stderr.strip()[:200]}")
                    continue
                said = json.loads(done.stdout)["changes"]
                lone = {c.get("old") or c.get("new") for c in said if c["what"] in ("only-old", "only-new")}
                wrong = sorted(lone - changed - gone)
                lost = sorted(changed & lone)
                replaced = {c.get("new") for c in said if c["what"] == "operator"}
                false = sorted(replaced - changed)
                if (wrong or lost) and not false and (path.parent.name, edit.__name__) in KNOWN:
                    known.add((path.parent.name, edit.__name__))
                elif wrong or lost or false:
                    faults.append(f"{path} {edit.__name__}: {len(wrong)} unchanged nodes are gone or new {wrong[:3]}, {len(lost)} of "
                                  f"{len(changed)} replaced ones {lost[:3]}, {len(false)} falsely replaced")
    if tried:
        faults += [f"{name} {edit} is right now: take it out of KNOWN" for name, edit in sorted(KNOWN - known)]
    for fault in faults:
        print(fault)
    print(f"{tried} pairs, {len(faults)} wrong, {len(known)} known to be")
    if not tried:
        print("skipped: no model is there")
        sys.exit(77)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
