#!/usr/bin/python3
"""Compares proto/onnx.proto, field by field, with the one that libonnx-dev installs.

usage: compare.py PROTOC_C OUR_PROTO [INSTALLED_PROTO]

Ours may have less.  What it has must be the same there: number, type, label, message,
packing, oneof; or, where the installed one is older, be listed in NEWER.  Exits with 77
when nothing is installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

# What ONNX 1.12, the version in Debian 12, does not have.
NEWER = {
    "NodeProto.overload",
    "FunctionProto.attribute_proto",
    "FunctionProto.value_info",
    "FunctionProto.overload",
    "TensorProto.DataType.FLOAT8E4M3FN",
    "TensorProto.DataType.FLOAT8E4M3FNUZ",
    "TensorProto.DataType.FLOAT8E5M2",
    "TensorProto.DataType.FLOAT8E5M2FNUZ",
    "TensorProto.DataType.UINT4",
    "TensorProto.DataType.INT4",
    "TensorProto.DataType.FLOAT4E2M1",
    "TensorProto.DataType.FLOAT8E8M0",
    "TensorProto.DataType.UINT2",
    "TensorProto.DataType.INT2",
}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields_of(data):
    """A descriptor message as {field number: [values]}."""
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        out.setdefault(tag >> 3, []).append(value)
    return out


def text(message, number):
    return message.get(number, [b""])[0].decode()


def add_enum(out, prefix, data):
    enum = fields_of(data)
    name = prefix + text(enum, 1)
    for value in map(fields_of, enum.get(2, [])):
        out[name + "." + text(value, 1)] = ("value", value.get(2, [0])[0])


def add_message(out, prefix, data):
    message = fields_of(data)
    name = prefix + text(message, 1)
    oneofs = [text(fields_of(one), 1) for one in message.get(8, [])]
    for field in map(fields_of, message.get(2, [])):
        options = fields_of(field.get(8, [b""])[0])
        out[name + "." + text(field, 1)] = (
            "number %d" % field[3][0], "label %d" % field[4][0],
            "type %d" % field[5][0], text(field, 6),
            "packed" if options.get(2, [0])[0] else "",
            "in " + oneofs[field[9][0]] if 9 in field else "")
    for nested in message.get(3, []):
        add_message(out, name + ".", nested)
    for enum in message.get(4, []):
        add_enum(out, name + ".", enum)


def read_proto(protoc, path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "set")
        subprocess.run([protoc, "-I" + os.path.dirname(os.path.abspath(path)),
                        "--descriptor_set_out=" + target, os.path.abspath(path)],
                       check=True)
        with open(target, "rb") as file:
            files = fields_of(file.read())[1]
    out = {}
    for file in map(fields_of, files):
        for message in file.get(4, []):
            add_message(out, "", message)
        for enum in file.get(5, []):
            add_enum(out, "", enum)
    return out


def installed():
    if not shutil.which("dpkg"):
        return None
    listing = subprocess.run(["dpkg", "-L", "libonnx-dev"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout
    names = [n for n in listing.split("\n") if n.endswith("/onnx/onnx.proto")]
    return names[0] if names else None


def compare(ours, theirs):
    problems = []
    for name, what in sorted(ours.items()):
        if name not in theirs and name not in NEWER:
            problems.append("%s: ONNX has no such field" % name)
        elif name in theirs and theirs[name] != what:
            problems.append("%s: ours %s, ONNX's %s" % (name, what, theirs[name]))
    problems += ["%s: listed as newer, but not in our file" % name
                 for name in sorted(NEWER) if name not in ours]
    return problems


def main(argv):
    theirs = argv[3] if len(argv) > 3 else installed()
    if not theirs:
        print("skipped: libonnx-dev is not installed")
        return 77
    ours = read_proto(argv[1], argv[2])
    problems = compare(ours, read_proto(argv[1], theirs))
    for problem in problems:
        print(problem)
    print("%d fields and values compared with %s" % (len(ours), theirs))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
