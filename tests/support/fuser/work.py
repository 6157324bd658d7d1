"""The graph of the simulated builder: layers between tensors, and the fate of every node.

The steps change the graph only by `fuse`, `dissolve` and `rename`, which update the two indexes
(the producers and the consumers of each tensor). A fate is set only once. The nodes of a layer are
in `layer.nodes` (the layer computes them) or in `layer.absorbed` (a Q or DQ that became the layer's
precision).
"""


class Layer:
    """A future layer of the engine.

    nodes: the nodes that the layer computes; absorbed: the Q and DQ that became its precision;
        mentions: further nodes that its name or Metadata may mention; meta: the nodes in its
        Metadata, with `sep` between them; silent: it has no Metadata; seen_as: tensor of an input
        -> the tensor whose shape this input shows; known_as: its name in names of Reformats, if
        this is not `name`; root: the node that determines its type; fixed: no step may fuse it;
        opaque: a body that only a region can contain."""
    __slots__ = ("id", "name", "type", "kind", "nodes", "absorbed", "mentions",
                 "meta", "sep", "silent", "ins", "outs", "origin", "inserted",
                 "loose", "region", "seen_as", "op", "opaque", "root", "fixed",
                 "known_as")

    def __init__(self, ident, name, kind="compute"):
        self.id, self.name, self.kind = ident, name, kind
        self.type, self.op, self.origin, self.region = None, None, None, None
        self.nodes, self.absorbed, self.mentions = [], [], []
        self.meta, self.sep, self.silent = [], "\x1e", False
        self.ins, self.outs = [], []
        self.inserted = self.loose = self.opaque = self.fixed = False
        self.seen_as, self.root, self.known_as = {}, None, None


class Fate:
    """The fate of a node. `also`: further fates that are true; `loose`: any fate is acceptable."""
    __slots__ = ("fate", "also", "loose", "why")

    def __init__(self):
        self.fate, self.also, self.loose, self.why = None, set(), False, None


