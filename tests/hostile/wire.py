"""ONNX models written byte by byte, so that they may lie.

A message is a list of fields made by num(), raw() and text(); names may be bytes.
"""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def num(field, value):
    return varint(field << 3) + varint(value)


def raw(field, body, length=None):
    """A length-delimited field; `length` is what it claims."""
    return varint(field << 3 | 2) + varint(len(body) if length is None else length) + body


def text(field, value):
    return raw(field, value if isinstance(value, bytes) else value.encode())


def attribute(name, kind, *fields):
    return raw(5, text(1, name) + b"".join(fields) + num(20, kind))


def node(op, ins, outs, name="", *attributes):
    return raw(1, b"".join([text(1, i) for i in ins] + [text(2, o) for o in outs])
               + (text(3, name) if name else b"") + text(4, op) + b"".join(attributes))


def value_info(field, name, dims=(1, 4), elem=1):
    shape = b"".join(raw(1, num(1, d)) for d in dims)
    return raw(field, text(1, name) + raw(2, raw(1, num(1, elem) + raw(2, shape))))


def inputs(*names, **kw):
    return b"".join(value_info(11, n, **kw) for n in names)


def outputs(*names, **kw):
    return b"".join(value_info(12, n, **kw) for n in names)


def tensor(name, dims, *fields, elem=1):
    """An initializer of a graph."""
    return raw(5, b"".join(num(1, d) for d in dims) + num(2, elem) + text(8, name)
               + b"".join(fields))


def model(*graph, extra=b""):
    return num(1, 8) + text(2, "hostile") + raw(7, b"".join(graph)) + \
        raw(8, num(2, 17)) + extra
