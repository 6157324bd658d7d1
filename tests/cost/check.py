#!/usr/bin/python3
"""Costs counted by hand against costs counted by the program.

    check.py BINARY

Small models with one operator each, and engines of one layer each, are made here; the
expected figures are written out as products, so that a reader can check them.  Then
profiles: good, odd and broken ones.  Exit status 77 when python3-onnx is absent.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import json_schema
import program

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

BINARY = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = tempfile.mkdtemp()
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def run(*args):
    return program.run([BINARY, *args], text=True)


def tensor(name, dims, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def weight(name, dims):
    t = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)
    t.data_location = TensorProto.EXTERNAL
    t.external_data.add(key="location", value="absent")
    return t


def save_model(nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path = os.path.join(FOLDER, "model.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    return path


def port(name, dims, form="Row major linear FP32"):
    return {"Name": name, "Location": "Device", "Dimensions": dims, "Format/Datatype": form}


def save_engine(layers, bindings):
    path = os.path.join(FOLDER, "engine.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"Layers": layers, "Bindings": bindings}, file)
    return path


def layer(name, kind, inputs, outputs, **more):
    return {"Name": name, "LayerType": kind, "Inputs": inputs, "Outputs": outputs, **more}


def report(model, engine, *more):
    done = run(model, engine, "-f", "json", *more)
    check(f"runs {more}", done.returncode == 0, done.stderr)
    if done.returncode:
        return None
    result = json.loads(done.stdout)
    json_schema.of_file(f"{HERE}/../../include/fusiondiff/report.schema.json")(result)
    return result


def one(op, x, y, w=(), attrs=None, more_inputs=(), engine_dims=None):
    """The layer of a model with one node, in an engine with one layer, as the report has
    it.  The engine states no kernel, so that multiply-adds come from the model."""
    weights = [weight(f"w{i}", dims) for i, dims in enumerate(w)]
    inputs = [("x", x)] + [(f"x{i + 1}", dims) for i, dims in enumerate(more_inputs)]
    node = helper.make_node(op, [n for n, _ in inputs] + [t.name for t in weights], ["y"],
                            name="n", **(attrs or {}))
    model = save_model([node], [tensor(n, d) for n, d in inputs], [tensor("y", None)], weights)
    engine = save_engine([layer("n", "CaskConvolution",
                                [port(n, engine_dims or d) for n, d in inputs],
                                [port("y", y)])], [n for n, _ in inputs] + ["y"])
    r = report(model, engine)
    return r["layers"][0] if r else {}


def product(dims):
    result = 1
    for d in dims:
        result *= d
    return result


def check_macs():
    cases = [
        # op, x, y, weights, attributes, multiply-adds
        ("Conv", [2, 8, 100], [2, 16, 50], [[16, 8, 3]],
         {"strides": [2], "pads": [1, 1]}, 2 * 16 * 50 * 8 * 3),
        ("Conv", [1, 3, 32, 32], [1, 8, 30, 30], [[8, 3, 3, 3], [8]], {}, 8 * 30 * 30 * 3 * 9),
        ("Conv", [1, 32, 16, 16], [1, 32, 16, 16], [[32, 1, 3, 3]],
         {"group": 32, "pads": [1] * 4}, 32 * 16 * 16 * 9),
        ("Conv", [1, 32, 16, 16], [1, 64, 16, 16], [[64, 8, 1, 1]], {"group": 4},
         64 * 16 * 16 * 8),
        ("Conv", [1, 4, 8, 9, 10], [1, 6, 6, 7, 8], [[6, 4, 3, 3, 3]], {},
         6 * 6 * 7 * 8 * 4 * 27),
        ("Conv", [1, 4, 20, 20], [1, 6, 16, 16], [[6, 4, 3, 3]], {"dilations": [2, 2]},
         6 * 16 * 16 * 4 * 9),
        ("ConvTranspose", [1, 16, 10, 10], [1, 8, 20, 20], [[16, 8, 2, 2]],
         {"strides": [2, 2]}, 16 * 10 * 10 * 8 * 4),
        ("ConvTranspose", [1, 16, 5, 5, 5], [1, 8, 10, 10, 10], [[16, 4, 2, 2, 2]],
         {"strides": [2, 2, 2], "group": 2}, 16 * 125 * 4 * 8),
        ("Gemm", [5, 64], [5, 10], [[10, 64], [10]], {"transB": 1}, 5 * 10 * 64),
        ("Gemm", [64, 5], [5, 10], [[64, 10]], {"transA": 1}, 5 * 10 * 64),
        ("MatMul", [2, 3, 7, 64], [2, 3, 7, 32], [[64, 32]], {}, 2 * 3 * 7 * 32 * 64),
        ("Relu", [1, 8, 4, 4], [1, 8, 4, 4], [], {}, 0),
    ]
    for op, x, y, w, attrs, want in cases:
        r = one(op, x, y, w, attrs)
        what = f"{op} {x} {w} {attrs}"
        check(f"multiply-adds of {what}", r.get("macs") == want, f"{r.get('macs')} {want}")
        n_bytes = 4 * (product(x) + product(y) + (product(w[0]) if w else 0))
        check(f"bytes of {what}", r.get("bytes") == n_bytes, f"{r.get('bytes')} {n_bytes}")
        bias = 4 * product(w[1]) if len(w) > 1 else None
        check(f"bias of {what}", r.get("bias_bytes") == bias, f"{r.get('bias_bytes')}")
    r = one("Attention", [2, 4, 9, 16], [2, 4, 9, 8], more_inputs=[[2, 4, 7, 16], [2, 4, 7, 8]])
    matmul = one("MatMul", [2, 4, 9, 16], [2, 4, 9, 5], more_inputs=[[2, 4, 16, 5]])
    check("attention is two products", r.get("macs") == 2 * 4 * 9 * 7 * 16 + 2 * 4 * 9 * 7 * 8,
          f"{r}")
    check("a second input is read, too", matmul.get("bytes") ==
          4 * (2 * 4 * 9 * 16 + 2 * 4 * 16 * 5 + 2 * 4 * 9 * 5) and
          matmul.get("macs") == 2 * 4 * 9 * 5 * 16, f"{matmul}")


def check_other_products():
    r = one("LSTM", [7, 2, 10], [7, 2, 2, 8], w=[[2, 32, 10], [2, 32, 8]],
            attrs={"hidden_size": 8, "direction": "bidirectional"})
    check("LSTM: four gates, two ways", r.get("macs") == 7 * 2 * 2 * 32 * (10 + 8), f"{r}")
    r = one("GRU", [7, 2, 10], [7, 1, 2, 8], w=[[1, 24, 10], [1, 24, 8]], attrs={"hidden_size": 8})
    check("GRU: three gates", r.get("macs") == 7 * 2 * 24 * (10 + 8), f"{r}")
    r = one("Einsum", [2, 3, 4], [2, 3, 5], attrs={"equation": "bij,bjk->bik"},
            more_inputs=[[2, 4, 5]])
    check("Einsum: each combination once", r.get("macs") == 2 * 3 * 4 * 5, f"{r}")
    r = one("Einsum", [2, 3], [3, 2], attrs={"equation": "ij->ji"})
    check("Einsum that only transposes", r.get("macs") == 0, f"{r}")
    r = one("Einsum", [2, 3], [2, 5], attrs={"equation": "ij,jk,kl->il"},
            more_inputs=[[3, 4], [4, 5]])
    check("Einsum of three: the order is the builder's", "macs" not in r, f"{r}")
    r = one("QLinearConv", [1, 8, 8, 3], [1, 6, 6, 5], w=[[], [], [5, 3, 3, 3]],
            attrs={"domain": "com.microsoft", "channels_last": 1})
    check("QLinearConv, channels last", r.get("macs") == 6 * 6 * 5 * 27, f"{r}")
    r = one("MatMulNBits", [2, 9, 64], [2, 9, 32], w=[[32, 2, 16]],
            attrs={"domain": "com.microsoft", "K": 64, "N": 32})
    check("MatMulNBits", r.get("macs") == 2 * 9 * 32 * 64, f"{r}")
    r = one("NotYetDefined", [2, 3], [2, 3])
    check("an operator without a row", "macs" not in r, f"{r}")


def check_attention():
    """batch x queries x keys x (what a query and what a value has, over all heads)"""
    heads = {"q_num_heads": 6, "kv_num_heads": 2}
    r = one("Attention", [2, 9, 6 * 16], [2, 9, 6 * 8], attrs=heads,
            more_inputs=[[2, 7, 2 * 16], [2, 7, 2 * 8]])
    check("heads side by side, keys shared", r.get("macs") == 2 * 9 * 7 * (6 * 16 + 6 * 8), f"{r}")
    ms = {"domain": "com.microsoft", "num_heads": 4}
    r = one("Attention", [2, 9, 32], [2, 9, 64], w=[[32, 3 * 64], [3 * 64]], attrs=ms)
    check("com.microsoft's makes queries, keys and values first", r.get("macs") ==
          2 * 9 * 32 * 192 + 2 * 9 * 9 * (64 + 64), f"{r}")
    check("its weights and bias are read", r.get("weight_bytes") == 4 * 32 * 192 and
          r.get("bias_bytes") == 4 * 192, f"{r}")
    r = one("Attention", [2, 9, 32], [2, 9, 24], w=[[32, 2 * 64 + 24], [152]],
            attrs={**ms, "qkv_hidden_sizes": [64, 64, 24]})
    check("of sizes that differ", r.get("macs") == 2 * 9 * 32 * 152 + 2 * 9 * 9 * (64 + 24), f"{r}")
    r = one("MultiHeadAttention", [2, 9, 64], [2, 9, 32], attrs=ms,
            more_inputs=[[2, 7, 64], [2, 7, 32]])
    check("queries, keys and values apart", r.get("macs") == 2 * 9 * 7 * (64 + 32), f"{r}")
    r = one("MultiHeadAttention", [2, 9, 4, 3, 16], [2, 9, 64], attrs=ms)
    check("all three in one tensor", r.get("macs") == 2 * 9 * 9 * (64 + 64), f"{r}")
    r = one("MultiHeadAttention", [2, 9, 64], [2, 9, 64], attrs=ms, more_inputs=[[2, 7, 4, 2, 16]])
    check("keys and values in one", r.get("macs") == 2 * 9 * 7 * (64 + 64), f"{r}")
    r = one("MultiHeadAttention", [2, 9, 64], [2, 9, 64], attrs=ms,
            more_inputs=[[2, 4, 7, 16], [2, 4, 7, 16]])
    check("keys and values by heads", r.get("macs") == 2 * 9 * 7 * (64 + 64), f"{r}")


# ------------------------------------------------------------------------ rules

HALF, INT8 = "Row major linear FP16 format", "Row major Int8 format"
CHW32 = "Thirty-two wide channel vectorized row major Int8 format"
CHW4 = "Four wide channel vectorized row major Int8 format"


def line_engine(*forms):
    """x -> A -> (one Reformat from each form to the next) -> B -> y.  The first and the
    last form are those of A's output and B's input."""
    nodes = [helper.make_node("Relu", ["x"], ["m"], name="A"),
             helper.make_node("Sigmoid", ["m"], ["y"], name="B")]
    dims = [1, 32, 4, 4]
    model = save_model(nodes, [tensor("x", dims)], [tensor("y", dims)])
    names = ["m"] + [f"Reformatted Input Tensor 0 to B {i}" for i in range(1, len(forms))]
    layers = [layer("A", "PointWise", [port("x", dims, forms[0])], [port("m", dims, forms[0])])]
    for i in range(1, len(forms)):
        layers.append(layer(f"Reformatting CopyNode for Input Tensor 0 to B {i}", "Reformat",
                            [port(names[i - 1], dims, forms[i - 1])],
                            [port(names[i], dims, forms[i])], Origin="REFORMAT"))
    layers.append(layer("B", "PointWise", [port(names[-1], dims, forms[-1])],
                        [port("y", dims, forms[-1])]))
    return report(model, save_engine(layers, ["x", "y"]))


def found(r, rule):
    return [f["layers"] for f in r["findings"] if f["rule"] == rule]


def check_chains():
    r = line_engine(CHW32, CHW4, CHW32)
    check("there and back is a round trip, all members in it",
          found(r, "inserted/round-trip") == [[1, 2]] and not found(r, "inserted/chain"),
          f"{r['findings']}")
    r = line_engine(CHW32, INT8, HALF)
    check("two that go on are a chain", found(r, "inserted/chain") == [[1, 2]] and
          not found(r, "inserted/round-trip"), f"{r['findings']}")
    r = line_engine(CHW32, CHW4, INT8, CHW32)
    check("three that return are one finding", found(r, "inserted/round-trip") == [[1, 2, 3]])
    r = line_engine(CHW32, CHW4)
    check("one alone is neither", not found(r, "inserted/round-trip") and
          not found(r, "inserted/chain"))


def check_names_only():
    """x -> A -> B and C -> y; a Reformat at the input, one before B, one before D."""
    nodes = [helper.make_node("Relu", ["x"], ["a"], name="A"),
             helper.make_node("Neg", ["a"], ["b"], name="B"),
             helper.make_node("Exp", ["a"], ["c"], name="C"),
             helper.make_node("Add", ["b", "c"], ["y"], name="D")]
    model = save_model(nodes, [tensor("x", [4])], [tensor("y", [4])])
    before = "Reformatting CopyNode for Input Tensor 0 to "
    engine = save_engine([before + "A", "A", before + "B", "B", "C", before + "D", "D"], [])
    edges = [(l.get("cause"), l["edge"].get("tensor"), l["edge"].get("producer"))
             for l in report(model, engine)["layers"] if "edge" in l]
    check("a name shows the border and the edge; of two inputs nothing", edges ==
          [("io", "x", None), ("unknown", "a", 0), ("unknown", None, None)], f"{edges}")


def check_fp32_left():
    r = line_engine(HALF, "Row major linear FP32")
    check("fp32 beside fp16 is left over", found(r, "precision/fp32-left") == [[2]],
          f"{r['findings']}")
    for form in (HALF, "Row major linear FP32"):
        check(f"nothing is left over where all is {form}",
              not found(line_engine(form), "precision/fp32-left"))


def check_io_type():
    dims = [1, 4]
    model = save_model([helper.make_node("Relu", ["x"], ["y"], name="n")],
                       [tensor("x", dims)], [tensor("y", dims)])
    for forms, types in (((HALF, "Float"), [("x", "fp32", "fp16")]),
                         (("Float", INT8), [("y", "fp32", "int8")]), (("Float", "Float"), [])):
        engine = save_engine([layer("n", "PointWise", [port("x", dims, forms[0])],
                                    [port("y", dims, forms[1])])], ["x", "y"])
        r = report(model, engine)
        said = [(f["tensors"][0], f["facts"]["model"], f["facts"]["engine"])
                for f in r["findings"] if f["rule"] == "precision/io-type"]
        check(f"types at the border {forms}", said == types, f"{said}")


def check_no_tensor_cores():
    for tactic, said in (("ampere_scudnn_128x64_relu_interior_nn_v1", True),
                         ("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_nhwc_simt_small", True),
                         ("sm80_xmma_fprop_implicit_gemm_f16f16_tensor16x8x16", False),
                         ("ampere_fp16x2_depthwise_conv", False), ("", False)):
        r = conv_engine([1, 8, 8, 8], [1, 8, 8, 8], HALF, HALF, TacticName=tactic, whole=True)
        check(f"tensor cores of '{tactic}'",
              found(r, "precision/no-tensor-cores") == ([[0]] if said else []), f"{r['findings']}")


def conv_engine(x, y, x_form, y_form, whole=False, **more):
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], name="n", pads=[1] * 4)
    model = save_model([node], [tensor("x", x)], [tensor("y", None)],
                       [weight("w", [y[1], x[1], 3, 3]), weight("b", [y[1]])])
    engine = save_engine([layer("n", "CaskConvolution", [port("x", x, x_form)],
                                [port("y", y, y_form)], **more)], ["x", "y"])
    r = report(model, engine)
    return r if whole else r["layers"][0]


def check_layouts():
    four = "Four wide channel vectorized row major Int8 format"
    thirty_two = "Thirty-two wide channel vectorized row major Int8 format"
    shown = {"ParameterType": "Convolution", "Kernel": [3, 3], "OutMaps": 40, "Groups": 1,
            "Weights": {"Type": "Int8", "Count": 40 * 3 * 9}, "Bias": {"Type": "Float", "Count": 40}}
    r = conv_engine([1, 3, 8, 8], [1, 40, 8, 8], four, thirty_two, **shown)
    check("3 channels take 4, 40 take 64", r["bytes"] == 4 * 64 + 64 * 64 + 40 * 3 * 9,
          f"{r['bytes']}")
    check("the bias is as the dump states", r["bias_bytes"] == 160)
    check("multiply-adds do not count padding", r["macs"] == 40 * 64 * 3 * 9, f"{r['macs']}")
    r = conv_engine([1, 3, 8, 8], [1, 40, 8, 8], "Channel major FP16 format where channel % 8 == 0",
                    "Row major linear FP16 format")
    check("padded channels count", r["bytes"] == 2 * (8 * 64 + 40 * 64 + 40 * 3 * 9),
          f"{r['bytes']}")


def check_roofline():
    """1x1 convolution, 64 to 64 channels over 8 x 8: 4 (2 x 4096 + 4096) bytes, 262144
    multiply-adds, 524288 operations."""
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="n")
    dims = [1, 64, 8, 8]
    model = save_model([node], [tensor("x", dims)], [tensor("y", None)],
                       [weight("w", [64, 64, 1, 1])])
    engine = save_engine([layer("n", "CaskConvolution", [port("x", dims)], [port("y", dims)])],
                         ["x", "y"])
    path = os.path.join(FOLDER, "profile.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(listing(record("n", 1), count=10))
    for peaks, bound, ms in (("1,1000", "memory", 49152 / 1e9 * 1e3),
                             ("1000,0.001", "compute", 524288 / 1e9 * 1e3)):
        roof = report(model, engine, "--profile", path, "--peak", peaks)["layers"][0]["roofline"]
        check(f"roofline at {peaks}", roof["bound"] == bound and abs(roof["ms"] - ms) < 1e-12 and
              abs(roof["reached"] - ms / .1) < 1e-9 and
              abs(roof["macs_per_byte"] - 262144 / 49152) < 1e-12, f"{roof}")


def check_dynamic():
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="n")
    model = save_model([node], [tensor("x", ["N", 3, "H", "W"])], [tensor("y", None)],
                       [weight("w", [8, 3, 3, 3])])
    engine = save_engine([layer("n", "CaskConvolution", [port("x", [-1, 3, -1, -1])],
                                [port("y", [-1, 8, -1, -1])])], ["x", "y"])
    r = report(model, engine)["layers"][0]
    # N x 8 x (H - 2) x (W - 2) outputs of 27
    check("open sizes stay in multiply-adds", "macs" not in r and r.get("macs_symbolic") ==
          "216*N*H*W - 432*N*H - 432*N*W + 864*N", f"{r}")
    # 4 (3 N H W + 8 N (H - 2) (W - 2)) + 4 * 8 * 27
    check("and in bytes", "bytes" not in r and r.get("bytes_symbolic") ==
          "44*N*H*W - 64*N*H - 64*N*W + 128*N + 864", f"{r}")
    r = report(model, engine, "--shape", "x=2x3x10x12")["layers"][0]
    check("--shape closes them", r.get("bytes") ==
          4 * (2 * 3 * 10 * 12 + 2 * 8 * 8 * 10 + 8 * 27) and
          r.get("macs") == 2 * 8 * 8 * 10 * 27, f"{r}")
    for bad in ("y=2x3", "x=2x3x10", "x=2x4x10x12", "x=", "x", "x=0x3x1x1", "x=2x3x10x12x"):
        done = run(model, engine, "--shape", bad)
        check(f"--shape {bad} is refused", done.returncode == 2 and "expected a shape" in
              done.stderr, done.stderr)


# --------------------------------------------------------------------- profiles

NAMES = ["Conv_0", 'odd "name" + \\x', "Conv_0", "Relu_2"]


def save_pair():
    nodes = [helper.make_node("Relu", ["x"], ["a"], name="Conv_0"),
             helper.make_node("Relu", ["a"], ["b"], name=NAMES[1]),
             helper.make_node("Relu", ["b"], ["y"], name="Relu_2")]
    model = save_model(nodes, [tensor("x", [4])], [tensor("y", [4])])
    ports = ["x", "a", "b", "c", "y"]
    engine = save_engine([layer(name, "PointWise", [port(ports[i], [4])], [port(ports[i + 1], [4])])
                          for i, name in enumerate(NAMES)], ["x", "y"])
    return model, engine


def profile(text, *more):
    path = os.path.join(FOLDER, "profile.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    model, engine = save_pair()
    return run(model, engine, "--profile", path, "-f", "json", *more)


def record(name, total, mean="0", more=""):
    return f'{{ "name" : "{name}", "timeMs" : {total}, "averageMs" : {mean}{more} }}'


def listing(*records, count=10):
    return "[\n  " + "\n, ".join([f'{{ "count" : {count} }}', *records]) + "\n]\n"


def near(found, wanted):
    return len(found) == len(wanted) and all(abs(a - b) < 1e-12 for a, b in zip(found, wanted))


def times(done):
    if done.returncode:
        return done.stderr
    return [l.get("ms") for l in json.loads(done.stdout)["layers"]]


def check_profiles():
    good = [record(NAMES[0], 10), record(NAMES[1], 20), record(NAMES[0], 30), record(NAMES[3], 40)]
    done = profile(listing(*good))
    check("unescaped and repeated names", times(done) == [1, 2, 3, 4], times(done))
    escaped = [good[0], record('odd \\"name\\" + \\\\x', 20), good[2], good[3]]
    done = profile(listing(*escaped))
    check("escaped names are the same", times(done) == [1, 2, 3, 4], times(done))
    done = profile(listing(*good[::-1]))
    check("another order", times(done) == [3, 2, 1, 4], times(done))
    done = profile(listing(*good) + listing(*good, count=30))
    check("of two lists in one file the middle", near(times(done),
          [(1 + 1 / 3) / 2, (2 + 2 / 3) / 2, (3 + 1) / 2, (4 + 4 / 3) / 2]), times(done))
    slow = [record(n, 1000) for n in NAMES]
    done = profile(listing(*good) + listing(*slow) + listing(*good, count=5))
    layers = json.loads(done.stdout)["layers"]
    check("of three the median, whatever the mean", times(done) == [2, 4, 6, 8], times(done))
    check("with the lowest and the highest", [l["ms_spread"] for l in layers] ==
          [{"median": m, "low": m / 2, "high": 100} for m in (2, 4, 6, 8)], f"{layers}")
    check("and those of the sums", json.loads(done.stdout)["summary"]["ms"]["totals"] ==
          {"median": 20, "low": 10, "high": 400})
    done = profile(listing(*[record(n, 1, 7) for n in NAMES]).replace("count", "other"))
    check("without a count the mean is taken", times(done) == [7, 7, 7, 7], times(done))
    for odd in ("-1", "-1e-9", "nan", "-nan", "inf", "NaN", "Infinity", "-Infinity", "1e300",
                "1e308", "1e999", '"12"', "null"):
        done = profile(listing(good[0], good[1], good[2], record(NAMES[3], odd)))
        check(f"a time of {odd} is said, the rest stands",
              times(done) == [1, 2, 3, None] and "profile-odd-time" in done.stdout, times(done))
    nameless = good[1].replace('"name"', '"other"')
    done = profile(listing(good[0], nameless, good[2], good[3]))
    check("a record without a name gives its time to nobody, and is said",
          "input/profile-no-name: records without a name in the profile: 1" in done.stdout and
          "input/profile-missing-layers: the profile has no times for 1 of the engine's layers" in done.stdout and
          times(done) == [1, None, 3, 4] and
          abs(json.loads(done.stdout)["summary"]["ms"]["total"] - 8) < 1e-12, times(done))
    for count in ("0", "-3", "1.5", '"10"', "1e30", "nan"):
        done = profile(listing(*[record(n, 1, 7) for n in NAMES], count=count))
        check(f"{count} runs are none: the mean is taken", times(done) == [7, 7, 7, 7] and
              "input/profile-odd-count" in done.stdout, times(done))
    done = profile(listing(*good[:3]))
    check("what a profile leaves out is said, the rest stands", times(done) == [1, 2, 3, None]
          and "input/profile-missing-layers: the profile has no times for 1 of the engine's layers" in done.stdout, times(done))
    done = profile(listing(*good, *[record(f"more_{i}", 1) for i in range(40)]))
    check("many layers of another engine beside all of this one", done.returncode == 2 and
          "(some layers are only in the profile)" in done.stderr, done.stderr)
    done = profile(listing(*good, record("other", 5)))
    check("a layer that only the profile knows", times(done) == [1, 2, 3, 4, .5] and
          "only-in-profile" in done.stdout, times(done))
    done = profile(listing(good[0], record("a", 1), record("b", 2), record("c", 1)))
    check("another engine's profile is refused with both counts", done.returncode == 2 and
          "the 4 layers" in done.stderr and "of 4 layers, of which the engine has only 1" in done.stderr, done.stderr)
    done = profile(listing(good[0], record("a", 1), record("b", 2), record("c", 1)), "--force")
    ms = json.loads(done.stdout)["summary"]["ms"]
    check("by force it is used as far as it goes", abs(ms["elsewhere"] - .4) < 1e-12 and
          abs(ms["total"] - 1.4) < 1e-12, f"{ms}")
    broken = {"": "found none", "[]": "found none", "[": "found none", "{": "found none",
              '[{"count":1}]': "found none", '[{"name":"a': "end of a string",
              '[{"name" "a"}]': "expected ':'", "garbage": "a log that has neither the table",
              '[{"name":"a","timeMs":[1]}]': "a number or a string",
              '{"Layers":["a"]}': "an engine's layers", '[{"ph":"X","ts":1}]': "Chrome trace",
              '[{"latencyMs":1}]': "--times", "\0": "0x00"}
    for text, said in broken.items():
        done = profile(text)
        check(f"broken: {text!r}", done.returncode == 2 and said in done.stderr, done.stderr)


def check_without_shapes():
    nodes = [helper.make_node("Relu", ["x"], ["a"], name="A"),
             helper.make_node("Relu", ["a"], ["y"], name="B")]
    model = save_model(nodes, [tensor("x", None)], [tensor("y", None)])
    half = {"Location": "Device", "Format/Datatype": "Half"}
    engine = save_engine([layer("A", "PointWise", [{"Name": "x", **half}], [port("a", [4])]),
                          layer("B", "PointWise", [port("a", [4])], [port("y", [4])])], ["x", "y"])
    path = os.path.join(FOLDER, "profile.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(listing(record("A", 10), record("B", 20)))
    layers = report(model, engine, "--profile", path)["layers"]
    check("a layer without shapes has no bytes, and it is said why", "bytes" not in layers[0] and
          layers[0].get("bytes_unknown_of") == "x" and layers[0]["ms"] == 1, f"{layers[0]}")
    check("the rest stands", layers[1]["bytes"] == 32 and layers[1]["ms"] == 2, f"{layers[1]}")


def check_times():
    model, engine = save_pair()
    path = os.path.join(FOLDER, "times.json")
    for key in ("latencyMs", "endToEndMs"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"startMs": 0, key: ms} for ms in (3, 1, 2, 9)], file)
        r = report(model, engine, "--times", path)
        check(f"median of {key}", r["summary"]["ms"]["run"] == 2.5, f"{r['summary']}")
    with open(path, "w", encoding="utf-8") as file:
        file.write('[{"latencyMs": nan}]')
    done = run(model, engine, "--times", path)
    check("times that are none", done.returncode == 2 and "found none" in done.stderr)


check_macs()
check_other_products()
check_roofline()
check_attention()
check_chains()
check_names_only()
check_fp32_left()
check_io_type()
check_no_tensor_cores()
check_layouts()
check_dynamic()
check_profiles()
check_without_shapes()
check_times()
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
