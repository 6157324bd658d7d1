#!/usr/bin/env python3
"""Draws networks cut into kernels at random, and what kernels a compiler would name.

The build runs `make_kernels.py kernels.found > kernels.txt` for test_drawn; kernels.found has what the matcher found of
each network, a line each.  The truth stands as remarks above each case: a matcher need not find all of it, since kernels
name operations and no nodes, but what it links must be true.  To renew what was found, and to count both:

    FSD_UPDATE=1 build-tests/tests/test_drawn
    make_kernels.py --keep < build-tests/tests/drawn/kernels.txt > kernels.found
    make_kernels.py --judge < build-tests/tests/drawn/kernels.txt
"""
import random
import re
import sys

CASES, SEED = 90, 30
UNARY = {"Relu": "Relu", "Sigmoid": "Sigmoid", "Tanh": "Tanh", "Erf": "Erf", "Exp": "Exp",
         "Sqrt": "Sqrt", "Neg": "Neg", "Abs": "Abs", "HardSwish": "Mul Add Max Min Mul",
         "Gelu": "Mul Erf Add Mul Mul", "LeakyRelu": "Mul Less Where",
         "Softmax": "ReduceMax Sub Exp ReduceSum Div Mul"}
BINARY = {"Add": "Add", "Mul": "Mul", "Sub": "Sub", "Max": "Max"}
SCALED = {"LayerNormalization": "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul Add"}


class Network:
    """Nodes in order: (op, name, inputs, outputs, shape, attributes), made of tensors."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.shape, self.head = [], {}, []
        self.constants = 0
        self.inputs = ["x"] + (["z"] if rng.random() < 0.3 else [])
        for t in self.inputs:
            self.shape[t] = (2, 8, 16)

    def constant(self, shape):
        self.constants += 1
        name = f"c{self.constants}"
        self.head.append(f"const {name} fp32 {','.join(map(str, shape))}")
        return name

    def add(self, op, inputs, shape, attrs="", steps="", weight=None):
        k = len(self.nodes)
        out = f"t{k}"
        self.nodes.append({"op": op, "name": f"n{k}", "in": inputs, "out": out, "attrs": attrs,
                           "steps": steps, "weight": weight, "shape": shape})
        self.shape[out] = shape
        return out

    def pick(self):
        made = [n["out"] for n in self.nodes]
        return self.rng.choice((made or self.inputs)[-3:] + self.inputs[:1])

    def grow(self):
        r, a = self.rng, self.pick()
        shape = self.shape[a]
        kind = r.random()
        if kind < 0.18:
            wide = r.choice([8, 16, 32])
            w = self.constant((shape[-1], wide))
            self.add("MatMul", [a, w], shape[:-1] + (wide,), steps="MatMul", weight=(w, (shape[-1], wide)))
        elif kind < 0.5:
            op = r.choice(sorted(UNARY))
            self.add(op, [a], shape, steps=UNARY[op])
        elif kind < 0.6:
            op = r.choice(sorted(BINARY))
            self.add(op, [a, self.constant((1,))], shape, steps=BINARY[op])
        elif kind < 0.74:
            same = [t for t in self.shape if self.shape[t] == shape and t != a]
            op = r.choice(sorted(BINARY))
            if same:
                self.add(op, [a, r.choice(same[-4:])], shape, steps=BINARY[op])
        elif kind < 0.82:
            s = self.constant((shape[-1],))
            self.add("LayerNormalization", [a, s, s], shape, steps=SCALED["LayerNormalization"])
        elif kind < 0.9:
            turned = (shape[0], shape[2], shape[1])
            self.add("Transpose", [a], turned, "perm=0,2,1", steps="Transpose")
        elif kind < 0.95:
            p = self.constant((3,))
            flat = (shape[0], shape[1] * shape[2], 1)
            self.add("Reshape", [a, p], flat if r.random() < 0.5 else shape, steps="")
        else:
            self.add("Concat", [a, a], shape[:2] + (2 * shape[2],), "axis=2", steps="Concat")


def dims(shape):
    return "(" + ",".join(map(str, shape)) + ")"


def cut(net, rng):
    """Consecutive nodes share a kernel, with at most one product, which begins it."""
    kernels, size = [], 0
    for node in net.nodes:
        product = node["op"] == "MatMul"
        if not kernels or product or size == 0 or rng.random() < 0.25:
            kernels.append([])
            size = rng.choice([1, 2, 3, 4, 5])
        kernels[-1].append(node)
        size -= 1
    return kernels


def draw(seed, found):
    rng = random.Random(seed)
    net = Network(rng)
    while len(net.nodes) < rng.choice([5, 8, 11, 14]):
        net.grow()
    read = {t for n in net.nodes for t in n["in"]}
    ends = [n["out"] for n in net.nodes if n["out"] not in read]
    kernels = cut(net, rng)
    home = {n["out"]: k for k, kernel in enumerate(kernels) for n in kernel}
    lines = [f"in {t} fp32 {','.join(map(str, net.shape[t]))}" for t in net.inputs]
    lines += [f"out {t} fp32 {','.join(map(str, net.shape[t]))}" for t in ends] + net.head
    for n in net.nodes:
        lines.append(f"{n['op']} {n['name']}: {' '.join(n['in'])} -> {n['out']}" +
                     (f" | {n['attrs']}" if n["attrs"] else ""))
    named = {t for t in home if t in ends or rng.random() < 0.1}
    engine = [f"in {t}" for t in net.inputs] + [f"out {t}" for t in ends]

    def port(t):
        return f"{t if t in named or t in net.inputs else 'e' + t}:fp32{dims(net.shape[t])}"

    truth = []
    for k, kernel in enumerate(kernels):
        made = {n["out"] for n in kernel}
        reads, writes, steps, weights = [], [], [], []
        for n in kernel:
            reads += [t for t in n["in"] if (t in home or t in net.inputs) and t not in made and t not in reads]
            if n["out"] in ends or any(n["out"] in m["in"] and home[m["out"]] != k for m in net.nodes):
                writes.append(n["out"])
            moves = n["op"] in ("Transpose", "Concat")
            steps += [] if moves and rng.random() < 0.4 else n["steps"].split()
            if n["weight"]:
                weights.append(f"w{n['weight'][0]}:fp32{dims(n['weight'][1])}")
        library = kernel[0]["op"] == "MatMul" and rng.random() < 0.5
        mention = f"n:{kernel[0]['name']} " if library or rng.random() < 0.1 else ""
        listed = [s for s in steps if not library or s == "MatMul"] or ["Move"]
        options = ["by=compiler", "steps=" + ",".join(listed)]
        options += ["more=on"] if library else []
        if set(listed) <= {"Move", "Transpose", "Concat"}:
            options.append("kind=copy")
        options += ["consts=" + ";".join(weights)] if weights else []
        engine.append(f"{'gemm' if library else 'kgen'} k{k} | {mention}| {' '.join(map(port, reads))} -> "
                      f"{' '.join(map(port, writes))} | {' '.join(options)}")
        truth.append(f"#  {k}: " + " ".join(n["name"] for n in kernel))
    return "\n".join([f"# {len(kernels)} kernels:"] + truth + [f"== network {seed}"] + lines +
                     ["-- engine"] + engine + ["-- fates"] + found + ["-- regions", ""])


def kept(text):
    """A line of kernels.found for each case: the network's number, what was found of its nodes."""
    for seed, case in re.findall(r"^== network (\d+)\n(.*?)(?:\n\n|\Z)", text, re.M | re.S):
        fates, _, regions = case.partition("-- fates\n")[2].partition("-- regions")
        if regions.strip():
            raise SystemExit(f"network {seed} has regions, for which kernels.found has no place")
        yield f"{seed}: {' / '.join(fates.splitlines())}"


