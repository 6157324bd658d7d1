"""Myelin regions: one {ForeignNode[first...last]} layer, or its kernels.

A region must be convex: no path may leave it and return. Each layer gets a depth. Along a path, the
depth grows where the path enters or leaves the layers that Myelin supports. Connected layers of
equal depth therefore have no path through other layers.
"""
from .fusion import POINTWISE

TAKEN = POINTWISE | {
    "MatMul", "Gemm", "Softmax", "LayerNormalization", "Gather", "ReduceMean",
    "ReduceSum", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice",
    "Split", "Expand", "Cast", "LSTM", "Where", "ArgMax", "Concat", "Range", "Trilu",
    "Identity", "CumSum", "ScatterND", "GatherND", "NonZero", "TopK", "Tile"}
ANCHOR = {"MatMul", "Gemm", "Softmax", "LayerNormalization", "ReduceMean", "LSTM",
          "ReduceSum", "ArgMax"}
SHORT = {"Add": "Add", "Mul": "Mul", "Softmax": "MaxrSubExpSum", "Reshape": "Resh",
         "Transpose": "Tran", "Relu": "Relu", "Sub": "Sub", "Div": "Div", "Exp": "Exp",
         "ReduceMean": "Mean", "Sqrt": "Sqrt", "Pow": "Pow", "Gather": "Gath",
         "LayerNormalization": "MeanSubMulMean", "Cast": "Cast", "Concat": "Conc",
         "Slice": "Slic", "Sigmoid": "Sigm", "Tanh": "Tanh"}


def choose(w):
    """Sets layer.region of the layers that Myelin compiles."""
    takes = {x.id: _takes(w, x) for x in w.layers.values()}
    depth, order = {}, w.ordered()
    for x in order:
        d = 0
        for t in x.ins:
            for m in w.makers(t):
                d = max(d, depth[m.id] + (takes[m.id] != takes[x.id]))
        depth[x.id] = d
    parent = {}

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for x in order:
        if not takes[x.id]:
            continue
        parent.setdefault(x.id, x.id)
        for t in x.ins:
            for m in w.makers(t):
                if takes[m.id] and depth[m.id] == depth[x.id]:
                    parent[find(x.id)] = find(m.id)
    groups = {}
    for x in order:
        if takes[x.id]:
            groups.setdefault(find(x.id), []).append(x)
    number = w.rng.randrange(3)
    for group in groups.values():
        if w.scale or (any(x.op in ANCHOR for x in group) and w.roll(0.85)):
            number += w.rng.randint(1, 3)
            for x in group:
                x.region = number


def _takes(w, x):
    if x.op == "MatMul" and x.root in w.weight_dq:
        return False
    return x.op in TAKEN and not x.fixed and not x.opaque \
        and not any(t in w.int8 for t in x.ins) and (w.scale or w.rng.random() > 0.01)


def finish(w):
    """Converts each chosen region into the layers of this TensorRT generation."""
    groups = {}
    for x in w.ordered():
        if x.region is not None:
            groups.setdefault(x.region, []).append(x)
    for number, group in groups.items():
        if w.gen.number >= 10:
            kernels(w, number, group)
        else:
            foreign(w, group)
    for x in [x for x in w.layers.values() if x.opaque]:
        foreign(w, [x])


def region_name(w, group):
    """Returns the name of a region. It contains only the names of the first and the last member,
    and sometimes of the weights of the first member."""
    first, last = group[0].name, group[-1].name
    if len(group) > 1 and w.roll(0.3):
        weights = [t for t in w.net.nodes[group[0].root].ins if t in w.net.inits]
        if weights:
            first = weights[0] + " + (Unnamed Layer* %d) [Shuffle]" % group[0].root
    names = first if len(group) == 1 else first + "..." + last
    return "{ForeignNode[%s]}" % names


