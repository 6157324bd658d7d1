"""Types, layouts and shapes of engine tensors, as each generation spells them."""

WORDS = {"Float": "FP32", "Half": "FP16 format", "Int8": "Int8 format",
         "Int32": "Int32", "Int64": "Int64", "Bool": "Bool"}
ELEM = {1: "Float", 10: "Half", 7: "Int64", 6: "Int32", 9: "Bool", 3: "Int8",
        2: "Int8", 11: "Float", 16: "Half"}
VECTORS = {"Int8": ["Thirty-two", "Thirty-two", "Four"],
           "Half": ["hwc8", "hwc8", "hwc16", "Two", "linear"],
           "Float": ["linear", "linear", "hwc4", "hwc"]}
WIDTH = {"Thirty-two": 32, "Four": 4, "Two": 2, "hwc8": 8, "hwc16": 16, "hwc4": 4}


class Form:
    __slots__ = ("type", "layout", "dims")

    def __init__(self, kind, layout, dims):
        self.type, self.layout, self.dims = kind, layout, dims


class Forms:
    """The form of each engine tensor; `at` returns the form that a layer's input shows."""

    def __init__(self, w):
        self.w, self.known = w, {}
        # Tests compare a large build with a build of half the size, so its
        # types must not be random.
        self.half = w.roll(0.5) or bool(w.scale)
        self.io_half = self.half and w.gen.number >= 10 and w.roll(0.3)
        self.bare = w.gen.bare
        self.unknown = -1 if w.roll(0.5) else 2     # -1: from an engine without an execution context, 2: with one

    def shape(self, t):
        w = self.w
        t = w.alias.get(t, t)
        dims = w.net.shape.get(t)
        if dims is None:
            return [1, 64, 8, 8]
        return [d if d >= 0 else self.unknown for d in dims]

    def of(self, t):
        if t not in self.known:
            self.known[t] = self._make(t)
        return self.known[t]

    def _copy(self, t):
        """Returns the form after a Reformat, which changes type or layout. A Reformat without cost
        keeps the type and only renames the layout, which is possible if a dimension is 1."""
        of, free = self.w.copy_of[t]
        src = self.of(of)
        new = self._fresh(t)
        if free:
            new.type = src.type
        menu = VECTORS.get(new.type, []) + ["linear"] if len(new.dims) == 4 \
            else ["linear"]
        if (new.type, new.layout) == (src.type, src.layout) or free:
            new.layout = self.w.rng.choice(
                [m for m in menu if m != src.layout] or menu)
        return new

    def _make(self, t):
        return self._copy(t) if t in self.w.copy_of else self._fresh(t)

    def _fresh(self, t):
        w = self.w
        dims = self.shape(t)
        kind = ELEM.get(w.net.elem.get(w.alias.get(t, t), 1), "Float")
        if t in w.int8:
            kind = "Int8"
        elif kind == "Float" and self.half and (t not in w.bound or self.io_half):
            kind = "Half"
        elif kind == "Int64" and t not in w.bound and w.gen.number < 10:
            kind = "Int32"
        layout = "linear"
        if len(dims) == 4 and t not in w.bound:
            layout = w.rng.choice(VECTORS.get(kind, ["linear"]))
        return Form(kind, layout, dims)

    def at(self, layer, t):
        """Returns the form of a layer's input. If the layer replaces a view, the form may have the
        shape of this view."""
        form = self.of(t)
        shown = layer.seen_as.get(t)
        if shown and shown != t and self.w.gen.number >= 10:
            return Form(form.type, form.layout, self.shape(shown))
        return form

    def text(self, form, layer):
        """The Format/Datatype string."""
        if self.bare or layer.region is not None and self.w.gen.number >= 10:
            return form.type
        words = WORDS[form.type]
        if form.layout == "linear":
            return "Row major " + ("" if form.type == "Int8" else "linear ") + words
        if form.layout == "hwc":
            return "Channel major %s format" % words.split()[0]
        if form.layout.startswith("hwc"):
            return "Channel major %s format where channel %% %d == 0" % (
                words.split()[0], WIDTH[form.layout])
        return "%s wide channel vectorized row major %s format" % (
            form.layout, words.split()[0])

    def log(self, form):
        """Returns the form in the log: "Half[1,64:8,56,56]". Older versions use other brackets."""
        dims = [str(d) for d in form.dims]
        if len(dims) > 1 and form.layout in WIDTH:
            dims[1] += ":%d" % WIDTH[form.layout]
        if self.w.gen.number < 8.5:
            return "[%s(%s)]" % (form.type, ",".join(str(d) for d in form.dims))
        return " (%s[%s])" % (form.type, ",".join(dims))