def found_in(path):
    with open(path, encoding="utf-8") as f:
        lines = dict(line.rstrip("\n").split(": ", 1) for line in f)
    return {int(seed): fates.split(" / ") for seed, fates in lines.items()}


def judge(text):
    """Links that are true and that are not, and nodes that have none."""
    right = wrong = none = 0
    for case in text.split("\n\n"):
        truth = {}
        for kernel, nodes in re.findall(r"^#  (\d+): (.*)$", case, re.M):
            truth.update({n: kernel for n in nodes.split()})
        fates = case.partition("-- fates\n")[2].partition("-- regions")[0]
        for line in fates.splitlines():
            links = re.findall(r"\b(\d+):[mnltsp]+", line)
            name = line.split()[0]
            right += truth[name] in links
            wrong += bool(set(links) - {truth[name]})
            none += not links and "Reshape" not in line
    print(f"{right} nodes linked to their kernel, {wrong} to another one, {none} to none")


if __name__ == "__main__":
    if "--judge" in sys.argv:
        judge(sys.stdin.read())
    elif "--keep" in sys.argv:
        print("\n".join(kept(sys.stdin.read())))
    else:
        print("# Networks cut into kernels at random (make_kernels.py), of which names show\n"
              "# operations and sizes alone, or nearly so; above each what is true of it.\n")
        found = found_in(sys.argv[1])
        for n in range(SEED, SEED + CASES):
            print(draw(n, found.get(n, [])))