def foreign(w, group):
    """Replaces the whole group by one layer."""
    name = region_name(w, group)
    members = [w.net.title[i] for x in group for i in x.nodes]
    whole = collapse(w, group, name)
    whole.type, whole.kind, whole.op = "Myelin", "foreign", "foreign"
    whole.opaque, whole.fixed, whole.region = False, True, None
    whole.silent = w.gen.number < 10 or w.roll(0.4)
    whole.sep = "\x1f"
    if w.gen.number >= 10:
        w.say("ForeignNode %s metadata: %s" % (
            name, "".join("[ONNX Layer: %s]" % m for m in members)))


def collapse(w, group, name):
    """Replaces many layers by one layer with their outer inputs and outputs. The time is linear in
    the number of layers, unlike the time of fusing them one by one."""
    inside = {x.id for x in group}
    ins, outs = [], []
    for x in group:
        for t in x.ins:
            if any(m.id not in inside for m in w.makers(t)) or not w.makers(t):
                ins.append(t)
        for t in x.outs:
            if t in w.bound or any(u.id not in inside for u in w.users(t)):
                outs.append(t)
    seen = {}
    for x in group:
        seen.update(x.seen_as)
        w.drop(x)
    whole = w.add(name, ins, list(dict.fromkeys(outs)))
    whole.root, whole.op = group[0].root, group[0].op
    for x in group:
        whole.nodes += x.nodes
        whole.absorbed += x.absorbed
        whole.mentions += x.mentions
        whole.meta += x.meta
    whole.seen_as = {t: s for t, s in seen.items() if t in whole.ins}
    return whole


# ------------------------------------------------------------------ kernels

def kernels(w, number, group):
    """Replaces a region by its kernels, as in TensorRT 10.x: matrix products are `gemm`, all other
    kernels are `kgen`. Tensors inside the region have names of the compiler."""
    known_as = region_name(w, group)
    name_inner_tensors(w, number, group)
    made = [collapse(w, part, "") for part in _cluster(w, group)]
    for k in made:
        k.known_as = known_as
    serial = 0
    if w.roll(0.2):
        call = w.add("dummy_shape_call__mye%d_0_myl%d_0" % (100 + number, number), [], [],
                     "shape")
        call.type, call.inserted, call.loose, call.op = "shape_call", True, True, "call"
        serial = 1
    for k in made:
        _kernel(w, k, number, serial)
        serial += 1
    for k in made:
        serial = _split(w, k, number, serial)
    if w.roll(0.15):
        _cast(w, made[0], number, serial)


def name_inner_tensors(w, number, group):
    """Renames tensors to `__myln_k_arg__bb1_3_myl4`, `relu_2.1_myl4` or `relu_2.1_4_myl4`.
    The second form is the tensor itself.  The third is an argument of the kernel that
    computes it, as in 1,692 of 1,702 such names of real engines."""
    inside = {x.id for x in group}
    for x in group:
        for t in list(x.outs):
            if t in w.bound or any(u.id not in inside for u in w.users(t)):
                continue
            if w.roll(0.4):
                other = w.rng.choice(group).outs[0] if w.roll(0.15) else t
                argument = (other != t or w.roll(0.5)) and w.users(t)
                named = argument[0].outs[0] if argument else t
                serial = "_%d" % w.counter("named") if argument else ""
                new = "%s.1%s_myl%d" % (named.split(".1_")[0], serial, number)
            else:
                new = "__myln_k_arg__bb1_%d_myl%d" % (w.counter("arg"), number)
            w.rename(t, new)


def _cluster(w, group):
    """Divides the group into convex parts. A layer joins the part of its producer if it is the only
    consumer of this part, or if all its producers in the region are in this part."""
    part_of, parts = {}, []
    inside = {x.id for x in group}
    for x in group:
        makers = {m.id for t in x.ins for m in w.makers(t) if m.id in inside}
        homes, home = {part_of[m] for m in makers}, None
        if len(homes) == 1 and _joins(x, parts[min(homes)]) and w.roll(0.85):
            home = min(homes)
        elif x.op == "MatMul" and len(homes) == 2 and w.roll(0.5):
            home = _attention(w, x, parts, homes)
        if home is None:
            home = len(parts)
            parts.append([])
        parts[home].append(x)
        part_of[x.id] = home
    return parts


