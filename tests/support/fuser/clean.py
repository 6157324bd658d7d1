"""The first steps: nodes that never become a layer, and the initial layers."""


def start(w):
    """Sets the fate of dead and constant nodes, and creates a layer for every other node."""
    owned_by_layer = {}
    for n in w.net.nodes:
        if n.index in w.facts.dead:
            _dead(w, n)
        elif n.index in w.facts.constant and n.op != "DequantizeLinear":
            w.settle(n.index, "folded", also=_also(w, n, identity=True))
        elif n.index in w.facts.by_shape and n.scope == 0:
            w.settle(n.index, "folded", also=_also(w, n, identity=True), loose=True)
        elif n.index in w.facts.constant and n.scope != 0:
            w.settle(n.index, "folded", also={"absorbed"})
        elif n.scope != 0:
            _inner(w, n, owned_by_layer)
        elif n.index in w.facts.constant:
            continue                # quant.py decides the fate of a weight's DQ
        else:
            _layer(w, n, owned_by_layer)
    _constant_outputs(w)


def _constant_outputs(w):
    """Adds a layer for each constant output of the network."""
    for t in w.net.outputs:
        i = w.net.producer.get(t)
        if i is not None and not w.makers(t):
            layer = w.add(w.label(i), [], [t], "constant")
            layer.type, layer.fixed, layer.loose = "Constant", True, True
            layer.mentions, layer.silent = [i], True
            w.fates[i].loose = True
            w.fates[i].also.add("layer")


def _dead(w, n):
    also = _also(w, n, identity=True)
    if n.index in w.facts.constant:
        also.add("folded")
    w.settle(n.index, "dead", also)


def _also(w, n, identity=False):
    also = set()
    if n.index in w.facts.same:
        also.add("merged")
    if identity and w.facts.view(n):
        also.add("identity")
    return also


def _layer(w, n, owners):
    seen, ins = set(), []
    tensors = list(n.ins)
    for i in w.net.body_nodes(n.index) if n.bodies else []:
        tensors += w.net.nodes[i].ins       # tensors that bodies read from outside
    for t in tensors:
        if t and "\0" not in t and t not in seen and not w.constant(t) \
                and (t in w.net.inputs or t in w.net.producer):
            seen.add(t)
            ins.append(t)
    outs = [t for t in n.outs if t in w.net.users or t in w.bound]
    layer = w.add(w.label(n.index), ins, outs or n.outs[:1])
    layer.nodes, layer.meta = [n.index], [n.index]
    layer.op, layer.root = n.op, n.index
    if n.bodies:
        layer.opaque = layer.fixed = True
    owners[n.index] = layer


def _inner(w, n, owners):
    """Adds a node of a body to the layer of the body's owner."""
    top = n
    while top.owner is not None:
        top = w.net.nodes[top.owner]
    if top.index in owners:
        layer = owners[top.index]
        layer.nodes.append(n.index)
        layer.meta.append(n.index)
        w.fates[n.index].loose = True
        w.fates[n.index].also.update({"identity", "merged", "absorbed", "folded"}
                                     if w.facts.view(n) else {"merged"})


def dissolve(w):
    """Eliminates Identity and similar nodes.  A view is eliminated, or becomes a Shuffle."""
    stand = 0.0 if w.scale else w.rng.choice([0.0, 0.15, 0.5])
    for layer in [x for x in w.layers.values() if x.root is not None]:
        n = w.net.nodes[layer.root]
        kind = w.facts.view(n)
        if kind is None or layer.opaque:
            continue
        keep = stand if kind == "view" or w.scale else 0.02
        if w.roll(keep) or not bypass(w, layer):
            _stand(w, layer, n, kind)
        else:
            w.say("Running: ShuffleErasure on " + layer.name)
            w.say("Removing " + layer.name)
            w.settle(n.index, "identity", also=_also(w, n))


def bypass(w, layer):
    """Removes a layer of one input and one output from the graph."""
    if len(layer.ins) != 1 or not layer.outs:
        return False
    x, y = layer.ins[0], layer.outs[0]
    if y in w.bound and (x in w.bound or len(w.makers(x)) != 1):
        return False
    w.drop(layer)
    if y in w.bound or (x not in w.bound and w.roll(0.1)):
        for user in w.users(x):
            user.seen_as.setdefault(x, x)
        w.rename(x, y)
    else:
        for user in w.users(y):
            w.replace_in(user, y, x)
            user.seen_as.setdefault(x, y)
    return True


def _stand(w, layer, n, kind):
    """Keeps a no-op as a layer of its own."""
    layer.fixed = True
    if kind == "view":
        layer.type = w.rng.choice(["Shuffle", "NoOp"])
        layer.kind = "compute" if layer.type == "Shuffle" else "noop"
        layer.loose, layer.silent = True, w.roll(0.3)
        w.fates[n.index].loose = True
        w.fates[n.index].also.add("identity")
    else:
        layer.type, layer.kind = "Reformat", "reformat"
        layer.origin = "CAST" if n.op == "Cast" else "IDENTITY"
        layer.silent = n.op == "Cast"
        layer.loose = True


def merge_same(w):
    """Merges duplicates: one layer computes several nodes. Leaves a few groups unmerged, because a
    builder need not find all duplicates."""
    unseen = {i for i in sorted(set(w.facts.same.values())) if w.roll(0.1)}
    by_node = {x.root: x for x in w.layers.values()}
    for i, first in w.facts.same.items():
        a, b = by_node.get(first), by_node.get(i)
        if a is None or b is None or a.fixed or b.fixed or a.id not in w.layers \
                or w.net.nodes[i].op == "DequantizeLinear":
            continue
        if sorted(a.ins) != sorted(b.ins) or len(a.outs) != len(b.outs) \
                or any(t in w.bound for t in b.outs) or first in unseen:
            continue
        outs = list(zip(a.outs, b.outs))
        w.drop(b)
        for keep, gone in outs:
            for user in w.users(gone):
                w.replace_in(user, gone, keep)
        if w.net.nodes[i].op == "QuantizeLinear":
            w.say("Eliminating %s which duplicates (Q) %s" % (b.name, a.name))
        else:
            w.say("Removing " + b.name)
        w.settle(i, "merged")
        w.fates[i].why = first
