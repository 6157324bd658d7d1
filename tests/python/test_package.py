"""The package against what the program prints, and what its users do with it."""

import copy
import dataclasses
import datetime
import importlib.util
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import typing
import warnings

import pytest

import fusiondiff
from fusiondiff import _objects, pytest_plugin

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "fixtures/qat_block/model.onnx"
ENGINE = ROOT / "fixtures/qat_block/engine.graph.json"
PROFILE = ROOT / "fixtures/qat_block/profile.json"


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
    layer = fusiondiff.Layer.from_json({"index": 1, "later": 2})
    assert layer.extra == {"later": 2} and getattr(layer, "later") == 2 and copy.copy(layer) == layer
    assert not hasattr(layer, "earlier")
    assert len(fusiondiff.Table([layer]).where(later=2)) == 1
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
    with pytest.raises(fusiondiff.Error, match="labeled"):
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
    assert "calibrated scale" in fusiondiff.lint(model, builder="trt8").fix()
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
    stated = [json.loads(line) for line in printed("batch", lines, "--follow").stdout.splitlines()]
    assert stated[0]["report"] == made[0].json and stated[1]["error"]["message"] == made[1].message


def test_views_and_tables():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert run.view("where", "Relu_7") == printed("where", MODEL, ENGINE, "Relu_7", "--width", "100").stdout
    assert run.layers.where(inserted=True)[0].cause == "layout"
    frame = run.layers.to_pandas()
    assert list(frame["index"]) == list(range(8)) and list(frame["kind"]) == [layer.kind for layer in run.layers]


def test_a_repr_is_what_the_text_begins_with():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert str(run).split("\n", 1)[1].startswith(repr(run) + "\n") and "\nlayers   8: " in "\n" + repr(run)
    check = fusiondiff.check(fusiondiff.snapshot(MODEL, ENGINE).encode(), MODEL, ENGINE)
    assert repr(check).splitlines()[0] in repr(run).splitlines() and repr(check).splitlines()[-1] == "passed"


def test_a_comparison_has_tables():
    found = fusiondiff.compare([MODEL, ENGINE], [MODEL, ROOT / "fixtures/compare/split.json"])
    assert [r.region for r in found.regions.where(what="fusion-lost")] == [1]
    assert [str(group) for group in found.regions[0].new] == ["Conv_13 + BatchNormalization_14 int8", "Add_15 + Relu_16 fp16"]
    assert len(found.edges) == len(found.json["edges"]) and len(found.changes) == len(found.json["different"])
    assert len(found.todo) == 1 and repr(found).startswith("changed ") and "regions " in repr(found) and str(found).startswith(repr(found))


def test_a_linting_is_its_summary():
    found = fusiondiff.lint(MODEL, builder="trt8")
    assert repr(found).startswith("lint failed: 1 error") and str(found).startswith(repr(found) + "\n")


def test_what_to_do_and_why_are_data():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert run.todo and run.todo == [line["text"] for line in run.summary["brief"] if line["topic"] == "to do"]
    assert all(block.nodes for block in run.blocks) and len(run.blocks) == len(json.loads(run.view("patterns", format="json"))["blocks"])


def test_columns_of_nodes_lead_with_what_computes():
    layer = fusiondiff.diff(MODEL, ENGINE).layers[1]
    assert [link.name for link in layer.nodes if link.computed] == ["Conv_4", "BatchNormalization_5", "Relu_6"]
    row = fusiondiff.diff(MODEL, ENGINE).layers.to_pandas()["nodes"][1] if importlib.util.find_spec("pandas") else None
    assert row is None or row[:3] == ["Conv_4", "BatchNormalization_5", "Relu_6"]


def cells(table):
    return [re.sub("<.*?>", "|", row).split("||") for row in re.findall("<tr>(.*?)</tr>", table._repr_html_())]


