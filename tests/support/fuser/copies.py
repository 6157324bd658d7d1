"""Removes Concat layers, adds copies where this fails, and adds Reformats.

A Concat disappears if its producers can write their parts in place. The concatenated tensor then
has several producers. If a producer cannot write its part in place, a layer `T copy` does.
"""


def slices(w):
    """Eliminates a Slice that a consumer can perform by reading with an offset."""
    for s in [x for x in w.layers.values() if x.op == "Slice" and x.region is None]:
        if len(s.ins) != 1 or s.outs[0] in w.bound or not w.roll(0.2) or s.fixed:
            continue
        x, y = s.ins[0], s.outs[0]
        alone = sum(s.root in o.nodes for o in w.layers.values()) == 1
        if not alone:
            continue
        w.say("Eliminating slice %s by retargeting %s from %s to %s" % (s.name, y, y, x))
        w.drop(s)
        for u in w.users(y):
            w.replace_in(u, y, x)
            u.mentions.append(s.root)
        w.settle(s.root, "identity", {"layer", "absorbed"}, loose=True)


def concats(w):
    for c in [x for x in w.layers.values() if x.op == "Concat" and x.region is None
              and not x.opaque]:
        if not c.ins:
            c.type = "Concat"
            continue
        _place(w, c)


def _place(w, c):
    node, y = c.root, c.outs[0]
    w.say("Eliminating concatenation " + c.name)
    ins = list(c.ins)
    alone = {t: len(w.users(t)) == 1 for t in ins}
    w.drop(c)
    copies = 0
    for t in ins:
        m = w.only_maker(t)
        if m is None or t in w.bound or not alone[t] or m.type == "Constant" \
                or w.roll(0.15):
            _copy(w, c, t, y)
            copies += 1
            continue
        w.say("Retargeting %s to %s" % (t, y))
        if y in m.outs:
            m.outs.remove(t)
            w.maker[t].pop(m.id)
        else:
            w.replace_out(m, t, y)
        m.mentions.append(node)
    if any(t in w.int8 for t in ins):
        w.int8.add(y)
    if not copies:
        w.settle(node, "identity", {"layer"}, loose=True)
    else:
        w.fates[node].loose = True


def _copy(w, c, t, y):
    why = "because input does not support striding." if w.roll(0.5) \
        else "because of stomping hazard."
    w.say("Generating copy for %s to %s %s" % (t, y, why))
    k = w.add(t + " copy", [t], [y], "copy")
    k.type, k.origin, k.loose, k.op, k.fixed = "Reformat", "SLICE", True, "copy", True
    k.nodes, k.meta, k.root = [c.root], [c.root], c.root


# ---------------------------------------------------------------- reformats

def reformats(w):
    rate = 0.05 if w.scale else w.rng.choice([0.0, 0.05, 0.2, 0.4])
    for x in list(w.layers.values()):
        if x.inserted or x.kind in ("constant", "copy") or "[profile" in x.name:
            continue
        for i, t in enumerate(list(x.ins)):
            edge = 0.5 if t in w.net.inputs and rate else rate
            if w.roll(edge) and t in x.ins:
                _before(w, x, i, t)
        if len(x.outs) == 1 and w.roll(0.6 if rate and x.outs[0] in w.net.outputs
                                       else rate / 4):
            _after(w, x)


def _before(w, x, i, t):
    to = x.known_as or x.name
    new = "Reformatted Input Tensor %d to %s" % (i, to)
    if w.makers(new):
        return
    r = w.add("Reformatting CopyNode for Input Tensor %d to %s" % (i, to), [t], [new])
    for u in w.users(t):
        if u is x or (x.known_as and u.known_as == x.known_as):
            w.replace_in(u, t, new)
    _settle(w, r, x, t, new)
    w.say("Adding reformat layer: %s (%s) from Float(4096,64,8,1) to Half(4096,1:8,64,8)"
          % (new, t))


def _after(w, x):
    to, t = x.known_as or x.name, x.outs[0]
    new = "Reformatted Output Tensor 0 to %s" % to
    if w.makers(new) or len(w.makers(t)) != 1:
        return
    w.replace_out(x, t, new)
    r = w.add("Reformatting CopyNode for Output Tensor 0 to " + to, [new], [t])
    _settle(w, r, x, t, new)
    w.say("Adding reformat layer: %s (%s) from Half(4096,1:8,64,8) to Float(4096,64,8,1)"
          % (new, t))


def _settle(w, r, x, t, new):
    r.inserted, r.op, r.fixed, r.silent = True, "reformat", True, True
    if w.roll(0.25):
        r.type, r.kind = "NoOp", "noop"
    else:
        r.type, r.kind, r.origin = "Reformat", "reformat", "REFORMAT"
        if x.region is not None and w.roll(0.3):
            r.type, r.origin = "MyelinReformat", None
    if t in w.int8:
        w.int8.add(new)
    w.alias[new] = w.alias.get(t, t)
    w.copy_of[new] = (t, r.kind == "noop")
