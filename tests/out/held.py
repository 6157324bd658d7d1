#!/usr/bin/env python3
"""held.py BINARY FIXTURES [--update]: all that verbs write into files, as text, held against tests/out/held.

A model is shown node by node, with attributes, metadata and what is declared; other files as they are.  --update writes what
was found: read it before you keep it.  Skipped (77) where the python has no onnx."""
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    print("no onnx in this python: skipped")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import model_text  # pylint: disable=wrong-import-position

HELD = pathlib.Path(__file__).resolve().parent / "held"
PAIR = ["qat_block/model.onnx", "qat_block/engine.graph.json"]
TIMED = [*PAIR, "--profile", "qat_block/profile.json"]
HOSTILE = ["cut/hostile.onnx", "cut/hostile.json"]
FAILED = ["failed/types.onnx", "failed/types.log"]
# What each writes: arguments, and the outputs, of which a directory is shown file by file.
ASKED = {
    "annotate": (["annotate", *TIMED], ["model.onnx"]),
    "annotate_hostile": (["annotate", *HOSTILE, "--force"], ["model.onnx"]),
    "layers": (["annotate", *TIMED, "--layers"], ["engine.onnx"]),
    "layers_kernels": (["annotate", "kernels/engine.log"], ["engine.onnx"]),
    "layers_loop": (["annotate", "engine/trt10.json", "--layers"], ["engine.onnx"]),
    "layers_concat": (["annotate", "movement/pool_concat.log", "--layers"], ["engine.onnx"]),
    "node_data": (["annotate", *PAIR], ["values.nodedata.json"]),
    "node_data_timed": (["annotate", *TIMED], ["values.nodedata.json"]),
    "issue": (["issue", *TIMED], ["report"]),
    "issue_layer": (["issue", *PAIR, "--layer", "2", "--context", "1"], ["report"]),
    "issue_builds": (["issue", "qat_block/model.onnx,qat_block/engine.graph.json,qat_block/profile.json",
                      "qat_block/model.onnx,compare/split.json,compare/split.profile.json"], ["report"]),
    "issue_failed": (["issue", *FAILED], ["report"]),
    "issue_failed_anonymous": (["issue", *FAILED, "--anonymize"], ["report", "report.names.json"]),
    "cut_failed": (["cut", *FAILED], ["part.onnx"]),
    "issue_engine": (["issue", PAIR[1]], ["report"]),
    "issue_anonymous": (["issue", *HOSTILE, "--node", "#1", "--anonymize", "--no-weights"], ["report", "report.names.json"]),
}


def shown_model(data):
    model = onnx.ModelProto()
    model.ParseFromString(data)
    return "\n".join(model_text.model_lines(model)) + "\n"


def shown(path):
    if path.is_dir():
        return "".join(f"=== {each.name}\n{shown(each)}" for each in sorted(path.iterdir()) if each.suffix != ".svg")
    data = path.read_bytes()
    return shown_model(data) if path.suffix == ".onnx" else data.decode()


def found(binary, fixtures, args, outputs, version):
    with tempfile.TemporaryDirectory(prefix="fusiondiff-held-") as folder:
        paths = [pathlib.Path(folder) / name for name in outputs]
        written = [p for p in paths if not p.name.endswith(".names.json")]
        ran = subprocess.run([binary, *args, *(w for p in written for w in ("-o", p))], cwd=fixtures,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        text = f"status {ran.returncode}\n" + ran.stderr.decode() + ran.stdout.decode()
        text += "".join(f"== {p.name}\n{shown(p)}" for p in paths if p.exists())
        return text.replace(folder, "FOLDER").replace(version, "VERSION")


def main():
    binary, fixtures = os.path.abspath(sys.argv[1]), sys.argv[2]
    version = subprocess.run([binary, "--version"], capture_output=True, check=True, text=True).stdout.split()[1]
    bad = 0
    for name, (args, outputs) in ASKED.items():
        path = HELD / f"{name}.txt"
        text = found(binary, fixtures, args, outputs, version)
        if "--update" in sys.argv:
            path.write_text(text, encoding="utf-8")
            continue
        held = path.read_text(encoding="utf-8") if path.exists() else ""
        if text != held:
            bad += 1
            print("\n".join(difflib.unified_diff(held.splitlines(), text.splitlines(), path.name, "found", lineterm="")))
    extra = {p.stem for p in HELD.glob("*.txt")} - set(ASKED)
    print("\n".join([f"{name}: nothing asks for it" for name in sorted(extra)] + [f"{len(ASKED)} verbs' files, {bad} differ"]))
    return bad > 0 or bool(extra)


if __name__ == "__main__":
    sys.exit(main())
