#!/usr/bin/python3
"""Compares proto/onnx.proto, both ways, with the one of a package.

usage: compare.py PROTOC_C OUR_PROTO THEIR_PROTO

Messages, fields, enumerations and their values must be the same: number, type, label,
message, packing, oneof.  The comparison is tried on changed copies of ours first, of which
each must be found out.
"""
import os
import re
import subprocess
import sys
import tempfile

# Changes that a comparison must find: what stands there, what is put in its place.
FAULTS = [
    ("optional string overload = 8;", "optional string overload = 18;"),
    ("optional string overload = 8;", ""),
    ("optional string overload = 8;", "optional bytes overload = 8;"),
    ("FLOAT6E3M2 = 28;", "FLOAT6E3M2 = 29;"),
    ("repeated float float_data = 4 [packed = true];", "repeated float float_data = 4;"),
    ("repeated NodeProto node = 7;", "repeated GraphProto node = 7;"),
    ("optional int64 ir_version = 1;", "optional int64 ir_version = 1;\n  optional int64 other = 30;"),
    ("message TensorAnnotation {", "message Annotation {"),
]


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
    out[name] = "enum"
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
    out.setdefault(name, "message")


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


def compare(ours, theirs):
    problems = []
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            problems.append("%s: ONNX has none" % name)
        elif name not in ours:
            problems.append("%s: ours lacks it" % name)
        elif ours[name] != theirs[name]:
            problems.append("%s: ours %s, ONNX's %s" % (name, ours[name], theirs[name]))
    return problems


def unseen_faults(protoc, text_of_ours, theirs):
    """The changes of which the comparison says nothing."""
    unseen = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "changed.proto")
        for before, after in FAULTS:
            changed = text_of_ours.replace(before, after)
            if before.startswith("message "):
                changed = re.sub(r"\b%s\b" % before.split()[1], after.split()[1], text_of_ours)
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
            if changed == text_of_ours or not compare(read_proto(protoc, path), theirs):
                unseen.append("%s -> %s: not found out" % (before, after))
    return unseen


def main(argv):
    protoc, our_path, their_path = argv[1:4]
    theirs = read_proto(protoc, their_path)
    ours = read_proto(protoc, our_path)
    with open(our_path, encoding="utf-8") as file:
        problems = unseen_faults(protoc, file.read(), theirs)
    problems += compare(ours, theirs)
    for problem in problems:
        print(problem)
    print("%d fields and values compared with %s" % (len(ours), their_path))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
