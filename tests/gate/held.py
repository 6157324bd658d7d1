#!/usr/bin/python3
"""What the gate has to hold: a snapshot of one build, then the check of one that differs in one place.

    held.py BINARY FIXTURES [SHARED]

Each row of CASES: a build, the build that is checked, and the rule of which a finding has to fire with a
word of its message or of its nodes; None: what is found is at most a note, or at most of the severity that
stands in the word's place.  Rows of SHARED are left out
where it is not there.
"""
import json
import lzma
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program

BINARY, FIXTURES = sys.argv[1:3]
SHARED = sys.argv[3] if len(sys.argv) > 3 else "/nowhere"
QAT = ("S/corpus/resnet18-qat-trt8.4/model.onnx", "S/corpus/resnet18-qat-trt8.4/engine.graph.json")
FP16 = ("S/corpus/resnet18-fp16-trt10/model.onnx", "S/corpus/resnet18-fp16-trt10/engine.graph.json")
TYPES = ("held/types.onnx", "held/types.log.xz")
REGNET = ("held/regnet.onnx", "held/regnet.log.xz")
QKV = ("held/qkv.onnx", "held/qkv.log.xz")
ATTENTION = ("held/attention.onnx", "held/attention.log.xz")
LLAMA = ("held/llama.onnx", "held/llama.log.xz")
DIFFUSION = ("held/diffusion.onnx", "held/diffusion.log.xz")
FUNCTIONS = ("held/functions.onnx", "held/functions.log.xz")
JUMP = ("held/jump.onnx", "held/jump.log")
LSTM = ("held/lstm.onnx", "held/lstm.log.xz")
LINEAR = ", Dimensions: [1,2,256], Strides: [512,256,1], StrideOrder: [2,1,0], Datatype: Float, Format: (Linear) " \
         "Row major linear format }"
SHARED_GEMM = ("kernels/shared.onnx", "kernels/shared.log")
HWC = ", Dimensions: [1,8,8,8], Strides: [512,1,64,8], StrideOrder: [3,0,2,1], Datatype: Half, Format: (NHWC) " \
      "Channel major format }], Constants"
OPEN = ("", "rtx/open_sizes.log")
CASES = [
    (QAT, (QAT[0], "S/defects/g1_out2000.json"), "io-changed", "422"),
    (("S/defects/b8.onnx", "S/defects/b1.json"), ("S/defects/b8.onnx", "S/defects/b8.json"), "io-changed", "input"),
    (OPEN, (("OptShape: [4,3,", "OptShape: [6,3,"),), "profile-changed", "image"),
    (OPEN, (("(kLINEAR)", "(kHWC8)"),), "io-changed", "image"),
    (OPEN, ((" Name: image, IOMode", " Name: picture, IOMode"),), "io-changed", "picture"),
    (TYPES, (TYPES[0], "held/untold.log.xz"), "precision-unknown", "/Conv_1"),
    (QAT, (QAT[0], "S/defects/g3_dropconv.json"), "undecided-fusion", "Conv_206"),
    (REGNET, (REGNET[0], "held/dropped.log.xz"), "lost-kernel", "/trunk_output/block2/block2-2/f/b/b.0/Conv"),
    (QKV, (QKV[0], "held/split.log.xz"), "lost-fusion", "/encoder/layer.1/attn/q_proj/MatMul"),
    (ATTENTION, (ATTENTION[0], "held/wider.log.xz"), "precision-widened", "/layers.0/attn/MatMul"),
    (SHARED_GEMM, (SHARED_GEMM[0], "kernels/shared-swapped.log"), "source-changed", "emb1"),
    (SHARED_GEMM, (("bb1_6_myl0" + HWC, "bb1_7_myl0" + HWC),), "source-changed", "emb1"),
    (JUMP, (("Outputs: [ { Name: __myln_k_arg__bb1_3_myl0", "Outputs: [ { Name: __myln_k_arg__bb1_9_myl0"),), "lost-kernel", "cjmp"),
    # A step of a loop reads the product of another step, of the same slice of the input as far as the log shows.
    (LSTM, (tuple(f"bb1_{n}_myl0{LINEAR}, {{ Name: __myln_k_arg__bb1_36" for n in (37, 32)),), "source-changed", "/l/LSTM"),
    (("qat_block/model.onnx", "qat_block/engine.graph.json"), (('"Activation": "RELU"', '"Activation": "NONE"'),), "operator-changed", "has Activation NONE, before RELU"),
    (QAT, (QAT[0], "S/defects/g6_layout.json"), "layout-changed", "MaxPool_12"),
    (FP16, ("S/defects/g7_gemm_alpha.onnx", FP16[1]), "engine-stale", "Gemm"),
    (("S/zoo/cases/yolo_like.v1.6/model.onnx", "S/zoo/cases/yolo_like.v1.6/build.log"),
     ("S/zoo/cases/yolo_like.v1.4/model.onnx", "S/zoo/cases/yolo_like.v1.4/build.log"),
     "layout-unknown", "states no layouts, but the snapshot states them in 68 places"),
    (LLAMA, ("held/llama-permuted.onnx", LLAMA[1]), None, ""),
    (DIFFUSION, ("held/diffusion-permuted.onnx", DIFFUSION[1]), None, ""),
    # Of a simplified model, in which MatMul and Add are a Gemm: its kernel does what two did.
    (("held/norm.onnx", "held/norm.log.xz"), ("held/norm-simplified.onnx", "held/norm-simplified.log.xz"), None, "warning"),
    (FUNCTIONS, ("held/functions-producer.onnx", FUNCTIONS[1]), None, ""),
]


def place(path):
    return os.path.join(SHARED, path[2:]) if path.startswith("S/") else os.path.join(FIXTURES, path) if path else ""


def changed(folder, engine, words):
    """A copy of the engine's file in which these words are others, the first time that they stand there."""
    with (lzma.open(engine, "rt", encoding="utf-8") if engine.endswith(".xz") else open(engine, encoding="utf-8")) as file:
        text = file.read()
    assert words[0] in text, words
    path = os.path.join(folder, "changed.log")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(*words, 1))
    return path


def run(*args):
    return program.run([BINARY, *(a for a in args if a)], text=True)


def judge(folder, base, other, rule, word):
    base = [place(p) for p in base]
    other = [base[0], changed(folder, base[1], other[0])] if isinstance(other[0], tuple) else [place(p) for p in other]
    snapshot = os.path.join(folder, "base.fsd")
    done = run("snapshot", *base, "-o", snapshot)
    if done.returncode:
        return done.stderr
    done = run("check", snapshot, *other, "-f", "json")
    if done.returncode == 2:
        return done.stderr
    said = json.loads(done.stdout)["findings"]
    loud = [f for f in said if f["severity"] not in ("info", word if rule is None else "")]
    if rule is None:
        return f"{loud[0]['rule']}: {loud[0]['message']}" if loud else ""
    if not any(f["rule"] == rule and (word in f["message"] or any(word in n for n in f["nodes"])) for f in loud):
        return f"no {rule} of {word}, but {[(f['rule'], f['message'][:80]) for f in said][:3]}"
    return ""


def main():
    failed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for base, other, rule, word in CASES:
            files = [p for p in base + other if isinstance(p, str) and p]
            if not all(os.path.exists(place(p)) for p in files):
                continue
            tried += 1
            wrong = judge(folder, base, other, rule, word)
            failed += bool(wrong)
            if wrong:
                print("FAILED", files[-1], other[0] if isinstance(other[0], tuple) else "", wrong[:300])
    print(f"{tried} of {len(CASES)} cases, {failed} failed")
    sys.exit(failed > 0)


main()
