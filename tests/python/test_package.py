"""The package against what the program prints, and what its users do with it."""

import datetime
import json
import pathlib
import subprocess
import sys
import threading

import pytest

import fusiondiff

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "fixtures/qat_block/model.onnx"
ENGINE = ROOT / "fixtures/qat_block/engine.graph.json"


def printed(*args):
    """What the program of the same wheel prints."""
    return subprocess.run([sys.executable, "-m", "fusiondiff", *map(str, args)], capture_output=True, text=True)


def test_a_run_is_the_programs_json():
    run = fusiondiff.diff(MODEL, ENGINE)
    report = json.loads(printed(MODEL, ENGINE, "-f", "json").stdout)
    assert run.json == report
    assert [layer.kind for layer in run.layers] == [layer["kind"] for layer in report["layers"]]
    assert [link.evidence for link in run.layers[1].nodes] == [link["evidence"] for link in report["layers"][1]["nodes"]]
    assert {node.fate for node in run.nodes} >= {"layer", "folded", "merged", "dead"}
    assert [finding.rule for finding in run.findings] == [finding["rule"] for finding in report["findings"]]
    assert str(run) == printed(MODEL, ENGINE).stdout


def test_what_has_no_field_is_kept():
    report = fusiondiff.diff(MODEL, ENGINE).json
    for kind, items in ((fusiondiff.Layer, report["layers"]), (fusiondiff.Node, report["nodes"])):
        for item in items:
            made = kind.from_json(item)
            assert set(item) == {name for name in item if name in made.extra or hasattr(made, name)}
    assert fusiondiff.Layer.from_json({"index": 1, "later": 2}).extra == {"later": 2}
    assert fusiondiff.Layer.from_json({"macs": str(2**60)}).macs == 2**60


def test_bytes_and_protos_are_inputs_too():
    class Proto:
        def SerializeToString(self):
            return MODEL.read_bytes()

    run = fusiondiff.diff(Proto(), ENGINE.read_bytes())
    assert run.json["model"]["path"] == "(model)"
    assert run.json["layers"] == fusiondiff.diff(MODEL, ENGINE).json["layers"]


def test_what_is_no_file_is_refused():
    with pytest.raises(TypeError, match="engine: expected a path, bytes or an onnx.ModelProto, found int"):
        fusiondiff.diff(MODEL, 3)


def test_an_engine_alone():
    assert len(fusiondiff.diff(ENGINE).layers) == 8