class Work:
    def __init__(self, net, facts, rng, gen):
        self.net, self.facts, self.rng, self.gen = net, facts, rng, gen
        self.layers, self.maker, self.user = {}, {}, {}
        self.fates = [Fate() for _ in net.nodes]
        self.serial, self.events = 0, []
        self.alias = {}             # tensor of the model -> engine tensor
        self.bound = set(net.inputs) | set(net.outputs)
        self.int8 = set()           # tensors with quantized values
        self.counters = {}
        self.copy_of = {}           # reformatted tensor -> (source tensor, whether the Reformat is without cost)
        self.swapped = set()        # nodes that were swapped with a Q

    # ------------------------------------------------------------- basics

    def roll(self, p):
        return self.rng.random() < p

    def say(self, text):
        """Adds a line to the builder's log."""
        self.events.append(text)

    def settle(self, i, fate, also=(), loose=False):
        f = self.fates[i]
        assert f.fate is None, (i, f.fate, fate)
        f.fate, f.loose = fate, loose
        f.also.update(also)

    def label(self, i):
        return self.net.label[i]

    def constant(self, t):
        """Whether the builder knows the tensor's value."""
        if t in self.net.inits:
            return True
        i = self.net.producer.get(t)
        return i is not None and (i in self.facts.constant
                                  or self.fates[i].fate == "folded")

    # ------------------------------------------------------------- layers

    def add(self, name, ins, outs, kind="compute"):
        layer = Layer(self.serial, name, kind)
        self.serial += 1
        self.layers[layer.id] = layer
        for t in ins:
            self.feed(layer, t)
        for t in outs:
            layer.outs.append(t)
            self.maker.setdefault(t, {})[layer.id] = layer
        return layer

    def feed(self, layer, t):
        if t not in layer.ins:
            layer.ins.append(t)
            self.user.setdefault(t, {})[layer.id] = layer

    def unfeed(self, layer, t):
        if t in layer.ins:
            layer.ins.remove(t)
            del self.user[t][layer.id]

    def replace_in(self, layer, old, new):
        """Makes the layer read tensor `new` instead of `old`."""
        at = layer.ins.index(old)
        self.unfeed(layer, old)
        if new not in layer.ins:
            layer.ins.insert(at, new)
            self.user.setdefault(new, {})[layer.id] = layer
        shown = layer.seen_as.pop(old, None)
        if shown:
            layer.seen_as[new] = shown

    def replace_out(self, layer, old, new):
        layer.outs[layer.outs.index(old)] = new
        self.maker[old].pop(layer.id)
        self.maker.setdefault(new, {})[layer.id] = layer

    def rename(self, old, new):
        """Replaces the tensor `old` by `new` in all layers."""
        for layer in list(self.maker.get(old, {}).values()):
            self.replace_out(layer, old, new)
        for layer in list(self.user.get(old, {}).values()):
            self.replace_in(layer, old, new)
        if old in self.int8:
            self.int8.add(new)
        if new not in self.net.shape:
            self.alias[new] = self.alias.get(old, old)

    def drop(self, layer):
        for t in layer.outs:
            self.maker[t].pop(layer.id, None)
        for t in list(layer.ins):
            self.unfeed(layer, t)
        del self.layers[layer.id]

    def makers(self, t):
        return list(self.maker.get(t, {}).values())

    def users(self, t):
        return list(self.user.get(t, {}).values())

    def only_user(self, layer):
        """Returns the only layer that reads the output of this layer; None if there is no such
        layer."""
        if len(layer.outs) != 1 or layer.outs[0] in self.bound:
            return None
        t = layer.outs[0]
        users = self.users(t)
        if len(users) != 1 or len(self.maker[t]) != 1:
            return None
        return users[0] if users[0] is not layer else None

    def only_maker(self, t):
        makers = self.makers(t)
        return makers[0] if len(makers) == 1 else None

    def fuse(self, a, b, name):
        """Fuses layer `b`, which reads an output of layer `a`, into `a`. No other layer may read
        the tensors between them; otherwise a cycle could arise."""
        between = [t for t in a.outs if t in b.ins]
        for t in between:
            assert list(self.user[t]) == [b.id] and t not in self.bound
        keep_out, new_in = list(b.outs), [t for t in b.ins if t not in between]
        seen = dict(b.seen_as)
        self.drop(b)
        for t in between:
            a.outs.remove(t)
            self.maker[t].pop(a.id)
        for t in new_in:
            self.feed(a, t)
            if t in seen:
                a.seen_as[t] = seen[t]
        for t in keep_out:
            a.outs.append(t)
            self.maker.setdefault(t, {})[a.id] = a
        a.name = name
        a.nodes += b.nodes
        a.absorbed += b.absorbed
        a.mentions += b.mentions
        a.meta += b.meta
        return a

    def counter(self, what):
        k = self.counters[what] = self.counters.get(what, -1) + 1
        return k

    # -------------------------------------------------------------- order

    def ordered(self):
        """Returns the layers in an order of execution: all producers of a tensor before its
        consumers, and otherwise in the order of the model's nodes."""
        import heapq
        wait, ready, done = {}, [], []
        for layer in self.layers.values():
            makers = {m.id for t in layer.ins for m in self.makers(t)} - {layer.id}
            wait[layer.id] = makers
        after = {}
        for i, makers in wait.items():
            for m in makers:
                after.setdefault(m, []).append(i)
        rank = {i: (min(x.nodes) if x.nodes else 1 << 30, i)
                for i, x in self.layers.items()}
        count = {i: len(s) for i, s in wait.items()}
        for i, c in count.items():
            if not c:
                heapq.heappush(ready, (rank[i], i))
        while ready:
            _, i = heapq.heappop(ready)
            done.append(self.layers[i])
            for j in after.get(i, ()):
                count[j] -= 1
                if not count[j]:
                    heapq.heappush(ready, (rank[j], j))
        assert len(done) == len(self.layers), "the engine has a cycle"
        return done
