#!/usr/bin/env python3
"""refused.py BINARY: files that are no engines, as other programs write them, and as the first file of a run.

Each is refused, in one sentence that says what it is, and holds no byte of the file: a link may lead to one that nobody
was to see."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"


def js(value):
    return json.dumps(value).encode()


def trace(*events):
    return js({"traceEvents": [{"ph": "X", "ts": i, "dur": 5, "pid": 1, "tid": 1, **e} for i, e in enumerate(events)]})


# Name of the file, its bytes, what the sentence must say.
FILES = [
    # JSON of other tools
    ("package.json", js({"name": "x", "version": "1.0.0", "dependencies": {"left-pad": "1"}}), "package"),
    ("notebook.ipynb", js({"cells": [{"cell_type": "code"}], "nbformat": 4}), "notebook"),
    ("config.json", js({"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 768}), "configuration"),
    ("model.json", js({"modelTopology": {"node": []}, "weightsManifest": []}), "TensorFlow.js"),
    ("keras.json", js({"class_name": "Sequential", "config": {"layers": [{"class_name": "Dense"}]}}), "Keras"),
    ("index.json", js({"metadata": {"total_size": 5}, "weight_map": {"a.weight": "1.safetensors"}}), "weights"),
    ("torch.json", trace({"cat": "cpu_op", "name": "aten::conv2d"}, {"cat": "kernel", "name": "sm80_xmma_gemm"}), "PyTorch"),
    ("python.json", trace({"cat": "python_function", "name": "len"}, {"cat": "user_annotation", "name": "step"}), "PyTorch"),
    ("chrome.json", trace({"cat": "v8", "name": "CrRendererMain"}, {"cat": "v8", "name": "v8.run"}), "trace of events"),
    ("list_trace.json", js([{"ph": "X", "name": "CrRendererMain", "ts": 1, "dur": 5}]), "trace of events"),
    ("bazel.json", trace({"cat": "build", "name": "Launch Blaze"}, {"cat": "build", "name": "evaluate"}), "trace of events"),
    ("history.json", js({"epochs": [1, 2, 3], "loss": [0.5, 0.4, 0.3], "val_loss": [0.6, 0.5, 0.4]}), "names that no layer of TensorRT has"),
    ("summary.json", js({"shape": [1, 3], "engine_layers": 355, "fused": ["a + b"]}), "names that no layer of TensorRT has"),
    ("metrics.json", js({"latency_ms": [1.2, 1.3], "throughput": [800, 810]}), "names that no layer of TensorRT has"),
    ("coco.json", js({"images": [], "annotations": [{"bbox": [0, 0, 1, 1]}], "categories": []}), "labels"),
    ("labels.json", js(["person", "bicycle", "car"]), "names that no layer of TensorRT has"),
    ("numbers.json", js([1, 2, 3]), "number"),
    ("boxes.json", js([[1, 2, 3], [4, 5, 6]]), "list"),
    ("records.json", js([{"id": 1, "user": "a"}, {"id": 2, "user": "b"}]), "a list that begins with"),
    ("map.geojson", js({"type": "FeatureCollection", "features": []}), "map"),
    ("compile_commands.json", js([{"directory": "/b", "command": "cc", "file": "a.c"}]), "a list that begins with"),
    ("result.sarif", js({"version": "2.1.0", "runs": [{"tool": {}}]}), "analyzer"),
    ("sbom.json", js({"bomFormat": "CycloneDX", "specVersion": "1.5"}), "bill of materials"),
    ("api.json", js({"openapi": "3.0.0", "paths": {}}), "web interface"),
    ("tsconfig.json", js({"compilerOptions": {"target": "es2020"}}), "compiler"),
    ("inspect.json", js([{"Id": "4f", "State": {"Status": "running"}, "Image": "nginx"}]), "a list that begins with"),
    ("benchmark.json", js({"context": {"date": "2024"}, "benchmarks": [{"name": "BM_x", "real_time": 5.0}]}), "other keys"),
    ("prometheus.json", js({"status": "success", "data": {"resultType": "vector"}}), "other keys"),
    ("report.json", js({"schema": "fusiondiff/1", "tool": {}}), "report of fusiondiff"),
    ("times.json", js([{"startComputeMs": 1.0, "endComputeMs": 2.0, "latencyMs": 1.0}]), "times"),
    ("metadata.json", js({"device_information": {"Selected Device": "A100"}}), "metadata"),
    ("empty.json", js({}), "empty object"),
    ("none.json", js([]), "empty list"),
    ("null.json", b"null", "text without a line"),
    ("string.json", js("Layers"), "text without a line"),
    ("grafana.json", js({"dashboard": {"panels": [{"title": "GPU"}]}, "overwrite": True}), "other keys"),
    ("pod.json", js({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trt"}}), "other keys"),
    ("wandb.json", js({"_runtime": 12, "train/loss": 0.5, "_step": 100}), "other keys"),
    ("tokenizer.json", js({"version": "1.0", "truncation": None, "model": {"vocab": {}}}), "other keys"),
    ("lighthouse.json", js({"lighthouseVersion": "11", "audits": {}}), "other keys"),
    # logs and text of other programs
    ("pytest.log", b"===== test session starts =====\nplatform linux\ncollected 3 items\n", "text without a line"),
    ("python.txt", b"Traceback (most recent call last):\n  File \"a.py\", line 1\n", "text without a line"),
    ("train.log", b"Epoch 1/10: loss 0.5, conv1 grad 0.1\nEpoch 2/10: loss 0.4\n", "text without a line"),
    ("syslog", b"Jan 20 10:00:01 host systemd[1]: Started Daily apt download.\n", "text without a line"),
    ("nginx.log", b'127.0.0.1 - - [20/Jan/2024:10:00:01 +0000] "GET / HTTP/1.1" 200 5\n', "text without a line"),
    ("nvidia-smi.txt", b"Sat Jan 20 10:00:01 2024\n| NVIDIA-SMI 535.104 |\n", "text without a line"),
    ("cmake.log", b"-- The C compiler identification is GNU 12.2.0\n", "text without a line"),
    ("gdb.txt", b"#0  0x00007f in main () at a.c:3\n#1  0x00 in start\n", "text without a line"),
    ("history.csv", b"epoch,loss,accuracy\n1,0.5,0.7\n", "text without a line"),
    ("table.tsv", b"name\tvalue\na\t1\n", "text without a line"),
    ("page.html", b"<!doctype html><html><body>x</body></html>", "HTML"),
    ("model.xml", b"<?xml version='1.0'?><net name='x'/>", "XML"),
    ("render.txt", b"render   1.2ms\nlayout   0.3ms\npaint   0.4ms\n", "text without a line"),
    ("requests.log", b"GET /index 12.5ms\nGET /api 3.1ms\n", "text without a line"),
    ("ping.txt", b"64 bytes from 1.1.1.1: icmp_seq=1 ttl=57 time=12.3 ms\n64 bytes from 1.1.1.1: icmp_seq=2 time=12.4 ms\n",
     "text without a line"),
    ("mocha.txt", b"  adder\n    + should add (5ms)\n    + should carry (7ms)\n  2 passing (12ms)\n", "text without a line"),
    ("summary.txt", b" Layer (type)     Output Shape    Param #\n=====\n dense (Dense)    (None, 64)      640\n", "text without"),
    ("ncu.csv", b'"ID","Kernel Name","gpu__time_duration.sum"\n"0","sm80_xmma_gemm","12.3"\n', "text without a line"),
    ("README.md", b"# My project\n\nIt builds engines with TensorRT.\n", "text without a line"),
    ("config.yaml", b"model:\n  name: resnet\n", "text without a line"),
    ("model.py", b"import torch\nclass Layer(torch.nn.Module):\n    pass\n", "text without a line"),
    ("Makefile", b"all:\n\tcc a.c\n", "text without a line"),
    ("deploy.prototxt", b'name: "VGG"\nlayer {\n  name: "conv1"\n}\n', "text without a line"),
    ("empty.log", b"", "end of the file"),
    ("blank.log", b"\n\n  \n", "end of the file"),
    # others
    ("a.png", PNG, "picture"),
    ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0", "picture"),
    ("a.gif", b"GIF89a\x01\0\x01\0", "picture"),
    ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\n", "PDF"),
    ("a.out", b"\x7fELF\x02\x01\x01\0\0\0\0\0", "program"),
    ("a.sqlite", b"SQLite format 3\0\x10\0", "database"),
    ("a.npy", b"\x93NUMPY\x01\0v\0{'descr': '<f4'}", "NumPy"),
    ("a.gguf", b"GGUF\x03\0\0\0\0\0", "GGUF"),
    ("a.zip", b"PK\3\4\x14\0\0\0", "ZIP"),
    ("a.pkl", b"\x80\x02}q\0.", "pickle"),
    ("a.h5", b"\x89HDF\r\n\x1a\n\0\0", "HDF5"),
    ("a.bin", bytes(range(256)) * 4, "binary"),
]


def main():
    binary, failures = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, data, says in FILES:
            path = pathlib.Path(folder, name)
            path.write_bytes(data)
            run = program.run([binary, path])
            lines = run.stderr.decode().split("\n")
            if run.returncode != 2 or len(lines) != 2 or says not in lines[0].split(name, 1)[-1]:
                failures += 1
                print(f"FAILED {name}: exit {run.returncode}, without {says!r}: {run.stderr.decode()[:300]}"
                      f"{run.stdout.decode()[:120]}")
    print(f"{len(FILES)} files that are no engines, {failures} not refused as what they are")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