def test_errors_tell_file_and_position(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"Layers": [')
    with pytest.raises(fusiondiff.Error) as caught:
        fusiondiff.diff(MODEL, broken)
    assert caught.value.status == "format" and caught.value.file == str(broken)
    with pytest.raises(fusiondiff.Error) as caught:
        fusiondiff.diff(MODEL, tmp_path / "absent")
    assert caught.value.status == "io" and caught.value.position is None
    with pytest.raises(fusiondiff.Error):
        fusiondiff.diff(MODEL, ENGINE).write("png of a cat")
    with pytest.raises(ValueError):
        fusiondiff.diff(None, None)


def test_compare_snapshot_check(tmp_path):
    wide = ROOT / "fixtures/compare/wide.json"
    assert not fusiondiff.compare((MODEL, ENGINE), (MODEL, ENGINE)).differs
    change = fusiondiff.compare((MODEL, ENGINE), fusiondiff.Side(MODEL, wide, force=True))
    assert change.differs and change.json["schema"]
    assert fusiondiff.compare((MODEL.read_bytes(), ENGINE.read_bytes()), (MODEL, wide)).differs
    kept = tmp_path / "build.fsd"
    kept.write_text(fusiondiff.snapshot(MODEL, ENGINE))
    assert kept.read_text() == printed("snapshot", MODEL, ENGINE, "-o", "-").stdout
    check = fusiondiff.check(kept, MODEL, ENGINE, today=datetime.date(2026, 1, 31))
    assert not check.failed and check.update() == kept.read_text()
    assert not fusiondiff.check(fusiondiff.snapshot(MODEL, ENGINE, label="sm86"), MODEL, ENGINE, label="sm86").failed
    with pytest.raises(fusiondiff.Error, match="labelled"):
        fusiondiff.check(fusiondiff.snapshot(MODEL, ENGINE, label="sm86"), MODEL, ENGINE, label="sm75")
    run = fusiondiff.diff(MODEL, ENGINE)
    assert run.view("where", *["Conv_4"] * 500).count("Conv_4") >= 1
    check = fusiondiff.check(kept, MODEL, wide)
    assert check.failed and "lost-fusion" in str(check) + json.dumps(check.json)


def test_lint():
    linting = fusiondiff.lint(MODEL, builder="trt8", today=datetime.date(2026, 1, 31))
    report = json.loads(printed("lint", MODEL, "--for", "trt8", "-f", "json").stdout)
    assert linting.json == report and len(linting.edits) == len(report["edits"]) > 0
    assert linting.edits[0].action == report["edits"][0]["action"] and not linting.edits[0].extra
    assert linting._repr_markdown_() == printed("lint", MODEL, "--for", "trt8", "-f", "markdown").stdout
    built = fusiondiff.lint(MODEL.read_bytes(), ENGINE)
    assert built.json["for"] == "trt8" != fusiondiff.lint(MODEL).json["for"] and built.json["engine"] == str(ENGINE)
    with pytest.raises(fusiondiff.Error, match="trt9"):
        fusiondiff.lint(MODEL, builder="trt9")


def test_fix(tmp_path):
    model, fixed, by_program = tmp_path / "m.onnx", tmp_path / "fixed.onnx", tmp_path / "program.onnx"
    model.write_bytes(MODEL.read_bytes())
    assert "to calibrate" in fusiondiff.lint(model, builder="trt8").fix()
    listed = fusiondiff.lint(model, builder="trt8").fix(fixed, what="qdq/residual", scales={"skip": 0.05})
    assert listed.endswith("edits that apply: 1 of 1\n")
    printed("lint", model, "--for", "trt8", "--fix", "--scale", "skip=0.05", "-o", by_program)
    assert fixed.read_bytes() == by_program.read_bytes() != MODEL.read_bytes()
    assert fixed.stat().st_mode == by_program.stat().st_mode
    held = fusiondiff.lint(MODEL.read_bytes(), builder="trt8")    # in memory
    held.fix(fixed, scales={"skip": 0.05})
    assert fixed.read_bytes() == by_program.read_bytes()
    for wrong in ({"what": ["qdq/none"]}, {"scales": {"skip": -1.0}}, {"scales": {"other": 1.0}}):
        with pytest.raises(fusiondiff.Error):
            held.fix(fixed, **wrong)
    linting = fusiondiff.lint(model, builder="trt8")
    model.write_bytes(b"another file")
    with pytest.raises(fusiondiff.Error):
        linting.fix(fixed)
    assert fixed.read_bytes() == by_program.read_bytes() and len(list(tmp_path.iterdir())) == 3


def test_batch_keeps_the_order_and_goes_past_what_is_bad(tmp_path):
    pairs = [(MODEL, ENGINE), "none.json", ENGINE, fusiondiff.Side(MODEL, ENGINE, profile=ROOT / "fixtures/qat_block/profile.json")] * 5
    for jobs in 1, 3:
        made = list(fusiondiff.batch(iter(pairs), jobs=jobs))
        assert [isinstance(one, fusiondiff.Error) for one in made] == [False, True, False, False] * 5
        assert made[0].json == fusiondiff.diff(MODEL, ENGINE).json and made[3].layers[1].ms == 0.064
    lines = tmp_path / "pairs"
    lines.write_text(f"{MODEL} {ENGINE}\nnone.json\n")
    told = [json.loads(line) for line in printed("batch", lines).stdout.splitlines()]
    assert told[0]["report"] == made[0].json and told[1]["error"]["message"] == made[1].message


def test_views_and_tables():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert run.view("where", "Relu_7") == printed("where", MODEL, ENGINE, "Relu_7", "--width", "100").stdout
    assert run.layers.where(inserted=True)[0].cause == "layout"
    frame = run.layers.to_pandas()
    assert list(frame["index"]) == list(range(8)) and list(frame["kind"]) == [layer.kind for layer in run.layers]


def test_a_repr_is_what_the_text_begins_with():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert str(run).startswith(repr(run) + "\n") and repr(run).startswith("runs     8 layers")
    check = fusiondiff.check(fusiondiff.snapshot(MODEL, ENGINE).encode(), MODEL, ENGINE)
    assert repr(check).splitlines()[0] == repr(run).splitlines()[0] and repr(check).splitlines()[-1] == "passed"


def test_a_notebook_shows_tables_and_pages():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert "<iframe srcdoc=" in run._repr_html_() and "&lt;!DOCTYPE html&gt;" in run._repr_html_()
    shown = run.findings._repr_html_()
    assert shown.count("<tr>") == 1 + len(run.findings) and "<th>tensors</th>" not in shown and "fp16 -&gt; int8" in shown
    assert "<td>fp16 chw32 1x8x8x8 relu2</td>" in run.layers.where(index=4)._repr_html_()
    assert "<td>9 (name, tensor)</td>" in run.layers.where(index=2)._repr_html_()
    assert fusiondiff.lint(MODEL).to_html().startswith("<!DOCTYPE html>")
    nodes = fusiondiff.Table([fusiondiff.Node(index=i, name="<b>") for i in range(60)])
    assert "and 10 more" in nodes._repr_html_() and "<b>" not in nodes._repr_html_()
    assert fusiondiff.Table([])._repr_html_() == "<table><tr></tr></table>"


def test_runs_in_threads_are_alike():
    want = fusiondiff.diff(MODEL, ENGINE).write("json")
    got = []
    threads = [threading.Thread(target=lambda: got.append(fusiondiff.diff(MODEL, ENGINE.read_bytes()).layers)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8 and all(list(layers) == list(got[0]) for layers in got)
    assert json.loads(want)["layers"][0]["name"] == got[0][0].name


pytest_plugins = ["pytester"]


def test_the_plugin(pytester):
    pytester.makepyfile(f"""
        def test_build(assert_fusions):
            assert_fusions("build.fsd", {str(MODEL)!r}, {str(ENGINE)!r})
        """)
    first = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    first.assert_outcomes(failed=1)
    first.stdout.fnmatch_lines(["*build.fsd was not there*"])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    pytester.makepyfile(f"""
        def test_build(assert_fusions):
            assert_fusions("build.fsd", {str(MODEL)!r}, {str(ROOT / 'fixtures/compare/wide.json')!r})
        """)
    changed = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(["*precision*"])
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--fusiondiff-update").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
