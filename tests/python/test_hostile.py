"""What strangers' files and careless callers may do to the package: the interpreter lives on, and what is
raised is an Error, a TypeError or a ValueError."""

import copy
import datetime
import html.parser
import inspect
import io
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import pytest

import fusiondiff
from fusiondiff import pytest_plugin

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = str(ROOT / "fixtures/qat_block/model.onnx")
ENGINE = str(ROOT / "fixtures/qat_block/engine.graph.json")
WIDE = str(ROOT / "fixtures/compare/wide.json")
KINDS = (fusiondiff.Error, TypeError, ValueError)
CONTROLS = set(range(32)) - {9, 10} | {0x7F, *range(0x80, 0xA0), 0x202E}


def attempt(function, *args, **options):
    """What comes back, or what is raised, if it may be."""
    try:
        return function(*args, **options)
    except KINDS as error:
        assert not CONTROLS & set(map(ord, str(error))) or not isinstance(error, fusiondiff.Error), repr(str(error))
        return error


pytestmark = pytest.mark.filterwarnings("ignore:.*names in the engine's layers")

# ---------------------------------------------------------------------------- files

def test_odd_paths(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    os.symlink("loop", tmp_path / "loop")
    (tmp_path / "empty").write_bytes(b"")
    odd = ["", "x" * 5000, "\udcff.onnx", "\x1b[31m\n::error::.onnx", "##[error]x", "\u202e.json", str(tmp_path), "/dev/zero",
           "/proc/self/mem", *(str(tmp_path / name) for name in ("fifo", "loop", "empty", "none"))]
    snapshot = fusiondiff.snapshot(MODEL, ENGINE).encode()
    for path in odd:
        for call in (lambda: fusiondiff.diff(path, ENGINE), lambda: fusiondiff.diff(MODEL, path), lambda: fusiondiff.diff(path),
                     lambda: fusiondiff.diff(MODEL, ENGINE, log=path), lambda: fusiondiff.diff(MODEL, ENGINE, profile=path),
                     lambda: fusiondiff.diff(MODEL, ENGINE, times=path), lambda: fusiondiff.check(path, MODEL, ENGINE),
                     lambda: fusiondiff.check(snapshot, MODEL, ENGINE, policy=path), lambda: fusiondiff.lint(path),
                     lambda: fusiondiff.compare(path, (MODEL, ENGINE)), lambda: fusiondiff.snapshot(MODEL, path)):
            error = attempt(call)
            if isinstance(error, fusiondiff.Check) and os.path.getsize(path) == 0:
                continue    # an empty policy is one
            assert isinstance(error, fusiondiff.Error) and error.status in ("io", "format", "arg", "mismatch", "limit"), (path, error)
    assert not isinstance(attempt(fusiondiff.batch, odd), Exception)
    assert all(isinstance(made, fusiondiff.Error) for made in fusiondiff.batch(odd))


def test_a_path_ends_where_it_ends():
    """A zero is no end of a name: another file would be read."""
    for call in (lambda: fusiondiff.diff(MODEL + "\0x", ENGINE), lambda: fusiondiff.diff(MODEL, ENGINE, log=ENGINE + "\0.log"),
                 lambda: fusiondiff.diff(MODEL, ENGINE, shapes=["x=1\0"]),
                 lambda: fusiondiff.diff(MODEL, ENGINE).view("where", "Relu_7\0x"),
                 lambda: fusiondiff.diff(MODEL, ENGINE).view("where\0", "Relu_7"), lambda: fusiondiff.diff("\ud800", ENGINE)):
        with pytest.raises(ValueError):
            call()


def test_names_of_files_that_are_no_text(tmp_path):
    for name in (b"\xff\x1b[31m.onnx", b"a\nb.onnx", "\u202e\u009b.onnx".encode(), b"(model)"):
        path = os.path.join(os.fsencode(tmp_path), name)
        with open(MODEL, "rb") as model, open(path, "wb") as other:
            other.write(model.read())
        run = fusiondiff.diff(os.fsdecode(path), ENGINE)
        assert not CONTROLS & set(map(ord, str(run))) and run.json["nodes"] == fusiondiff.diff(MODEL, ENGINE).json["nodes"]
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            fusiondiff.snapshot(os.fsdecode(path), WIDE)
            fusiondiff.compare((os.fsdecode(path), ENGINE), (MODEL, WIDE))
        assert not CONTROLS & set(map(ord, "".join(str(note.message) for note in noted)))


def test_a_path_is_no_name_of_what_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert attempt(fusiondiff.diff, pathlib.Path(MODEL).read_bytes(), "(model)").status == "io"
    (tmp_path / "(model)").write_bytes(pathlib.Path(ENGINE).read_bytes())
    assert len(fusiondiff.diff(pathlib.Path(MODEL).read_bytes(), "(model)").layers) == 8


def test_what_a_fixture_writes(tmp_path, monkeypatch):
    """A snapshot is the old one or the new one, whole; no link leads out of its folder."""
    at = tmp_path / "in" / "a.fsd"
    at.parent.mkdir()
    pytest_plugin._write(at, "old")
    at.chmod(0o640)
    link = tmp_path / "link.fsd"
    link.symlink_to("in/a.fsd")
    pytest_plugin._write(link, "new")
    assert link.is_symlink() and at.read_text() == "new" and at.stat().st_mode & 0o777 == 0o640
    out = at.parent / "out.fsd"
    for target in ("../elsewhere", "/tmp/fusiondiff-elsewhere"):
        out.symlink_to(target)
        with pytest.raises(PermissionError):
            pytest_plugin._write(out, "new")
        out.unlink()
    done = []
    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, lambda *args, name=name, call=getattr(os, name): (done.append(name), call(*args)))
    pytest_plugin._write(at, "newer")
    assert done == ["fsync", "replace", "fsync"]
    monkeypatch.setattr(os, "replace", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pytest_plugin._write(at, "newest")
    assert at.read_text() == "newer" and os.listdir(at.parent) == ["a.fsd"] and not (tmp_path / "elsewhere").exists()


# -------------------------------------------------------------------------- content

NAMES = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\x1b[31mred\x1b[0m", "a\nb\tc", "::error file=x::y", "##[error]z",
         "\u202eevil\u2066", "=1+1|cmd", "`@everyone` #12", "\"'&;--", "x" * 100000, "\U0001f600\ufffe", "\\u0000", "]", ""]


def engine_of(names):
    layers = [{"Name": name, "LayerType": name or "x", "Inputs": [{"Name": "t%d" % i, "Dimensions": [1], "Format/Datatype": name}],
               "Outputs": [{"Name": name + "t%d" % (i + 1), "Dimensions": [1], "Format/Datatype": "fp16"}]} for i, name in enumerate(names)]
    return json.dumps({"Layers": layers, "Bindings": ["t0"]}).encode()


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.found


def test_hostile_names_in_every_form():
    run = fusiondiff.diff(MODEL, engine_of(NAMES), force=True)
    assert [layer.name for layer in run.layers] == NAMES
    for form in ("text", "json", "markdown", "csv", "html", "junit", "sarif", "github", "gitlab", "dot", "line"):
        made = attempt(run.write, form)
        assert isinstance(made, (str, ValueError, fusiondiff.Error)) and (isinstance(made, Exception) or "\x1b" not in made)
    assert tags(run._repr_html_()) == {"iframe"} and not {0x1B, 0x202E} & set(map(ord, repr(run)))
    for table in (run.layers, run.nodes, run.findings, run.layers[:2]):
        assert tags(table._repr_html_()) <= {"table", "tr", "th", "td", "br", "p"}
        assert not {0x1B, 0x202E} & set(map(ord, repr(table)))
    comparison = fusiondiff.compare((MODEL, ENGINE), fusiondiff.Side(MODEL, engine_of(NAMES), force=True))
    assert comparison.differs and tags(comparison._repr_html_()) == {"iframe"} and "\x1b" not in str(comparison)
    kept = fusiondiff.snapshot(MODEL, engine_of(NAMES), force=True)
    assert not fusiondiff.check(kept.encode(), MODEL, engine_of(NAMES), force=True).failed


def test_bytes_that_are_no_dump():
    good = pathlib.Path(ENGINE).read_bytes()
    model = pathlib.Path(MODEL).read_bytes()
    bad = [b"", b"\0", b"\xff\xfe" * 99, b"{", b"[" * 100000, b'{"Layers":[{"Name":"\\ud800"}]}', b'{"Layers":["\xff"]}',
           b'{"Layers":["a\\u0000b"]}', b'{"Layers":[' + b"1," * 1000000, bytes(64 << 20), good[:len(good) // 2], good + good,
           model[:len(model) // 2], b"\x1f\x8b" + good, b"\n" * 1000000]
    for data in bad:
        for call in (lambda: fusiondiff.diff(data), lambda: fusiondiff.diff(data, ENGINE), lambda: fusiondiff.diff(MODEL, data, force=True),
                     lambda: fusiondiff.diff(MODEL, ENGINE, log=data, profile=[data, data], times=data),
                     lambda: fusiondiff.check(data, MODEL, ENGINE, policy=data), lambda: fusiondiff.lint(data, policy=data)):
            made = attempt(call)
            assert isinstance(made, (*KINDS, fusiondiff.Run, fusiondiff.Check, fusiondiff.Linting))
            if not isinstance(made, Exception):
                made.write("json"), made.write("text")


# ------------------------------------------------------------------------ arguments

MENU = [None, True, -1, 0, 3, 2**31, 2**32 + 1, 2**64, 2**70, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "a\0b", "x" * 100000, b"",
        b"x", bytearray(b"x"), [], [None], ["x"], (), (1, 2), (0, -1), {}, {"a": 1}, object(), print, type, ..., datetime.date(1, 1, 1),
        range(200), io.BytesIO(b"x"), [b"[]"] * 65]


def test_wrong_arguments():
    snapshot = fusiondiff.snapshot(MODEL, ENGINE).encode()
    run = fusiondiff.diff(MODEL, ENGINE)
    check, linting = fusiondiff.check(snapshot, MODEL, ENGINE), fusiondiff.lint(MODEL)
    side = {"model": MODEL, "engine": ENGINE}
    calls = [(fusiondiff.Side, side), (fusiondiff.diff, side), (fusiondiff.snapshot, side),
             (fusiondiff.compare, {"before": (MODEL, ENGINE), "after": (MODEL, WIDE)}),
             (fusiondiff.check, {**side, "snapshot": snapshot}), (fusiondiff.lint, {"model": MODEL}),
             (lambda pairs, jobs=1: list(fusiondiff.batch(pairs, jobs=jobs)), {"pairs": [(MODEL, ENGINE)]}),
             *((made.write, {"format": "text"}) for made in (run, check, linting))]
    options = [name for name, it in inspect.signature(fusiondiff.Side.__init__).parameters.items() if it.kind == it.KEYWORD_ONLY]
    tried = 0
    for function, good in calls:
        more = options if function in (fusiondiff.Side, fusiondiff.diff, fusiondiff.snapshot, fusiondiff.check, fusiondiff.lint) else []
        names = [name for name, it in inspect.signature(function).parameters.items() if it.kind not in (it.VAR_KEYWORD, it.VAR_POSITIONAL)]
        for name in dict.fromkeys([*names, *more]):
            for value in MENU:
                if name in ("self", "_of") or name == "jobs" and isinstance(value, int) and value > 99:
                    continue    # so many threads are what was asked for
                attempt(function, **{**good, name: value})
                tried += 1
    for value in MENU:
        attempt(run.view, value), attempt(run.view, "where", value), attempt(run.view, "where", "Relu_7", format=value)
        attempt(run.view, "where", "Relu_7", width=value), attempt(fusiondiff.Run(value).write, "text"), attempt(fusiondiff.Check(value).update)
    assert tried > 1500


def test_numbers_are_not_cut_off():
    for option in ({"engine_number": 2**32 + 1}, {"engine_number": -1}, {"opt_profile": -1}, {"opt_profile": 2**32 - 1}, {"peak": (1e999, 1)},
                   {"peak": (0, 1)}, {"peak": (1, float("nan"))}):
        with pytest.raises(ValueError, match=next(iter(option))):
            fusiondiff.diff(MODEL, ENGINE, **option)
    with pytest.raises(ValueError, match="width"):
        fusiondiff.diff(MODEL, ENGINE).write("text", width=2**32 + 80)
    with pytest.raises(TypeError, match="today"):
        fusiondiff.lint(MODEL, today="2026-01-01")
    with pytest.raises(fusiondiff.Error, match="no input of that name"):
        fusiondiff.diff(MODEL, ENGINE, shapes="nowhere=1x2")


def test_many_in_memory():
    many = fusiondiff.Side(pathlib.Path(MODEL).read_bytes(), pathlib.Path(ENGINE).read_bytes(), profile=[b"[]"] * 64)
    with pytest.raises(ValueError, match="at most"):
        fusiondiff.compare(many, many)
    with pytest.raises(ValueError, match="at most"):
        fusiondiff.diff(MODEL, ENGINE, profile=[ENGINE] * 65)


# ---------------------------------------------------------------------------- lives

def test_what_was_made_outlives_what_it_was_made_of(tmp_path):
    """Nothing of the call that made it is needed later: no path, no bytes, nobody who hears notes."""
    kept = tmp_path / "several.fsd"
    subprocess.run([sys.executable, "-m", "fusiondiff", "snapshot", MODEL, ENGINE, "--also", MODEL + "," + WIDE, "-q", "-o", str(kept)], check=True)
    check = fusiondiff.check(kept.read_bytes(), MODEL, ENGINE, policy=b"[latency]\nlevel = off\n")
    os.unlink(kept)
    for _ in range(50):
        fusiondiff.diff(MODEL, ENGINE)
    with pytest.warns(UserWarning, match="of its variants"):
        assert check.update().startswith("fusiondiff snapshot")
    for form in ("text", "json", "html", "junit"):
        assert "(snapshot)" in check.write(form) or form == "junit"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            check.update()


def test_copies():
    run = fusiondiff.diff(MODEL, ENGINE)
    assert copy.copy(run).write("json") == run.write("json")
    for function in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            function(run)
    for table in (run.layers, run.nodes, run.findings):
        assert list(pickle.loads(pickle.dumps(table))) == list(copy.deepcopy(table)) == list(table)
    error = attempt(fusiondiff.diff, MODEL, b"{\n")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is fusiondiff.Error and vars(again) == vars(error) and str(again) == str(error)
    absent = attempt(fusiondiff.diff, "absent", ENGINE)
    assert copy.deepcopy(absent).position is None and str(copy.copy(absent)) == str(absent)


def test_a_handle_of_another_kind():
    run, linting = fusiondiff.diff(MODEL, ENGINE), fusiondiff.lint(MODEL)
    for made in (fusiondiff.Comparison(run._handle), fusiondiff.Comparison(linting._handle), fusiondiff.Comparison(None)):
        with pytest.raises(ValueError):
            made.differs
    with pytest.raises(ValueError):
        fusiondiff.Check(run._handle).update()
    with pytest.raises(ValueError):
        fusiondiff.Run(linting._handle).view("top")


def test_threads_share_what_was_made():
    run = fusiondiff.diff(MODEL, ENGINE)
    forms = ["json", "text", "markdown", "dot", "sarif"]      # what html holds depends on the time that a layout takes
    want = {form: run.write(form) for form in forms}
    bad = []

    def work(i):
        for k in range(10):
            form = forms[(i + k) % len(forms)]
            if run.write(form) != want[form] or not isinstance(attempt(fusiondiff.diff, MODEL, b"{" * (i + k)), fusiondiff.Error):
                bad.append(form)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad


INTERRUPTED = """
import signal, sys, fusiondiff
shown = 0
signal.signal(signal.SIGALRM, signal.default_int_handler)
for i in range(9999):
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, .0002 * (i % 50 + 1))
            for run in fusiondiff.batch([sys.argv[1:]] * 4, jobs=2) if i % 2 else [fusiondiff.diff(*sys.argv[1:])] * 99:
                run.write("json")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        shown += 1
    except RuntimeError as error:   # CPython's own: the interrupt came while a future took its lock again
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        shown += 1
    if shown == 60:
        break
assert fusiondiff.diff(*sys.argv[1:]).layers
print(shown)
"""


def test_interrupts():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, MODEL, ENGINE], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) == 60, done.stderr[-2000:]


# ---------------------------------------------------------------------------- outputs that are inputs

def copies(folder):
    """The pair and others beside it, which calls may read."""
    for name, source in (("m.onnx", MODEL), ("e.json", ENGINE), ("wide.json", WIDE)):
        (folder / name).write_bytes(pathlib.Path(source).read_bytes())
    fusiondiff.cut(folder / "m.onnx", nodes="Conv_13", inputs=folder / "v.npz")
    (folder / "policy.ini").write_text("[layer-count]\nlevel = info\n")
    fusiondiff.bisect(folder / "m.onnx", folder / "e.json").save(folder / "state")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def overwriting_calls(folder):
    """Each function that has an output path, and the names of the files that it reads."""
    model, engine = folder / "m.onnx", folder / "e.json"
    search = fusiondiff.Bisection.read(folder / "state")
    begun = fusiondiff.bisect(model, engine)
    linting = fusiondiff.lint(model, builder="trt8", policy=folder / "policy.ini")
    pair, state = ["m.onnx", "e.json"], ["m.onnx", "e.json", "state"]
    return {
        "fix": (lambda out: linting.fix(out, scales={"skip": 0.05}), ["m.onnx", "policy.ini"]),
        "cut": (lambda out: fusiondiff.cut(model, engine, out, nodes="Conv_4"), pair),
        "cut inputs": (lambda out: fusiondiff.cut(model, engine, folder / "part.onnx", nodes="Conv_13", inputs=out,
                                                  values=folder / "v.npz"), [*pair, "v.npz"]),
        "annotate": (lambda out: fusiondiff.annotate(model, engine, out), pair),
        "retype": (lambda out: fusiondiff.retype(model, engine, out), pair),
        "issue": (lambda out: fusiondiff.issue((model, engine), folder / "report", layers=[1], anonymize=True, no_weights=True,
                                               names=out), pair),
        "search model": (search.model, state),
        "search save": (search.save, pair),
        "begun model": (begun.model, pair),
        "begun save": (begun.save, pair),
    }


@pytest.mark.parametrize("how", ["path", "dotted", "hard", "link"])
def test_no_output_replaces_an_input(tmp_path, how):
    before = copies(tmp_path)
    calls = overwriting_calls(tmp_path)
    for what, (call, names) in calls.items():
        for name in names:
            output = {"path": tmp_path / name, "dotted": f"{tmp_path}/./{name}"}.get(how, tmp_path / "again")
            if how == "hard":
                os.link(tmp_path / name, output)
            elif how == "link":
                os.symlink(name, output)
            with pytest.raises(fusiondiff.Error, match="one of the inputs") as error:
                call(output)
            assert error.value.status == "arg" and os.path.basename(error.value.file) in (name, "again"), what
            if how in ("hard", "link"):
                os.unlink(output)
            assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before, (what, name)


def test_other_outputs_are_written(tmp_path):
    copies(tmp_path)
    for what, (call, _) in overwriting_calls(tmp_path).items():
        call(tmp_path / "new.onnx")
        assert (tmp_path / "new.onnx").stat().st_size, what
        (tmp_path / "new.onnx").unlink()
        if (tmp_path / "report").exists():
            for path in (tmp_path / "report").iterdir():
                path.unlink()
    search = fusiondiff.Bisection.read(tmp_path / "state")
    old = (tmp_path / "state").read_bytes()
    search.take("skip")
    search.save(tmp_path / "state")    # which is its own
    assert (tmp_path / "state").read_bytes() != old
