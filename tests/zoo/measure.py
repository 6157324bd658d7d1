#!/usr/bin/env python3
"""measure.py BINARY SHARED [--zoo FOLDER]... [--case NAME]... [--links] [--pairs] [--built FOLDER] [--bars]

Runs BINARY over all engines of the zoos (SHARED/zoo and SHARED/zoo-2) and prints, by family, how its
answers compare with what the engines' own Metadata and tensors say: of the last zoo alone, and of
all.  The worst cases are named, so that they can be looked at; --links lists every wrong and missing
link of the cases chosen, every unexplained node and every inserted layer that was missed or invented.
--pairs runs every engine of the zoos and of SHARED/corpus with every model of them, and lists right
pairs that are doubted and wrong ones that are not refused; it fails where a right one is doubted, or
a wrong one is accepted and nothing said.  Models that are equal in operators, sizes (an open one may
be fixed) and types are one.  --built FOLDER asks the right pairs of FOLDER/*/ (model.onnx, build.log), too.
--bars fails where a figure is worse than it must be.  All of it: --bars --pairs."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import truth

MOVES_NOTHING = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"}
NOT_COMPUTING = MOVES_NOTHING | {"QuantizeLinear", "DequantizeLinear", "Transpose", "Slice", "Split",
                                 "Concat", "Expand", "Gather", "Cast", "CastLike", "Pad"}
OWNERS = {"If", "Loop", "Scan"}
FAMILIES = ("CNN", "transformer", "INT8", "diffusion", "loops", "flow")
LOOPS = {"Loop", "Scan", "If", "LSTM", "GRU", "RNN"}
ZOOS = ("zoo", "zoo-2")


def attends(model):
    """Attention is a product of a Softmax, or the operator."""
    for i, node in enumerate(model.nodes):
        if node.op == "Attention":
            return True
        if node.op == "Softmax":
            behind = model.next_of(i)
            for _ in range(4):
                behind += [r for b in behind if model.nodes[b].op in NOT_COMPUTING | {"IsNaN", "Where"}
                           for r in model.next_of(b)]
            if any(model.nodes[b].op in ("MatMul", "Einsum") for b in behind):
                return True
    return False


def family(name, model):
    """The first that fits; what has none of these is a CNN, or as plain."""
    ops = {n.op for n in model.nodes}
    if "QuantizeLinear" in ops:
        return "INT8"
    if ops & LOOPS or name.startswith("mamba"):
        return "loops"
    if name.startswith(("diffusion_block", "unet_")):
        return "diffusion"
    if name.startswith(("pwc_", "bev_")):
        return "flow"
    return "transformer" if attends(model) else "CNN"


class Case:
    def __init__(self, folder):
        self.name = os.path.basename(folder)
        self.model_path = os.path.join(folder, "model.onnx")
        self.model = truth.Model(self.model_path)
        self.family = family(self.name, self.model)
        self.lines = truth.log_lines(folder)
        self.kernels = truth.kernels(self.lines)
        self.log = os.path.join(folder, "build.log")
        self.temp = None
        if not os.path.exists(self.log):
            self.temp = tempfile.NamedTemporaryFile(suffix=".log")
            self.temp.write("\n".join(self.lines).encode("utf-8", "surrogateescape"))
            self.temp.flush()
            self.log = self.temp.name
        by_output = {}
        for i, node in enumerate(self.model.nodes):
            for name in (node.name or "node_of_" + (node.outputs or [""])[0],):
                by_output.setdefault(name, set()).add(i)
        self.numbers = by_output        # main graph only: name -> nodes

    def covered(self):
        """Nodes of the main graph that some kernel's Metadata names."""
        return {i for k in self.kernels for name in k.node_names() for i in self.numbers.get(name, ())}