def test_a_notebook_shows_tables_and_pages():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert "<iframe srcdoc=" in run._repr_html_() and "&lt;!DOCTYPE html&gt;" in run._repr_html_()
    shown = run.findings._repr_html_()
    assert shown.count("<tr>") == 1 + len(run.findings) and ">tensors</th>" not in shown and "fp16 -&gt; int8" in shown
    assert re.search("more columns: .*inputs, outputs", run.layers._repr_html_())
    assert "QuantizeLinear_9" in cells(run.layers.where(index=2))[1] and "QuantizeLinear_9" in cells(run.findings)[1]
    assert fusiondiff.lint(MODEL).to_html().startswith("<!DOCTYPE html>")
    nodes = fusiondiff.Table([fusiondiff.Node(index=i, name="<b>") for i in range(60)])
    assert "the first 50 of 60 rows" in nodes._repr_html_() and "<b>" not in nodes._repr_html_()
    assert fusiondiff.Table([])._repr_html_().endswith("<p>0 rows</p>")


def test_a_notebooks_tables_fit_1000_px(tmp_path):
    """With the longest names that engines have, as a browser lays it out."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium")
    name = "PWN(PWN(/model/backbone/Sigmoid), /model/backbone/Mul)" * 8
    layers = [fusiondiff.Layer(index=9999, name=name, kind="reformat", precision="fp8e4m3fnuz", cause="dtype+layout", ms=1234.5678, bytes=2**40,
                               nodes=[fusiondiff.Link(index=i, name=name) for i in range(300)],
                               inputs=[fusiondiff.Port(type="fp16", layout="chw32", dims=[32, 64, 112, 112], name=name)] * 9,
                               outputs=[fusiondiff.Port(type="fp16", name="x" * 500)])]
    nodes = [fusiondiff.Node(index=9999, name="x" * 500, op="QuantizeLinear", fate="unexplained", layers=list(range(99)), requested="fp8e4m3fnuz",
                             realised="fp8e4m3fnuz", ms=0.123456, same_as=77, why="y" * 300)]
    findings = [fusiondiff.Finding(rule="precision/no-tensor-cores", severity="warning", message="z" * 400, nodes=[0] * 99, facts={"a" * 99: 1.5})]
    tables = fusiondiff.Table(layers), fusiondiff.Table(nodes), fusiondiff.Table(findings, fusiondiff.Finding, ["n" * 300]), fusiondiff.diff(MODEL, ENGINE).layers
    script = "document.title = [...document.querySelectorAll('table')].map(t => Math.round(t.getBoundingClientRect().width)).join()"
    page = tmp_path / "tables.html"
    page.write_text("<!DOCTYPE html><meta charset=utf-8><title></title><body style='width:2000px;font:13px monospace'>"
                    "<style>td, th {padding: 0.5em}</style>" + "".join(table._repr_html_() for table in tables) + f"<script>{script}</script>")
    shown = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/home", "--dump-dom", page.as_uri()],
                           capture_output=True, text=True, timeout=300, env={**os.environ, "HOME": str(tmp_path)}).stdout
    widths = [int(width) for width in re.search("<title>([0-9,]+)</title>", shown)[1].split(",")]
    assert len(widths) == len(tables) and all(0 < width <= 1000 for width in widths), widths


def test_the_repr_of_a_table_is_a_table(monkeypatch):
    run = fusiondiff.diff(MODEL, ENGINE, profile=PROFILE)
    for width in 48, 80, 200:
        monkeypatch.setenv("COLUMNS", str(width))
        lines = repr(run.layers).splitlines()
        assert lines[0].split()[:3] == ["index", "name", "kind"] and len(lines) == 10 and lines[-1].startswith("8 rows")
        assert max(map(len, lines[:-1])) <= width and [line.split()[0] for line in lines[1:9]] == list("01234567")
    assert "QuantizeLinear_9" in repr(run.layers.where(index=2)) and "0.032" in repr(run.layers.where(index=2))
    assert "the first 20 of 23 rows" in repr(run.nodes) and "Relu_6" in repr(run.nodes.where(fate="merged"))
    assert repr(run.layers.where(index=77)).startswith("0 rows")


def test_where():
    entries = json.loads(PROFILE.read_text())
    run = fusiondiff.diff(MODEL, ENGINE, profile=json.dumps(entries[:-1]).encode())    # of one layer no time is known

    def layers(**predicates):
        return [layer.index for layer in run.layers.where(**predicates)]

    measured = {layer.index: layer.ms for layer in run.layers if layer.ms is not None}
    assert 0 < len(measured) < 8
    assert layers(ms__gt=.03) == [i for i, ms in measured.items() if ms > .03] and layers(ms__ge=.032, ms__le=.032) == [2]
    assert layers(ms__lt=.03) == [i for i, ms in measured.items() if ms < .03] != []
    assert layers(ms=None) == [i for i in range(8) if i not in measured]    # neither above nor below anything
    assert layers(kind__in=["reformat", "quantize"]) == [0, 2, 4]
    assert layers(kind__ne="compute") == [layer.index for layer in run.layers if layer.kind != "compute"]
    assert layers(nodes__contains="QuantizeLinear_9") == layers(nodes__contains=9) == [2]
    assert layers(name__contains="Conv_4", name__endswith="Conv_4", name__startswith="conv1", name__like="conv?.*") == [1]
    assert layers(inputs__contains="relu1")[0] == 2 and layers(cause=None) and layers(edge__ne=None)
    assert list(run.nodes.where(same_as="Relu_6")) == list(run.nodes.where(same_as=6)) and len(run.nodes.where(same_as=6)) == 1
    assert [finding.layers for finding in run.findings.where(nodes__contains="QuantizeLinear_9")] == [[2]]
    assert len(run.layers.where(kind="sync")) == 0 == len(run.findings.where(rule="inserted/copy"))    # words that are not here
    for predicate, message in ((dict(knd="compute"), "unknown column 'knd'; did you mean 'kind'.*There are index, name"),
                               (dict(ms__gtt=1), "unknown test 'gtt'; did you mean 'gt'.*eq, ne, lt"),
                               (dict(kind="reformt"), "'reformt'; did you mean 'reformat'.*compute, reformat"),
                               (dict(kind__in=["compute", "copi"]), "unknown value 'copi'; did you mean 'copy'"),
                               (dict(precision="float16"), "'float16'. There are unknown, fp64"),
                               (dict(nodes__contains="Conv_44"), "'Conv_44'; did you mean 'Conv_4'")):
        with pytest.raises(ValueError, match=message):
            run.layers.where(**predicate)
        if "nodes__contains" not in predicate:
            with pytest.raises(ValueError, match=message):
                run.layers[:0].where(**predicate)
    with pytest.raises(ValueError, match="did you mean 'inserted/reformat'"):
        run.findings.where(rule="inserted/reformt")
    with pytest.raises(TypeError, match="ms__gt: cannot compare float with str"):
        run.layers.where(ms__gt="much")
    with pytest.raises(TypeError, match="kind__in: expected several values"):
        run.layers.where(kind__in="copy")
    with pytest.raises(fusiondiff.Error, match="unknown view 'wher'; did you mean 'where'.* top, memory, "):
        run.view("wher", "Relu_7")
    with pytest.raises(fusiondiff.Error, match="diff writes text, .*, not jsn"):
        run.write("jsn")


def test_nodes_go_by_name():
    run, linting = fusiondiff.diff(MODEL, ENGINE), fusiondiff.lint(MODEL, builder="trt8")
    names = [node["name"] for node in run.json["nodes"]]
    assert [[link.name for link in layer.nodes] for layer in run.layers] == [[names[link.index] for link in layer.nodes] for layer in run.layers]
    frames = run.layers.to_pandas(), run.findings.to_pandas(), linting.findings.to_pandas(), linting.edits.to_pandas()
    assert frames[0]["nodes"][2] == ["QuantizeLinear_9"] and frames[1]["nodes"][0] == ["QuantizeLinear_9"]
    assert frames[2]["nodes"][0] == ["Add_15", "Conv_13"] and list(frames[3]["node"]) == list(frames[3]["node_name"])
    assert run.nodes.to_pandas()["same_as"][7] == "Relu_6"
    check = fusiondiff.check(fusiondiff.snapshot(MODEL, ENGINE), MODEL, ROOT / "fixtures/compare/wide.json")
    assert "Add_15" in {name for item in check.findings for name in item.nodes} and not any(item.extra.keys() - {"cites"} for item in check.findings)
    assert list(check.findings.to_pandas()["rule"]) == [item["rule"] for item in check.json["findings"]]


def test_words_are_those_of_the_schemas():
    schemas = [json.loads(path.read_text())["$defs"] for path in (ROOT / "include/fusiondiff").glob("*.schema.json")]
    words = {}
    for kind, name in ((fusiondiff.Layer, "layer"), (fusiondiff.Node, "node"), (fusiondiff.Finding, "finding"), (fusiondiff.Link, "link"),
                       (fusiondiff.Edit, "edit"), (fusiondiff.Violation, "check_finding")):
        for defs in schemas:
            for field, schema in defs.get(name, {"properties": {}})["properties"].items():
                listed = schema.get("enum") or schema.get("items", {}).get("enum")
                if listed:
                    words[name, field] = listed
                    assert sorted(_objects._words_of(kind, field)) == sorted(listed), (name, field)
    assert len(words) >= 8
    types = re.findall(r"^    \[F\w+\] = {\"(\w+)\", \d+, \d+, \d+}", (ROOT / "src/model/graph/dtype.c").read_text(), re.M)
    assert list(_objects._words_of(fusiondiff.Layer, "precision")) == types and len(types) > 20
    views = re.findall(r"row\((\w+), ", (ROOT / "src/report/view/view.h").read_text())
    views += re.findall(r"{\"(\w+)\", fsd_view_", (ROOT / "src/edit/api/view.c").read_text())
    assert sorted(typing.get_args(fusiondiff.View)) == sorted(set(views) - {"rules", "about", "words"})


def test_fields_are_those_of_the_schemas():
    schemas = [json.loads(path.read_text())["$defs"] for path in (ROOT / "include/fusiondiff").glob("*.schema.json")]
    schemas += [view["$defs"] for defs in schemas for view in defs.values() if "$defs" in view]
    for kind, name in ((fusiondiff.Layer, "layer"), (fusiondiff.Node, "node"), (fusiondiff.Finding, "finding"), (fusiondiff.Link, "link"),
                       (fusiondiff.Edit, "edit"), (fusiondiff.Violation, "check_finding"), (fusiondiff.Port, "port"),
                       (fusiondiff.Form, "form"), (fusiondiff.Group, "group"), (fusiondiff.Region, "region"), (fusiondiff.Edge, "edge"),
                       (fusiondiff.Change, "difference"), (fusiondiff.Block, "block")):
        fields = {field.name for field in dataclasses.fields(kind)} - {"extra"}
        if kind is fusiondiff.Link:
            fields -= {"name", "computed"}    # Run.layers sets them
        assert any(fields <= set(defs.get(name, {}).get("properties", ())) for defs in schemas), name


def test_nodes_without_a_name_are_called_as_in_reports():
    run = fusiondiff.diff(ROOT / "fixtures/onnx/plain.onnx", ROOT / "fixtures/engine/trt11.json", force=True)
    finding = run.findings.where(rule="mapping/unexplained", message__contains="Cast").to_pandas().iloc[0]
    assert finding["nodes"] == ["#2 (Cast)"] and "`#2 (Cast)`" in finding["message"]


def test_directories_are_builds(tmp_path):
    build, wide = tmp_path / "build", tmp_path / "wide"
    for folder, engine in ((build, ENGINE), (wide, ROOT / "fixtures/compare/wide.json")):
        folder.mkdir()
        shutil.copy(MODEL, folder / "m.onnx")
        shutil.copy(engine, folder / "e.json")
    shutil.copy(PROFILE, build / "p.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fusiondiff.diff(build)
        assert run.json["layers"] == fusiondiff.diff(MODEL, ENGINE, profile=PROFILE).json["layers"]
        assert run.json["model"]["path"] == str(build / "m.onnx")
        kept = fusiondiff.snapshot(build)
        assert kept == fusiondiff.snapshot(MODEL, ENGINE, profile=PROFILE)
        (tmp_path / "kept").mkdir()
        (tmp_path / "kept" / "a.fsd").write_text(kept)
        assert not fusiondiff.check(kept, build).failed and fusiondiff.check(tmp_path / "kept", wide).failed
        assert fusiondiff.compare(build, wide).differs and not fusiondiff.compare((MODEL, ENGINE), build).differs
        assert fusiondiff.lint(build).json["engine"] == str(build / "e.json")
        made = list(fusiondiff.batch(tmp_path))
        assert [isinstance(one, fusiondiff.Run) for one in made] == [True, False, True] and len(made[0].layers) == 8
        assert len(list(fusiondiff.batch([build, wide]))) == 2
        cut, named = fusiondiff.cut(build, layers=1), fusiondiff.cut(MODEL, ENGINE, layers=1)
        assert cut.splitlines()[1:] == named.splitlines()[1:] and "Conv_4" in fusiondiff.code(build)
        assert fusiondiff.retype(MODEL, build) == fusiondiff.retype(MODEL, ENGINE)
        fusiondiff.annotate(None, build, tmp_path / "annotated.onnx")
        assert "issue.md" in fusiondiff.issue(build, tmp_path / "issue", layers=1)
        assert fusiondiff.bisect(MODEL, build).tensors == fusiondiff.bisect(MODEL, ENGINE).tensors
    shutil.copy(ENGINE, build / "f.json")
    with pytest.raises(fusiondiff.Error, match="expected one build, found both e.json and f.json"):
        fusiondiff.diff(build)
    with pytest.raises(fusiondiff.Error, match="found a directory and"):
        fusiondiff.diff(build, ENGINE)
    with pytest.raises(fusiondiff.Error, match="found a directory without"):
        fusiondiff.check(build, MODEL, ENGINE)
    (tmp_path / "b\xe4d\udcff\x1b").mkdir()
    with pytest.raises(fusiondiff.Error) as caught:
        fusiondiff.diff(tmp_path / "b\xe4d\udcff\x1b")
    assert caught.value.file.isprintable()
    for odd in (b"\xff", "none", 3):
        with pytest.raises(TypeError):
            list(fusiondiff.batch(odd))


def test_a_directory_is_no_name_of_what_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "(model)", "(engine)", "(snapshot)":
        (tmp_path / name).mkdir()
    build = MODEL.read_bytes(), ENGINE.read_bytes()
    assert len(fusiondiff.diff(*build).layers) == len(fusiondiff.diff(build[1]).layers) == 8
    assert not fusiondiff.check(fusiondiff.snapshot(*build), *build).failed


def test_arguments_are_explicit():
    """So that completion, help() and a misspelt word know them."""
    for function in (fusiondiff.Side, fusiondiff.diff, fusiondiff.compare, fusiondiff.snapshot, fusiondiff.check, fusiondiff.lint, fusiondiff.batch,
                     pytest_plugin.AssertFusions.__call__):
        parameters = inspect.signature(function).parameters
        assert not [name for name, it in parameters.items() if it.kind == it.VAR_KEYWORD]
        assert all(it.annotation is not it.empty for name, it in parameters.items() if name != "self") and inspect.getdoc(function)
    of_side = {name for name, it in inspect.signature(fusiondiff.Side).parameters.items() if it.kind == it.KEYWORD_ONLY} - {"label", "_of"}
    shown = {"values", "values_limit", "values_rows"}    # numbers that a run alone shows
    for function in fusiondiff.snapshot, fusiondiff.check, fusiondiff.lint, pytest_plugin.AssertFusions.__call__:
        assert of_side - shown <= set(inspect.signature(function).parameters)
    assert of_side <= set(inspect.signature(fusiondiff.diff).parameters)
    documented = set(re.findall(r"^    (\w+): ", inspect.getdoc(fusiondiff.Side), re.M))
    assert documented == of_side | {"model", "engine", "label"}
    with pytest.raises(TypeError, match="profiles"):
        fusiondiff.diff(MODEL, ENGINE, profiles=PROFILE)


def test_failed_build():
    failed = ROOT / "fixtures/failed"
    with_model, alone = (fusiondiff.failure(model, failed / "types.log") for model in (failed / "types.onnx", None))
    assert with_model.nodes == ["addmix"] and "same input types" in with_model.conclusion
    assert repr(with_model) == with_model.conclusion and with_model.json["class"] == "type"
    assert "model" not in alone.json and "<html" in with_model.to_html()
    with pytest.raises(fusiondiff.Error):
        fusiondiff.failure(None, ROOT / "fixtures/build_log/build.log")


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


def test_values_from_outside():
    values = ROOT / "fixtures/values"
    run = fusiondiff.diff(MODEL, ENGINE, values=[values / "good.npz", values / "bad.npz"], values_limit=.15)
    stated = run.json["values"]
    assert [stated["over"], stated["enters"][0]["tensor"]] == [2, "conv2.bn"]
    assert [pathlib.Path(stated[name]).name for name in ("reference", "path")] == ["good.npz", "bad.npz"]
    assert run.layers[3].extra["values"]["nan"] == 1
    assert fusiondiff.diff(MODEL, ENGINE, values=(values / "table.csv").read_bytes()).json["values"]["joined"] == 3
    with pytest.raises(fusiondiff.Error, match="an end record"):
        fusiondiff.diff(MODEL, ENGINE, values=[values / "good.npz", values / "cut.npz"])
    with pytest.raises(ValueError, match="values_limit"):
        fusiondiff.diff(MODEL, ENGINE, values_limit=0)


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


def test_models_out(tmp_path):
    part, drawn, given = (tmp_path / name for name in ("part.onnx", "drawn.npz", "given.npz"))
    assert "wrote" not in fusiondiff.cut(MODEL, nodes="Conv_13", output=part, inputs=drawn)
    assert part.exists()
    fusiondiff.cut(MODEL, nodes="Conv_13", inputs=given, values=drawn)
    assert given.read_bytes() == drawn.read_bytes()
    with pytest.raises(fusiondiff.Error, match="values of the part's input 'conv2.bn'"):
        fusiondiff.cut(MODEL, nodes="Add_15", inputs=tmp_path / "no.npz", output=tmp_path / "no.onnx", values=[drawn])
    with pytest.raises(ValueError, match="expected inputs"):
        fusiondiff.cut(MODEL, nodes="Conv_13", values=drawn)
    assert not list(tmp_path.glob("no*"))
    for name, args in (("a.onnx", (MODEL, ENGINE)), ("e.onnx", (None, ENGINE)), ("x.nodedata.json", (MODEL, ENGINE))):
        fusiondiff.annotate(*args, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert json.loads((tmp_path / "x.nodedata.json").read_text())["results"]["Conv_4"]["value"] == "int8"
    with pytest.raises(fusiondiff.Error):
        fusiondiff.annotate(MODEL, tmp_path / "none", tmp_path / "b.onnx")
    assert not (tmp_path / "b.onnx").exists()


def test_routes():
    builds = [(ROOT / "fixtures/routes/tuned/model.onnx", ROOT / f"fixtures/routes/tuned/iter{i}.json") for i in (0, 1, 2, 3, 5, 7)]
    found = fusiondiff.routes(builds, cache=ROOT / "fixtures/routes/tuning.jsonl")
    assert found.json == json.loads(printed("routes", ROOT / "fixtures/routes/tuning.jsonl", ROOT / "fixtures/routes/tuned", "-f", "json").stdout)
    assert [knob["knob"] for knob in found.knobs] == ["fuse_residual", "wide_accumulate", "kgen:tiling"]
    assert "needs    kgen:tiling=2" in repr(found)
    for wrong, words in (([], "two routes"), (builds[:1], "two routes"), (builds * 30, "at most 128 builds")):
        with pytest.raises(fusiondiff.Error, match=words):
            fusiondiff.routes(wrong)
    with pytest.raises(fusiondiff.Error, match="expected a tuning cache"):
        fusiondiff.routes(builds, cache=builds[0][1])


def test_bisect(tmp_path):
    search = fusiondiff.bisect(MODEL, ENGINE)
    assert not search.done and str(search).startswith("3 suspects left, ")
    search.model(tmp_path / "next.onnx")
    assert (tmp_path / "next.onnx").stat().st_size
    comparison = tmp_path / "comparison.json"
    comparison.write_text(json.dumps({"lst": [{"lst": [[["a", "b"], [{"output": {"passed": True}}]]]}]}))
    assert search.judge(comparison) == "good"
    comparison.write_text(json.dumps({"lst": []}))
    with pytest.raises(fusiondiff.Error, match="found a file without iterations"):
        search.judge(comparison)
    values = ROOT / "fixtures/values"
    assert search.judge_values(values / "good.npz", values / "good.npz") == "good"
    assert search.judge_values(values / "good.npz", values / "bad.npz") == "bad"
    assert search.judge_values(values / "good.npz", values / "bad.npz", limit=.5) == "good"
    with pytest.raises(fusiondiff.Error, match="found another kind of file"):
        search.judge_values(values / "good.npz", values / "table.csv")
    with pytest.raises(ValueError, match="limit"):
        search.judge_values(values / "good.npz", values / "good.npz", limit=0)
    split = ROOT / "fixtures/compare/split.json"
    assert search.take("bad", ENGINE).startswith("bad: 3 suspects left, about 5 more builds.")
    assert search.take("good", split).startswith("good: 1 suspect left, about 1 more build.")
    assert search.take("bad").startswith("bad: 1 suspect left.")
    assert search.done and "This fusion causes the failure:" in str(search) and search.log.startswith("bad  0 fusions changed")
    search.save(tmp_path / "state")
    assert fusiondiff.Bisection.read(tmp_path / "state").log == search.log
    with pytest.raises(fusiondiff.Error, match="the search is complete"):
        search.take("bad")
    with pytest.raises(ValueError, match="expected 'good', 'bad' or 'skip'"):
        search.take("fair")
    with pytest.raises(TypeError, match="model: expected a path, found bytes"):
        fusiondiff.bisect(b"", ENGINE)


def test_issue(tmp_path):
    files = fusiondiff.issue((MODEL, ENGINE), tmp_path / "plain")
    assert sorted(os.listdir(tmp_path / "plain")) == sorted(files) and "issue.md" in files
    fusiondiff.issue((MODEL, ENGINE), tmp_path / "hidden", nodes="Conv_13", anonymize=True, no_weights=True)
    assert "Conv_13" in json.loads((tmp_path / "hidden.names.json").read_text()).values()
    assert b"Conv_13" not in (tmp_path / "hidden" / "issue.md").read_bytes()
    fusiondiff.issue((MODEL, ENGINE), tmp_path / "two", before=(MODEL, ENGINE), nodes="Conv_13")
    assert "The layers of the previous build" in (tmp_path / "two" / "issue.md").read_text()
    parts = []

    def build(part):
        parts.append(pathlib.Path(part).read_bytes())
        return ENGINE

    files = fusiondiff.issue((MODEL, ENGINE), tmp_path / "built", verify=build)
    assert "part.log" in files and (tmp_path / "built" / "part.log").read_bytes() == pathlib.Path(ENGINE).read_bytes()
    assert "built the part alone (part.log), and the finding occurs in that build, too." in (tmp_path / "built" / "issue.md").read_text()
    assert parts == [(tmp_path / "built" / "part.onnx").read_bytes()]
    there = sorted(os.listdir(tmp_path))
    with pytest.raises(fusiondiff.Error, match="expected an engine built from"):
        fusiondiff.issue((MODEL, ENGINE), tmp_path / "none", nodes="Conv_13", verify=build)
    with pytest.raises(FileNotFoundError):
        fusiondiff.issue((MODEL, ENGINE), tmp_path / "none", nodes="Conv_13", verify=lambda part: tmp_path / "no.log")
    with pytest.raises(fusiondiff.Error, match="a finding of nix"):
        fusiondiff.issue((MODEL, ENGINE), tmp_path / "none", finding="nix")
    with pytest.raises(FileExistsError):
        fusiondiff.issue((MODEL, ENGINE), tmp_path / "plain")
    with pytest.raises(ValueError, match="anonymize"):
        fusiondiff.issue((MODEL, ENGINE), tmp_path / "none", names=tmp_path / "names")
    assert sorted(os.listdir(tmp_path)) == there


def test_pictures(monkeypatch):
    """By the program that the extra `pictures` installs: beside the package, though its folder is on no PATH."""
    monkeypatch.setenv("PATH", "/")
    monkeypatch.delenv("FUSIONDIFF_DOT", raising=False)
    run = fusiondiff.diff(MODEL, ENGINE)
    with pytest.raises(fusiondiff.Error, match="graphviz-pure is on the PATH"):
        run.write("svg")
    fusiondiff._find_layout()
    assert run.write("svg").rstrip().endswith("</svg>")
    assert '"svg":' in run.to_html()
    assert printed(MODEL, ENGINE, "-f", "svg").stdout == run.write("svg")
    monkeypatch.delenv("FUSIONDIFF_DOT")    # what runs the program finds it for itself
    assert printed(MODEL, ENGINE, "-f", "svg").stdout.rstrip().endswith("</svg>")
    assert printed("doctor").stdout.split("\n")[1].endswith("laid out by Graphviz: svg, png")