def _joins(x, part):
    """Whether the layer may join the part.  A softmax joins only the product before it, so
    that both can become an attention."""
    if x.op == "Softmax":
        return len(part) == 1 and part[0].op == "MatMul"
    return x.op not in ("MatMul", "Gemm", "LSTM") and len(part) < 8


def _attention(w, x, parts, homes):
    """Returns the part with the softmax that this matrix product reads, if the product may join
    this part. A part must depend only on earlier parts."""
    home = max(homes)
    last = parts[home][-1]
    fits = last.op == "Softmax" and parts[home][0].op == "MatMul" \
        and last.outs[0] in x.ins
    return home if fits else None


def sanitise(name):
    return "".join(c if c.isalnum() or c in "/_[]" else "_" for c in name)


def _kernel(w, k, number, serial):
    """Sets the name and the type of a kernel. A matrix product keeps the name of its node, but with
    unusual characters replaced."""
    ops = [w.net.nodes[i].op for i in k.nodes]
    k.sep, k.region, k.op = "\x1f", number, "kernel"
    if ops.count("MatMul") > 1:
        k.type, k.name = "kgen", "_gemm_mha_v2_myl%d_%d" % (number, serial)
    elif ops and ops[0] in ("MatMul", "Gemm"):
        k.type = "gemm"
        extra = "_%d" % w.counter("layer") if w.roll(0.2) else ""
        k.name = "%s%s_myl%d_%d" % (sanitise(w.label(k.nodes[0])), extra, number, serial)
    else:
        k.type = "kgen"
        words = "".join(SHORT.get(o, o[:4].capitalize()) for o in ops[:6]) + ("Etc" if len(ops) > 6 else "")
        k.name = "__myl_%s_myl%d_%d" % (words, number, serial)
    views = [i for i in k.nodes if w.facts.view(w.net.nodes[i])]
    for i in views:                     # a view inside a kernel may count as computed or not
        w.fates[i].loose = True
        w.fates[i].also.update({"identity"})
    k.meta = [i for i in k.meta if i not in views or w.roll(0.4)]


def _cast(w, k, number, serial):
    """Inserts a conversion before a kernel, which no node of the model requests."""
    x = k.ins[0] if k.ins else None
    if x is None or x in w.int8:
        return
    t = "__myln_k_arg__bb1_%d_myl%d" % (w.counter("arg"), number)
    c = w.add("__myl_Cast_myl%d_%d" % (number, serial), [x], [t])
    w.replace_in(k, x, t)
    c.type, c.region, c.op, c.known_as = "kgen", number, "cast", k.known_as
    c.inserted = c.loose = c.silent = True
    w.alias[t] = w.alias.get(x, x)


def _split(w, k, number, serial):
    """Adds, at random, a second kernel that completes the last node of a kernel (the sum of a
    softmax, the bias of a Gemm)."""
    last = k.nodes[-1]
    if w.net.nodes[last].op not in ("Softmax", "Gemm", "LayerNormalization") \
            or len(k.outs) != 1 or not w.roll(0.5):
        return serial
    y = k.outs[0]
    t = "__myln_k_arg__bb1_%d_myl%d" % (w.counter("arg"), number)
    w.replace_out(k, y, t)
    more = w.add("__myl_DivMul_myl%d_%d" % (number, serial), [t], [y])
    more.type, more.sep, more.region, more.op = "kgen", "\x1f", number, "kernel"
    more.nodes, more.meta, more.root = [last], [last], last
    more.known_as = k.known_as
    return serial + 1
