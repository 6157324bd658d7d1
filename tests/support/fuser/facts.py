"""Facts about a node that hold before any fusion.

dead      no path to an output of the model (inside a body: of the body)
constant  every input is constant; `by_shape` if that requires static shapes,
          which the model alone may not show
view      moves no element: Reshape and similar operators, Identity, Dropout in
          inference, Cast to the same type, Transpose that permutes nothing
same      computes the same value as an earlier node
"""
from .net import RANDOM_OPS

VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}


class Facts:
    def __init__(self, net):
        self.net = net
        self.dead = self._dead()
        self.constant, self.by_shape = self._constant()
        self.same = self._same()

    def _dead(self):
        """Returns the dead nodes. Walks backwards from the outputs. If the owner of a body is live,
        the nodes whose results the body returns or reads are live, too."""
        net, live, todo = self.net, set(), list(self.net.outputs)
        while todo:
            i = net.producer.get(todo.pop())
            if i is None or i in live:
                continue
            live.add(i)
            n = net.nodes[i]
            todo.extend(n.ins)
            for body in n.bodies:
                todo.extend(net.scope_outs[body])
        return {n.index for n in net.nodes if n.index not in live}

    def _constant(self):
        net, known, shaped = self.net, set(self.net.inits), set()
        constant, by_shape = set(), set()
        for n in net.nodes:
            if n.bodies or n.op in RANDOM_OPS:
                continue
            ins = [t for t in n.ins if t]
            if all(t in known for t in ins):
                constant.add(n.index)
                known.update(n.outs)
            elif n.op in ("Shape", "Size") or all(t in known or t in shaped
                                                  for t in ins):
                by_shape.add(n.index)
                shaped.update(n.outs)
        return constant, by_shape

    def view(self, n):
        """Returns "identity" if the node changes nothing, "view" if it only changes the shape,
        otherwise None."""
        if n.domain not in ("", "ai.onnx") or not n.ins:
            return None
        if n.op == "Identity":
            return "identity"
        if n.op == "Dropout":
            unused = all(t not in self.net.users and t not in self.net.outputs
                         for t in n.outs[1:])
            training = len(n.ins) > 2 and n.ins[2]
            return "identity" if unused and not training else None
        if n.op == "Cast":
            src = self.net.elem.get(n.ins[0])
            return "identity" if src and src == n.int("to") else None
        if n.op == "Transpose":
            perm = n.ints("perm")
            return "identity" if perm and perm == sorted(perm) else None
        return "view" if n.op in VIEWS else None

    def _same(self):
        """Returns a dictionary: node -> the first node that computes the same value."""
        net, first, same, number = self.net, {}, {}, {}
        for n in net.nodes:
            if n.bodies or n.op in RANDOM_OPS or not n.outs:
                continue
            key = self._key(n, number)
            if key in first:
                same[n.index] = first[key]
                for a, b in zip(n.outs, net.nodes[first[key]].outs):
                    number[a] = number.get(b, b)
            else:
                first[key] = n.index
        return same

    def _key(self, n, number):
        """Returns a key of the operator, the attributes and the numbers of the inputs. Equal keys
        mean equal values."""
        attrs = tuple(sorted(
            n.attrs[a].SerializeToString(deterministic=True) for a in n.attrs))
        ins = tuple(number.get(t, t) if not self._is_const(t)
                    else self.net.constant_key(t) for t in n.ins)
        return n.op, n.domain, n.scope, attrs, ins, len(n.outs)

    def _is_const(self, t):
        if t in self.net.inits:
            return True
        i = self.net.producer.get(t)
        return i is not None and self.net.nodes[i].op == "Constant"
