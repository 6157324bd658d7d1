"""Horizontal merges of siblings, and single nodes that become several layers."""


def siblings(w):
    """Merges convolutions with the same input into one layer `A || B`.

    The merged result is one tensor with the layer's name.  If an output of the
    network is among the results, each result stays a separate tensor.
    """
    groups = {}
    for c in w.layers.values():
        if c.op == "Conv" and c.region is None and len(c.ins) == 1 and len(c.outs) == 1 \
                and c.type is None:
            n = w.net.nodes[c.root]
            key = (c.ins[0], str(n.ints("kernel_shape")), str(n.ints("strides")),
                   n.int("group", 1), c.outs[0] in w.int8, c.name.count(" + "))
            groups.setdefault(key, []).append(c)
    for same in groups.values():
        if len(same) > 1 and w.roll(0.6):
            _merge(w, same)


def _merge(w, same):
    a = same[0]
    name = " || ".join(c.name for c in same)
    w.say("Merging layers: " + name)
    bound = any(c.outs[0] in w.bound for c in same)
    as_one = not bound and w.roll(0.7)
    for c in same[1:]:
        outs = list(c.outs)
        w.drop(c)
        a.nodes += c.nodes
        a.absorbed += c.absorbed
        a.mentions += c.mentions
        a.meta += c.meta
        for t in outs:
            a.outs.append(t)
            w.maker.setdefault(t, {})[a.id] = a
    a.name = name
    if as_one:
        one = name
        for t in list(a.outs):
            if t in w.int8:
                w.int8.add(one)
            w.rename(t, one)
        a.outs = [one]


def splits(w):
    """Replaces a Split by one Slice for each of its outputs."""
    for s in [x for x in w.layers.values() if x.op == "Split" and x.region is None]:
        s.type = "Slice"
        for k, t in enumerate(s.outs[1:], 1):
            part = w.add("%s_%d" % (s.name, w.counter("layer") + 100), s.ins, [])
            w.maker[t].pop(s.id)
            part.outs.append(t)
            w.maker[t][part.id] = part
            part.nodes, part.meta = list(s.nodes), list(s.meta)
            part.type, part.op, part.root = "Slice", "Slice", s.root
        del s.outs[1:]


def gemms(w):
    """Runs a Gemm as a convolution, with the reshapes that this requires around it."""
    for g in [x for x in w.layers.values() if x.op == "Gemm" and x.region is None]:
        if len(g.ins) != 1 or len(g.outs) != 1:
            continue
        label = w.label(g.root)
        if w.roll(0.4):
            k = w.counter("unnamed") + 50
            g.name += " + (Unnamed Layer* %d) [ElementWise]" % k
        if w.roll(0.5):
            g.type = "CaskGemmConvolution"
            _wrap_before(w, g, label)
        if w.roll(0.5):
            g.type = "CaskGemmConvolution"
            _wrap_after(w, g, label)


def _wrap_before(w, g, label):
    x = g.ins[0]
    t = "reshape_before_%s_out_tensor" % label
    r = w.add("reshape_before_" + label, [x], [t], "noop")
    if x in w.int8:
        w.int8.add(t)
    w.replace_in(g, x, t)
    _wrapper(r, g)


def _wrap_after(w, g, label):
    y = g.outs[0]
    t = label + ("_out_region" if w.gen.number < 10 else "_conv_out")
    w.replace_out(g, y, t)
    if y in w.int8:
        w.int8.add(t)
    word = w.rng.choice(["reshape_after_", "copied_squeeze_after_"])
    _wrapper(w.add(word + label, [t], [y], "noop"), g)


def _wrapper(r, g):
    """Makes the reshape a layer that computes nothing and has the Gemm in its name and Metadata."""
    r.type, r.inserted, r.loose, r.fixed = "NoOp", True, True, True
    r.mentions, r.meta = [g.root], [g.root]
    r.op = "wrapper"
