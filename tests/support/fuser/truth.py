"""Records the true mapping, and checks that it contradicts neither itself nor the engine.

layers[]: index, kind, inserted, nodes (the computed nodes), absorbed, mentions (nodes that a
program may link to the layer without being wrong, such as the Q of a folded weight), loose.
nodes[]: index, name, op, fate, layers, also (further fates that are true), loose (any fate is
acceptable), shared (another node has the same name), noop (changes no value), same (the first node
that computes the same value, if there is one).
"""
import json


def settle(w, layers):
    """Sets the fate "layer" of every node that is in a layer and has no fate yet."""
    for x in layers:
        for i in x.nodes:
            if w.fates[i].fate is None:
                w.fates[i].fate = "layer"


def build(w, layers):
    where = [[] for _ in w.net.nodes]
    rows = []
    for at, x in enumerate(layers):
        for i in dict.fromkeys(x.nodes + x.absorbed):
            where[i].append(at)
        rows.append({"index": at, "name": x.name, "kind": x.kind,
                     "inserted": x.inserted, "loose": x.loose,
                     "nodes": sorted(set(x.nodes)),
                     "absorbed": sorted(set(x.absorbed)),
                     "mentions": sorted(set(x.mentions))})
    nodes = []
    for n, f in zip(w.net.nodes, w.fates):
        nodes.append({"index": n.index, "name": n.name, "op": n.op, "fate": f.fate,
                      "layers": where[n.index], "also": sorted(f.also),
                      "loose": f.loose, "shared": n.index in w.net.shared,
                      "noop": bool(w.facts.view(n)),
                      "same": w.facts.same.get(n.index)})
    return {"generation": w.gen.number, "layers": rows, "nodes": nodes}


def text(truth):
    """Returns the true mapping as JSON, with one line for each layer and node, so that people can
    read it."""
    def rows(items):
        return ",\n".join("  " + json.dumps(r) for r in items)
    return '{"generation": %s,\n"layers": [\n%s\n],\n"nodes": [\n%s\n]}\n' % (
        truth["generation"], rows(truth["layers"]), rows(truth["nodes"]))


def check(w, layers, truth):
    """Raises AssertionError if the simulator itself is wrong."""
    for n in truth["nodes"]:
        assert n["fate"], ("no fate", n)
        if n["fate"] in ("layer", "absorbed"):
            assert n["layers"] or n["loose"] or n["op"] == "DequantizeLinear", n
        elif not n["loose"]:
            assert not n["layers"], n
    for row in truth["layers"]:
        assert row["nodes"] or row["inserted"] or row["loose"], row
    made = {t for x in layers for t in x.outs}
    for x in layers:
        for t in x.ins:
            assert t in made or t in w.net.inputs, ("nobody makes", t, x.name)
    for t in w.net.outputs:
        assert t in made or t in w.net.inputs, ("output is not made", t)
    names = [x.name for x in layers]
    return len(names) == len(set(names))


def replay(w, layers, truth):
    """Checks that the engine has every edge of the model: if a node reads the value of a node in a
    different layer, a chain of tensors must lead from that layer to the layer of the reader. Slow;
    for testing the simulator."""
    users = {}
    for at, x in enumerate(layers):
        for t in x.ins:
            users.setdefault(t, []).append(at)
    reach = {}

    def after(at):
        if at not in reach:
            seen, todo = set(), [at]
            while todo:
                for t in layers[todo.pop()].outs:
                    new = [u for u in users.get(t, ()) if u not in seen]
                    seen.update(new)
                    todo += new
            reach[at] = seen
        return reach[at]

    def stands_in(i):
        n = w.net.nodes[i]
        f = w.fates[i]
        if f.fate == "merged":
            return stands_in(f.why)
        if f.fate == "identity" and w.facts.view(n) and n.ins:
            j = w.net.producer.get(n.ins[0])
            return stands_in(j) if j is not None else None
        return truth["nodes"][i]["layers"] or None

    for n in w.net.nodes:
        here = truth["nodes"][n.index]["layers"]
        if w.fates[n.index].fate != "layer" or not here or n.op == "Concat":
            continue                # the producers may write in place of the Concat
        for t in n.ins:
            i = w.net.producer.get(t)
            if i in w.swapped:
                continue
            there = stands_in(i) if i is not None and i not in w.facts.constant \
                and i not in w.facts.by_shape else None
            if there:
                assert any(b == a or b in after(a) for a in there for b in here), (
                    "no way from", w.label(i), "to", w.label(n.index))
