#!/usr/bin/python3
"""A DOT as Graphviz's own reader sees it, and whether two of them are one graph.

    graph.py OLD NEW        two files of DOT, or two folders of like-named ones
    (exit status 0: the same graphs; a difference is printed, the first few of a pair)

Attributes count as they hold for a node, an edge or a cluster, wherever they were set, and
one that has Graphviz's own default counts as not set.
"""
import collections
import json
import os
import subprocess
import sys

DEFAULTS = {"constraint": "true", "arrowhead": "normal", "minlen": "1", "weight": "1", "penwidth": "1",
            "label": "", "tooltip": "", "style": "", "id": "", "rank": "", "ltail": ""}
# How to write a graph, not what is in it; colours that no graph shows.
GRAPH_ASIDE = {"name", "linelength", "color", "fillcolor"}
# All else a cluster only hands down.
OF_CLUSTER = ("label", "tooltip", "id", "style", "fillcolor", "color")

Graph = collections.namedtuple("Graph", "attributes nodes edges clusters")


def attributes(thing):
    unseen = ("color", "fillcolor", "penwidth") if thing.get("style") == "invis" else ()
    return {k: v.replace("&#93;", "]") for k, v in thing.items()
            if isinstance(v, str) and k != "name" and k not in unseen and DEFAULTS.get(k) != v}


def read(dot):
    """Of bytes: attributes of the graph, of nodes by name, edges as a multiset, and clusters by
    name with the nodes directly or indirectly in them."""
    done = subprocess.run(["dot", "-Tdot_json"], input=dot, capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise ValueError(done.stderr.decode(errors="replace")[:400] or "dot failed")
    graph = json.loads(done.stdout, strict=False)
    objects = graph.get("objects", [])
    subgraphs = graph.get("_subgraph_cnt", 0)
    names = {o["_gvid"]: o["name"] for o in objects}
    nodes = {o["name"]: attributes(o) for o in objects[subgraphs:]}
    clusters = {o["name"]: ({k: v for k, v in attributes(o).items() if k in OF_CLUSTER}, frozenset(names[i] for i in o.get("nodes", ())))
                for o in objects[:subgraphs] if o["name"].startswith("cluster")}
    edges = collections.Counter(
        (names[e["tail"]], names[e["head"]], tuple(sorted(attributes(e).items())))
        for e in graph.get("edges", []))
    top = {k: v for k, v in graph.items() if isinstance(v, str) and k not in GRAPH_ASIDE}
    return Graph(top, nodes, edges, clusters)


def differences(old, new):
    for what, a, b in (("graph", old.attributes, new.attributes), ("node", old.nodes, new.nodes),
                       ("cluster", old.clusters, new.clusters), ("edge", old.edges, new.edges)):
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
        for kind in ("nodes", "edges", "clusters"):
            held = getattr(first, kind)
            counts[kind] += sum(held.values()) if kind == "edges" else len(held)
        if found:
            print(f"{os.path.basename(b)}: {len(found)} differences")
            for line in found[:4]:
                print("   ", line[:400])
    print(f"{len(pairs)} graphs, {other} differ; " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    sys.exit(1 if other else 0)


if __name__ == "__main__":
    main()
