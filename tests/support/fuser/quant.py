"""The fates of QuantizeLinear and DequantizeLinear.

The builder folds the Q of a weight, and fuses its DQ into the layer that reads the weight. It fuses
the DQ of an activation into the layers after it, and a Q into the layer before it. It may leave
either unfused, as a Reformat. It may first swap a Q with a MaxPool. When layers are swapped,
tensors keep their places, so the INT8 tensor before the pool then has the name of the pool's
output.
"""
QUANTISED = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
COMMUTING = {"MaxPool"}


def weights(w):
    """Finds the DQ nodes whose input is constant."""
    w.weight_dq = {}
    for n in w.net.nodes:
        if n.op != "DequantizeLinear" or n.index not in w.facts.constant \
                or n.scope != 0 or w.fates[n.index].fate:
            continue
        into = [x for x in w.layers.values() if x.root in _users(w, n)]
        if not into or any(x.op not in QUANTISED for x in into):
            w.settle(n.index, "folded", also={"absorbed", "merged"}, loose=True)
            continue
        also = {"folded"} | ({"merged"} if n.index in w.facts.same else set())
        w.settle(n.index, "absorbed", also=also)
        for x in into:
            x.absorbed.append(n.index)
            if w.net.nodes[x.root].ins[1:2] == n.outs[:1]:
                w.weight_dq[x.root] = n


def _users(w, n):
    """Returns the nodes that read the DQ's output, directly or through folded transposes."""
    found, todo = set(), list(n.outs)
    while todo:
        for i in w.net.users.get(todo.pop(), ()):
            if w.fates[i].fate == "folded":
                todo += w.net.nodes[i].outs
            else:
                found.add(i)
    return found


def weight_name(w, root):
    """Returns the prefix of a layer's name, "conv1.weight + QuantizeLinear_7 + ", and a list of the
    Q in it."""
    dq = w.weight_dq.get(root)
    if dq is None:
        return "", []
    i = w.net.producer.get(dq.ins[0])
    if i is None or w.net.nodes[i].op != "QuantizeLinear":
        return "", []
    q = w.net.nodes[i]
    label = w.label(i)
    if w.gen.number < 8.2:
        label += "_quantize_scale_node"
    return "%s + %s + " % (q.ins[0], label), [i]


def swap_pools(w):
    """Swaps a MaxPool and the Q after it."""
    for q in [x for x in w.layers.values() if x.op == "QuantizeLinear"]:
        pool = w.only_maker(q.ins[0]) if q.ins else None
        if pool is None or pool.op not in COMMUTING or w.only_user(pool) is not q \
                or not w.roll(0.5):
            continue
        x, a, y = pool.ins[0], pool.outs[0], q.outs[0]
        if w.only_maker(x) is None or len(w.users(x)) != 1 or x in w.bound \
                or w.only_maker(x).op == "DequantizeLinear":
            continue
        w.say("Swapping %s with %s" % (pool.name, q.name))
        w.swapped.add(pool.root)
        pool.mentions.append(q.root)    # because of this Q, the pool runs in INT8
        w.replace_in(q, a, x)
        w.replace_out(q, y, a)
        w.replace_in(pool, x, a)
        w.replace_out(pool, a, y)
        w.int8.update((a, y))


def mark_int8(w):
    for x in w.layers.values():
        if x.op == "QuantizeLinear":
            w.int8.update(x.outs)


def clone_over_concats(w):
    """Moves a Q after a Concat to the Concat's inputs, one clone for each."""
    for q in [x for x in w.layers.values() if x.op == "QuantizeLinear"]:
        c = w.only_maker(q.ins[0]) if q.ins else None
        if c is None or c.op != "Concat" or w.only_user(c) is not q \
                or len(c.ins) < 2 or not w.roll(0.4):
            continue
        w.say("Running: SplitQAcrossPrecedingFanIn on " + q.name)
        w.swapped.add(c.root)
        y, old = q.outs[0], c.outs[0]
        w.drop(q)
        w.replace_out(c, old, y)
        for k, t in enumerate(list(c.ins)):
            name = "%s_clone_%d" % (q.name, k)
            clone = w.add(name, [t], [name + "_out_tensor"])
            clone.op, clone.root = q.op, q.root
            clone.nodes, clone.meta = [q.root], [q.root]
            w.replace_in(c, t, clone.outs[0])
            w.int8.update(clone.outs)
            w.alias[clone.outs[0]] = w.alias.get(t, t)
        w.fates[q.root].also.update({"layer", "absorbed"})


def absorb_dq(w):
    """Fuses a DQ into all layers after it, or leaves it unfused."""
    for dq in [x for x in w.layers.values() if x.op == "DequantizeLinear"]:
        x, y = dq.ins[0], dq.outs[0]
        users = w.users(y)
        must = users and all(u.root in w.weight_dq for u in users)
        fits = users and all(u.op in QUANTISED | {
            "Add", "Mul", "MaxPool", "AveragePool", "GlobalAveragePool", "Relu"}
            and not u.fixed for u in users)
        if y in w.bound or not fits or not (must or w.roll(0.8)):
            stand(w, dq)
            continue
        w.drop(dq)
        for u in users:
            w.replace_in(u, y, x)
            u.absorbed.append(dq.root)
        names = [u.name for u in users]
        w.say("QuantizeDoubleInputNodes: fusing %s into %s" % (dq.name, names[0]))
        _absorbed(w, dq.root)


def _absorbed(w, i):
    if w.fates[i].fate == "absorbed":       # another clone of this Q is already absorbed
        return
    w.settle(i, "absorbed", also={"merged"} if i in w.facts.same else ())


def stand(w, layer):
    """Leaves a Q or DQ unfused: it becomes a Reformat with the node's name."""
    layer.kind, layer.fixed = "quantize", True
    if w.gen.number < 8.2:
        layer.type = "Scale"
        layer.name += "_quantize_scale_node" if layer.op[0] == "Q" \
            else "_dequantize_scale_node"
    else:
        layer.type, layer.origin = "Reformat", "QDQ"
        w.say("Running: QDQToCopy on " + layer.name)


TAKES_Q = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "MaxPool", "AveragePool",
           "GlobalAveragePool", "Relu", "Mul"}


def absorb_q(w):
    """Fuses a Q into the layer before it if no other layer reads that layer's output."""
    for q in [x for x in w.layers.values() if x.op == "QuantizeLinear"]:
        before = w.only_maker(q.ins[0]) if q.ins else None
        if before is None or before.fixed or before.op not in TAKES_Q \
                or w.only_user(before) is not q or before.region is not None \
                or not w.roll(0.9):
            stand(w, q)
            continue
        name, nodes = before.name, list(before.nodes)
        w.say("QuantizeDoubleInputNodes: fusing %s into %s" % (q.name, name))
        meta = list(before.meta)
        w.fuse(before, q, name)
        before.nodes, before.meta = nodes, meta
        before.absorbed.append(q.root)
        _absorbed(w, q.root)
