#!/usr/bin/python3
"""A DOT as Graphviz's own reader (cgraph, by way of gvpr) sees it, and whether two of them are
one graph.

    graph.py OLD NEW        two files of DOT, or two folders of like-named ones
    (exit status 0: the same graphs; a difference is printed, the first few of a pair)

Attributes count as they hold for a node, an edge or a cluster, wherever they were set, and
one that has Graphviz's own default counts as not set.
"""
import collections
import os
import subprocess
import sys

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read.gvpr")
DEFAULTS = {"constraint": "true", "arrowhead": "normal", "minlen": "1", "weight": "1", "penwidth": "1",
            "label": "\\N"}
# How to write a graph, not what is in it; colours that no graph shows.
GRAPH_ASIDE = {"linelength", "color", "fillcolor"}
# All else a cluster only hands down.
OF_CLUSTER = ("label", "tooltip", "id", "style", "fillcolor", "color")

# attributes of the graph; of nodes by name; edges as a multiset of (tail, head, attributes);
# by cluster its attributes and the nodes directly or indirectly in it
Graph = collections.namedtuple("Graph", "attributes nodes edges clusters")


def attributes(pairs):
    unseen = ("color", "fillcolor", "penwidth") if pairs.get("style") == "invis" else ()
    return {k: v.replace("&#93;", "]") for k, v in pairs.items()
            if v and k not in unseen and DEFAULTS.get(k) != v}


def records(dot):
    """(kind, names, attributes, nodes held) of all that cgraph read."""
    done = subprocess.run(["gvpr", "-f", READER], input=dot, capture_output=True, check=False)
    if done.returncode or done.stderr or not done.stdout:
        raise ValueError(done.stderr.decode(errors="replace")[:400] or "nothing was read")
    record = None
    for line in done.stdout.decode().split("\n"):
        kind, _, rest = line.partition("\t")
        if kind == "attr":
            name, _, value = rest.partition("\t")
            record[2][name] = value
        elif kind == "holds":
            record[3].add(rest)
        else:
            if record:
                yield record
            record = (kind, tuple(rest.split("\t")), {}, set())


def read(dot):
    graph = Graph({}, {}, collections.Counter(), {})
    for kind, names, pairs, held in records(dot):
        found = attributes(pairs)
        if kind == "node":
            graph.nodes[names[0]] = found
        elif kind == "edge":
            graph.edges[(*names, tuple(sorted(found.items())))] += 1
        elif names[0].startswith("cluster"):
            graph.clusters[names[0]] = ({k: v for k, v in found.items() if k in OF_CLUSTER}, held)
        elif not graph.attributes:  # the first graph is the whole
            graph.attributes.update((k, v) for k, v in found.items() if k not in GRAPH_ASIDE)
    return graph


def differences(old, new):
    for what, a, b in zip(Graph._fields, old, new):
        for key in sorted(set(a) | set(b), key=str):
            if a.get(key) != b.get(key):
                yield f"{what} {key}: {a.get(key)} / {b.get(key)}"


EMPTY = Graph({}, {}, collections.Counter(), {})


def load(path):
    with open(path, "rb") as file:
        dot = file.read().split(b"\n--err\n")[0]  # what a run said on standard error stands there
    return read(dot) if dot.strip() else EMPTY


def main():
    old, new = sys.argv[1:3]
    pairs = [(old, new)]
    if os.path.isdir(old):
        pairs = [(os.path.join(old, n), os.path.join(new, n)) for n in sorted(os.listdir(old))
                 if n.endswith(".dot")]
    counts, other = collections.Counter(), 0
    for a, b in pairs:
        first, second = load(a), load(b)
        found = list(differences(first, second))
        other += bool(found)
        counts["of no graph"] += first == EMPTY
        counts["nodes"] += len(first.nodes)
        counts["edges"] += sum(first.edges.values())
        counts["clusters"] += len(first.clusters)
        if found:
            print(f"{os.path.basename(b)}: {len(found)} differences")
            for line in found[:4]:
                print("   ", line[:400])
    print(f"{len(pairs)} graphs, {other} differ; " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    sys.exit(1 if other else 0)


if __name__ == "__main__":
    main()