def run(binary, case, *args):
    done = subprocess.run([binary, *args, "--format", "json", case.model_path, case.log],
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


# ------------------------------------------------------------------------------------- links


def node_key(case, node):
    """The name by which Metadata calls a node of the report."""
    if node["name"]:
        return node["name"]
    if node["index"] < len(case.model.nodes):
        return "node_of_" + (case.model.nodes[node["index"]].outputs or [""])[0]
    return ""


def is_owner(case, node):
    return node["op"] in OWNERS or node["op"] in case.model.calls


def links(case, report, computing):
    """Right and all links of the report, found and all items of the truth, over layers with
    Metadata; and the two lists of what differs."""
    nodes = report["nodes"]
    counts = lambda n: not is_owner(case, n) and not (computing and n["op"] in NOT_COMPUTING)
    keys = [node_key(case, n) for n in nodes]
    known = {}
    for i, key in enumerate(keys):
        known.setdefault(key, []).append(i)
    ours = right = found = total = 0
    wrong, missed = [], []
    for layer, kernel in zip(report["layers"], case.kernels):
        items = set(kernel.node_names())
        if not items:
            continue
        linked = {l["index"] for l in layer["nodes"]}
        linked_keys = {keys[i] for i in linked}
        for i in sorted(linked):
            if not counts(nodes[i]):
                continue
            ours += 1
            right += keys[i] in items
            if keys[i] not in items:
                evidence = [l["evidence"] for l in layer["nodes"] if l["index"] == i][0]
                wrong.append((layer["index"], layer["name"], keys[i], nodes[i]["op"], evidence))
        for item in sorted(items):
            if item not in known or not any(counts(nodes[i]) for i in known[item]):
                continue
            total += 1
            found += item in linked_keys
            if item not in linked_keys:
                missed.append((layer["index"], layer["name"], item, nodes[known[item][0]]["op"]))
    return right, ours, found, total, wrong, missed


def add_contradictions(case, report, figures):
    """Links of layers with Metadata to a node that only another layer's Metadata names."""
    covered = {name for k in case.kernels for name in k.node_names()}
    for layer, kernel in zip(report["layers"], case.kernels):
        items = set(kernel.node_names())
        keys = [node_key(case, report["nodes"][link["index"]]) for link in layer["nodes"]] if items else []
        wrong = [key for key in keys if key in covered and key not in items]
        figures.add(case, "links against another layer's Metadata", len(wrong), f"{layer['index']} {wrong[:1]}")


# ---------------------------------------------------------------------------------- inserted


def inserted_truth(case):
    """layer -> True: inserted, False: a node of the model is its work, for the kernels with data in
    and out and no Metadata; those that neither can be said of (views, loops, shapes) are left out."""
    writers, readers = collections.defaultdict(list), collections.defaultdict(list)
    for i, kernel in enumerate(case.kernels):
        for t in kernel.outputs:
            writers[t.name].append(i)
        for t in kernel.inputs:
            readers[t.name].append(i)
    covered = case.covered()

    def nodes_of(kernel):
        return {n for name in kernel.node_names() for n in case.numbers.get(name, ())}

    def around(i, there, key, seen):
        """Nodes of the next kernels with Metadata; None: the border of the network or a mystery."""
        out = set()
        for t in getattr(case.kernels[i], key):
            for k in there.get(t.name, ()) or (None,):
                if k is None:
                    out.add(None)
                elif case.kernels[k].items:
                    out |= nodes_of(case.kernels[k]) or {None}
                elif k not in seen:
                    seen.add(k)
                    out |= around(k, there, key, seen)
        return out

    def spread(start, step):
        """Those of `start` and beyond, as long as no kernel's Metadata has them."""
        seen, stack = set(), list(start)
        while stack:
            n = stack.pop()
            if n not in seen and n not in covered:
                seen.add(n)
                stack += step(n)
        return seen

    def first(n):
        return any(t and t not in case.model.maker for t in case.model.nodes[n].inputs)

    def last(n):
        return any(t not in case.model.readers for t in case.model.nodes[n].outputs)

    def between(before, behind):
        """Is there an edge from one set to the other, and which nodes of no kernel lie on ways?"""
        everything = range(len(case.model.nodes))
        behind_it = [r for b in before - {None} for r in case.model.next_of(b)]
        behind_it += [n for n in everything if None in before and first(n)]
        before_it = [p for b in behind - {None} for p in case.model.before(b)]
        before_it += [n for n in everything if None in behind and last(n)]
        direct = bool(set(behind_it) & behind) or bool(None in behind and set(before_it) & before)
        return direct, spread(behind_it, case.model.next_of) & spread(before_it, case.model.before)

    out, buffers = {}, truth.parts(case.kernels)
    for i, kernel in enumerate(case.kernels):
        if kernel.items or kernel.type != "kgen" or len(kernel.inputs) != 1 or len(kernel.outputs) != 1:
            continue
        a, b = kernel.inputs[0], kernel.outputs[0]
        if b.name not in readers and a.name not in writers:
            continue
        if a.strides is None or -1 in a.strides + (b.strides or []):
            continue
        if {a.name, b.name} & buffers and sorted(a.dims) == sorted(b.dims) and a.type == b.type:
            out[i] = True
            continue
        direct, nodes = between(around(i, writers, "inputs", {i}), around(i, readers, "outputs", {i}))
        work = {case.model.nodes[n].op for n in nodes} - MOVES_NOTHING - {"Constant"}
        if direct and not work and sorted(a.dims) == sorted(b.dims) and (a.lies() != b.lies() or a.type != b.type):
            out[i] = True
        elif work and not direct:
            out[i] = False
    return out


# ----------------------------------------------------------------------------------- figures


class Figures:
    def __init__(self):
        self.n = collections.Counter()
        self.worst = collections.defaultdict(list)

    def add(self, case, key, value, note=""):
        self.n[key] += value
        if value:
            self.worst[key].append((value, case.name, note))


def tensors(case, report, figures):
    for layer, kernel in zip(report["layers"], case.kernels):
        for key, ports in (("inputs", kernel.inputs), ("outputs", kernel.outputs)):
            told = layer[key]
            if key == "inputs":      # constants may be listed behind the inputs
                told = told[:len(ports)]
            for i, t in enumerate(ports):
                port = told[i] if i < len(told) else {}
                figures.n["tensors"] += 1
                figures.add(case, "type unknown", port.get("type", "unknown") == "unknown")
                # A scalar has no layout; "not available" says so itself.
                if t.order is not None and len([d for d in t.dims if d != 1]) > 1 and "not available" not in t.words:
                    figures.n["layouts"] += 1
                    figures.add(case, "layout unknown", not port.get("layout"))


def outcomes(case, report, figures, kind):
    """Of the nodes that some kernel's Metadata names: is it said that a layer computes them?"""
    named = {name for k in case.kernels for name in k.node_names()}
    for node in report["nodes"]:
        if node_key(case, node) not in named or is_owner(case, node):
            continue
        figures.n[kind] += 1
        figures.n[kind + " right"] += node["fate"] == "layer"
        figures.add(case, kind + " wrong", node["fate"] != "layer",
                    f"{node['op']} {node_key(case, node)}: {node['fate']}")


def add_links(case, report, figures, computing, kind, show):
    right, ours, found, total, wrong, missed = links(case, report, computing)
    for key, value in (("right", right), ("ours", ours), ("found", found), ("total", total)):
        figures.n[f"{kind} {key}"] += value
    example = lambda some: "{0} {1}: {2} ({3})".format(*some[0]) if some else ""
    figures.add(case, f"{kind} wrong", ours - right, example(wrong))
    figures.add(case, f"{kind} missed", total - found, example(missed))
    for what, some in (("wrong", wrong), ("missed", missed)):
        for line in some if show else ():
            print(" ", what, *line)


def measure(binary, case, figures, show):
    status, text, message = run(binary, case)
    figures.n["cases"] += 1
    figures.n["kernels"] += len(case.kernels)
    if status == 2:
        figures.add(case, "refused", 1, message.strip()[:150])
        status, text, message = run(binary, case, "--force")
        if status == 2:
            return
    figures.n["json bytes"] += len(text)
    figures.worst["largest json"].append((len(text), case.name, ""))
    report = json.loads(text)
    if len(report["layers"]) != len(case.kernels):
        figures.add(case, "other layers than the log", 1, f"{len(report['layers'])} {len(case.kernels)}")
        return
    for finding in report["findings"]:
        if finding["rule"] == "mapping/misfit":
            figures.add(case, "doubted", 1, finding["message"][:150])
        if finding["rule"] == "log/other-model":
            figures.add(case, "other model", 1, finding["message"][:150])
        if finding["rule"] == "input/remark":
            figures.add(case, "remarks", 1, finding["message"][:90])
        if finding["rule"] == "mapping/conflict":
            figures.add(case, "conflicts", 1, finding["message"][:150])
    tensors(case, report, figures)
    bare = sum(l["kind"] == "compute" and not l["nodes"] for l in report["layers"])
    figures.add(case, "computing layers without node", bare)
    figures.add(case, "computing layers of unknown precision",
                sum(l["kind"] == "compute" and l["precision"] == "unknown" for l in report["layers"]))
    figures.add(case, "layers that move data without bytes",
                sum(l["kind"] in ("compute", "reformat", "copy") and not {"bytes", "bytes_symbolic"} & l.keys()
                    for l in report["layers"]))
    for node in report["nodes"]:
        if node["fate"] == "unexplained":
            figures.add(case, "unexplained", 1)
            if show:
                print(f"  unexplained {node['index']} {node['op']} {node['name']}")
    said = {l["index"] for l in report["layers"] if l["inserted"]}
    for i, inserted in inserted_truth(case).items():
        kernel = case.kernels[i]
        note = f"{kernel.name} ({kernel.inputs[0].name} -> {kernel.outputs[0].name})"
        figures.n["inserted"] += inserted
        if inserted:
            figures.add(case, "inserted missed", i not in said)
        else:
            figures.add(case, "inserted invented", i in said)
        if show and inserted != (i in said):
            print(f"  {'missed' if inserted else 'invented'} {i} {note}: {report['layers'][i]['kind']}")
    for i in said:
        figures.add(case, "inserted, though Metadata has nodes", bool(case.kernels[i].items))
    figures.n["said inserted"] += len(said)
    outcomes(case, report, figures, "told outcomes")
    add_contradictions(case, report, figures)
    add_links(case, report, figures, True, "told", False)

    status, text, message = run(binary, case, "--evidence", "name,tensor,structure", "--force")
    if status == 2:
        figures.add(case, "failed without Metadata", 1, message.strip()[:150])
        return
    report = json.loads(text)
    figures.add(case, "equal choices", report["summary"]["coverage"].get("equal_choices", 0))
    outcomes(case, report, figures, "outcomes")
    for computing in (True, False):
        add_links(case, report, figures, computing, "computing" if computing else "all",
                  show and computing == (show != "all"))


def ratio(a, b):
    return f"{a / b:.4f} ({a}/{b})" if b else "-"


COUNTS = ("cases", "kernels", "tensors", "layouts", "inserted", "said inserted")
WORST = ("refused", "failed without Metadata", "other layers than the log", "doubted", "conflicts", "remarks",
         "type unknown", "layout unknown", "computing layers of unknown precision",
         "computing layers without node", "layers that move data without bytes", "unexplained", "inserted missed", "inserted invented",
         "inserted, though Metadata has nodes", "links against another layer's Metadata", "equal choices", "computing wrong", "computing missed", "all wrong", "all missed")


def report(figures):
    for name in (*FAMILIES, "total"):
        f = figures[name]
        print(f"\n== {name}: " + ", ".join(f"{key} {f.n[key]}" for key in COUNTS))
        for kind in ("computing", "all"):
            print(f"   links, {kind} nodes: precision {ratio(f.n[kind + ' right'], f.n[kind + ' ours'])}"
                  f", recall {ratio(f.n[kind + ' found'], f.n[kind + ' total'])}")
        for key in WORST:
            if f.n[key] and name != "total":
                worst = sorted(f.worst[key], reverse=True)
                joined = collections.Counter()
                notes = {}
                for value, case, note in worst:
                    joined[case] += value
                    notes.setdefault(case, note)
                print(f"   {key} {f.n[key]}: " + ", ".join(
                    f"{case} {value}{' [' + notes[case] + ']' if notes[case] else ''}" for case, value in joined.most_common(6)))
            elif f.n[key]:
                print(f"   {key} {f.n[key]}")
        if name == "total":
            print("   JSON:", f.n["json bytes"], "bytes; largest",
                  ", ".join(f"{c} {n}" for n, c, _ in sorted(f.worst["largest json"], reverse=True)[:4]))


# Without Metadata: precision and recall of links over computing nodes.
LINK_BARS = {"CNN": (0.99, 0.95), "transformer": (0.98, 0.90), "diffusion": (0.98, 0.85), "INT8": (0.98, 0.92),
             "loops": (0.97, 0.70), "flow": (0.96, 0.60)}
ALL_RECALL = 0.75
MOST = {"refused": 0, "failed without Metadata": 0, "other layers than the log": 0, "doubted": 0, "remarks": 0,
        "type unknown": 0, "layout unknown": 0, "layers that move data without bytes": 26, "unexplained": 20,
        "inserted, though Metadata has nodes": 0, "inserted invented": 0, "computing layers without node": 3,
        "computing layers of unknown precision": 0, "links against another layer's Metadata": 0}
INSERTED = 0.98
CHOICES = 0.02
JSON_BYTES = 8 << 20


def check_bars(title, figures):
    bad = []
    for name, (precision, recall) in LINK_BARS.items():
        n = figures[name].n
        for what, have, of, bar in (("precision", "computing right", "computing ours", precision),
                                    ("recall", "computing found", "computing total", recall)):
            if n[have] < bar * n[of]:
                bad.append(f"{name}: {what} {ratio(n[have], n[of])}, must be {bar}")
    total = figures["total"]
    if total.n["all found"] < ALL_RECALL * total.n["all total"]:
        bad.append(f"recall over all nodes {ratio(total.n['all found'], total.n['all total'])}, must be {ALL_RECALL}")
    bad += [f"{key}: {total.n[key]}, at most {most}" for key, most in MOST.items() if total.n[key] > most]
    if total.n["equal choices"] > CHOICES * total.n["all ours"]:
        bad.append(f"equal choices: {total.n['equal choices']} beside {total.n['all ours']} links")
    if total.n["inserted missed"] > (1 - INSERTED) * total.n["inserted"]:
        bad.append(f"inserted layers missed: {total.n['inserted missed']} of {total.n['inserted']}")
    bad += [f"JSON of {case}: {size} bytes" for size, case, _ in total.worst["largest json"] if size > JSON_BYTES]
    for line in bad:
        print(f"FAILED {title}: {line}")
    return bool(bad)


# ------------------------------------------------------------------------------------- pairs


class Pair:
    """A model and an engine that was built of it."""

    def __init__(self, name, model, engine, likeness):
        self.name, self.model, self.engine, self.likeness = name, model, engine, likeness


def likeness(path, known={}):
    """Operators, sizes and types: what distinguishes a model."""
    if path not in known:
        with open(path, "rb") as file:
            known[path] = truth.likeness(file.read())
    return known[path]


def corpus_pairs(folder):
    for case in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        model = os.path.join(folder, case, "model.onnx")
        for engine in ("engine.graph.json", "engine.names-only.json", "build.log"):
            path = os.path.join(folder, case, engine)
            if os.path.exists(model) and os.path.exists(path):
                yield Pair(f"{case}/{engine}", model, path, likeness(model))


def built_pairs(folder):
    for case in sorted(os.listdir(folder)):
        model, log = (os.path.join(folder, case, name) for name in ("model.onnx", "build.log"))
        outcome = os.path.join(folder, case, "outcome.json")
        if not os.path.exists(model) or not os.path.exists(log):
            continue
        if os.path.exists(outcome):
            with open(outcome, encoding="utf-8") as file:
                if json.load(file).get("outcome") != "built":
                    continue
        yield Pair(case, model, log, None)


def ask(binary, model, engine):
    """What is said of a pair: refused, doubted or accepted."""
    done = subprocess.run([binary, "--format", "json", model, engine], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        return "refused", done.stderr.decode(errors="replace").strip()
    for finding in json.loads(done.stdout)["findings"]:
        if finding["rule"] in ("mapping/misfit", "log/other-model"):
            return "doubted", finding["message"]
    return "accepted", f"exit {done.returncode}"


def check_pairs(binary, rows, built):
    """True where a right pair is not accepted, or a wrong one is."""
    models = {row.likeness: row for row in reversed(rows)}      # the first of each
    jobs = [(True, row, row) for row in rows + built]
    jobs += [(False, engine, model) for engine in rows for model in models.values()
             if not truth.alike(engine.likeness, model.likeness)]
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda job: ask(binary, job[2].model, job[1].engine), jobs)
        for (right, engine, model), (how, message) in zip(jobs, answers):
            counts[right, how] += 1
            if how != ("accepted" if right else "refused"):
                failed = "FAILED " if right or how == "accepted" else ""
                print(f"   {failed}{how}: engine {engine.name}, model {model.name}: {message[:200]}")
    for right in (True, False):
        print(f"{'right' if right else 'wrong'} pairs: "
              + ", ".join(f"{how} {counts[right, how]}" for how in ("accepted", "doubted", "refused")))
    return counts[True, "doubted"] + counts[True, "refused"] + counts[False, "accepted"] > 0


def tables(binary, zoos, show):
    """Figures by family, of the last zoo and of all."""
    last, everything = ({name: Figures() for name in (*FAMILIES, "total")} for _ in range(2))
    for number, (_, cases) in enumerate(zoos, 1):
        for case in cases:
            if show:
                print(f"{case.name} ({case.family})")
            both = Figures()
            measure(binary, case, both, show)
            for figures in (everything, last) if number == len(zoos) else (everything,):
                for f in (figures[case.family], figures["total"]):
                    f.n.update(both.n)
                    for key, worst in both.worst.items():
                        f.worst[key] += worst
    if len(zoos) > 1:
        yield zoos[-1][0], last
    yield " and ".join(name for name, _ in zoos), everything


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("shared")
    parser.add_argument("--zoo", action="append", help="another folder of cases")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--links", nargs="?", const="computing")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--built", help="a folder of further right pairs")
    parser.add_argument("--bars", action="store_true")
    args = parser.parse_args()
    folders = args.zoo or [os.path.join(args.shared, zoo, "cases") for zoo in ZOOS]
    if not all(map(os.path.isdir, folders)):
        print(f"skipped: no {' or no '.join(folders)}")
        return 77
    zoos = [(os.path.basename(os.path.dirname(folder.rstrip("/"))),
             [Case(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
              if not args.case or name in args.case]) for folder in folders]
    failed = False
    if not args.pairs or args.bars:
        for title, figures in tables(args.binary, zoos, args.links):
            print(f"\n######## {title}")
            report(figures)
            failed |= args.bars and check_bars(title, figures)
    if args.pairs:
        rows = [Pair(case.name, case.model_path, case.log, likeness(case.model_path))
                for _, cases in zoos for case in cases]
        rows += corpus_pairs(os.path.join(args.shared, "corpus")) if not args.zoo and not args.case else []
        failed |= check_pairs(args.binary, rows, list(built_pairs(args.built)) if args.built else [])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
