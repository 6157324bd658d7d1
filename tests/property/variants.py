"""The conditions under which one case is read, and the changes that must not
matter."""
import json
import random
import re

from fuser import build, net

# condition: (file, further arguments)
CONDITIONS = {
    "all": ("engine.json", []),
    "times": ("engine.json", ["--profile", "profile.json"]),
    "no metadata": ("bare.json", []),
    "metadata": ("engine.json", ["--evidence", "metadata"]),
    "name": ("engine.json", ["--evidence", "name"]),
    "tensor": ("engine.json", ["--evidence", "tensor"]),
    "names only": ("engine.names.json", []),
    "log": ("engine.log", []),
    "log beside": ("engine.json", ["--log", "engine.log"]),
    "log alone": ("bare.json", ["--log", "engine.log", "--evidence", "log"]),
    "names and log": ("engine.names.json", ["--log", "engine.log"]),
}


# What is put before a name, or a word of one, to have another: letters, which a Myelin kernel's
# name keeps.
MARK = "Zq"


def applies(cond, number):
    """Metadata is there from 8.6 on; a log of 10.x states less than the dump, so
    that the dump's truth does not fit it."""
    if cond == "metadata":
        return number >= 8.6
    return cond != "log" or number < 10


def without_metadata(text):
    d = json.loads(text)
    for layer in d["Layers"]:
        layer.pop("Metadata", None)
    return json.dumps(d)


def shuffled(text, seed):
    """The layers in another order: (text, new place -> old place)."""
    d = json.loads(text)
    order = list(range(len(d["Layers"])))
    random.Random("shuffle %s" % seed).shuffle(order)
    d["Layers"] = [d["Layers"][i] for i in order]
    return json.dumps(d, ensure_ascii=False), order


def reindented(text):
    return json.dumps(json.loads(text), indent=3, ensure_ascii=True)


def renamed(model, seed, number, scale=None):
    """The same case with every activation tensor called something else, in
    the model and, by building it once more, in the engine."""
    return _changed(model, lambda graph: _rename(graph, {}), seed, number, scale)


def nodes_renamed(model, seed, number, scale=None):
    """The same with every node that has a name."""
    return _changed(model, rename_nodes, seed, number, scale)


def _changed(model, change, seed, number, scale):
    new = type(model)()
    new.CopyFrom(model)
    change(new.graph)
    return new, build.build(net.Net(net.infer(new)), seed, number, scale)


def nodes(graph):
    for n in graph.node:
        yield n
        for a in n.attribute:
            if a.HasField("g"):
                yield from nodes(a.g)


def rename_nodes(graph):
    """A mark before every word that names of nodes are made of, wherever it stands in one: so a
    name that holds another, begins as it or runs over its end still does, and what can be read
    in two ways (of nodes "A", "Relu_clone_1" and "A + Relu", the layer "A + Relu_clone_1")
    still can.  What a layer's name has of the builder's own words is left."""
    words = sorted({n.op_type for n in nodes(graph)}, reverse=True)
    word = re.compile("(?<![A-Za-z])(?:%s|node_(?!after|before))" % "|".join(map(re.escape, words)))
    for n in nodes(graph):
        n.name = word.sub(MARK + r"\g<0>", n.name)


def _rename(graph, outer):
    names = dict(outer)
    keep = {i.name for i in graph.initializer}
    for v in graph.input:
        if v.name not in keep:
            names[v.name] = MARK + v.name
    for n in graph.node:
        for t in n.output:
            if t:
                names[t] = MARK + t
    for n in graph.node:
        n.input[:] = [names.get(t, t) for t in n.input]
        n.output[:] = [names.get(t, t) for t in n.output]
        for a in n.attribute:
            if a.HasField("g"):
                _rename(a.g, names)
    for v in list(graph.input) + list(graph.output) + list(graph.value_info):
        v.name = names.get(v.name, v.name)
