"""Shows how TensorRT transformed an ONNX model.

>>> import fusiondiff
>>> run = fusiondiff.diff("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json")
>>> [layer.name for layer in run.layers if layer.inserted and layer.kind == "reformat"]
['Reformatting CopyNode for Input Tensor 0 to GlobalAveragePool_18']
>>> run.nodes.where(fate="merged")[0].name
'Relu_7'

Inputs are paths, bytes, or an ``onnx.ModelProto``; a snapshot may also be the text that snapshot() returned. A directory of one model, one
engine and its measurements is a build. Calls release the GIL, so threads run in parallel; Python handles signals after a call. An
unreadable input raises :class:`Error`, a wrong argument TypeError or ValueError.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import datetime
import functools
import json
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, Union

from . import _native
from ._objects import Block, Change, Edge, Edit, Finding, Form, Group, Layer, Link, Node, Port, Record, Region, Table, Violation, printable

__all__ = ["Bisection", "Block", "Change", "Check", "Comparison", "Edge", "Edit", "Error", "Failure", "Finding", "Form", "Group", "Input", "Layer",
           "Link", "Linting", "Node", "Port", "Record", "Region", "Routes", "Run", "Side", "Table", "Violation", "annotate", "batch", "bisect", "check", "code", "compare", "cut", "diff", "failure", "issue", "lint", "retype",
           "routes", "snapshot"]
__version__ = _native.version



def _find_layout() -> None:
    """Sets FUSIONDIFF_DOT to the program that lays out pictures, if no such program is on the PATH. The extra ``pictures`` installs it into
    the scripts folder of the environment, which is on the PATH only while the environment is active."""
    if "FUSIONDIFF_DOT" in os.environ or shutil.which("dot") or shutil.which("graphviz-pure"):
        return
    beside = os.path.join(sysconfig.get_path("scripts"), "graphviz-pure" + (".exe" if os.name == "nt" else ""))
    if os.path.isfile(beside):
        os.environ["FUSIONDIFF_DOT"] = beside


_find_layout()


class _Serializable(Protocol):  # onnx.ModelProto
    def SerializeToString(self) -> bytes: ...


Input = Union[str, "os.PathLike[str]", bytes, _Serializable]
View = Literal["buildtime", "explain", "inside", "memory", "names", "parts", "patterns", "reformats", "retype", "scopes", "skipped", "tensors", "top", "where"]


class Error(Exception):
    """Raised for an input that cannot be read, and for inputs that do not belong together.

    ``status`` is a stable word ("format", "mismatch", ...). ``file`` may be empty. ``position`` is a number of bytes or lines, as ``unit``
    states; None: unknown.
    """

    def __init__(self, status: str, message: str, file: str, unit: str, position: int) -> None:
        self.status, self.message, self.file, self.unit = status, message, file, unit
        self.position = position if unit else None
        where = file + (f":{position}" if unit else "")
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self) -> tuple[Any, ...]:    # for pickle, for example in a worker process
        return type(self), (self.status, self.message, self.file, self.unit, self.position or 0)


def _call(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except _native.Error as error:
        status, message, file, unit, position = error.args
        raise Error(status, printable(message), printable(file), unit, position) from None


def _text(function: Any, *args: Any) -> str:
    printed: bytes = _call(function, *args)
    return printed.decode()


def _file(value: Input, name: str) -> Any:
    """Converts an input to the form that _native accepts: an encoded path, or a pair of a name and the contents."""
    if isinstance(value, str) and value.startswith("fusiondiff snapshot ") and "\n" in value:
        value = value.encode()    # the text is a snapshot
    if isinstance(value, (str, os.PathLike)):
        path = os.fsencode(value)
        return b"./" + path if path.startswith(b"(") else path    # only names of inputs in memory begin with a bracket
    if not isinstance(value, bytes) and not hasattr(value, "SerializeToString"):
        raise TypeError(f"{name}: expected a path, bytes or an onnx.ModelProto, found {type(value).__name__}")
    held = value if isinstance(value, bytes) else value.SerializeToString()
    return f"({name})".encode(), held


def _number(value: int, name: str) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{name}: expected a number, found {type(value).__name__}")
    if not 0 <= value < 2**31 - 1:
        raise ValueError(f"{name}: expected a number from 0, found {value}")
    return value


class Side:
    """One build: a model, its engine, and measurements; or a directory of these files.

    Args:
        model: the ONNX model, or a build log that lists its nodes.  A single argument is the engine, a snapshot or a directory.
        engine: the engine's layer dump, or its verbose build log; a list if several engines compute the model, each of them a part.
        log: the verbose build log that belongs to a dump.
        profile: layer times, from trtexec --exportProfile; a list for several profiles: each layer gets the median of its times.
        times: times of whole runs, from trtexec --exportTimes.
        shapes: sizes of dynamic inputs, e.g. "images=1x3x224x224".
        engine_number: the engine, for a log of several engines, counted from 1; 0: the log has only one.
        opt_profile: the optimization profile, for an engine with several, counted from 0; None: the first.
        peak: peak bandwidth in GB/s and peak compute in TOP/s of the device, for the roofline.
        force: continue even if model and engine do not belong together.
        values: the files of the option --values: a table, or one or two sets of tensors. Of two sets, the first is the reference.
        values_limit: a tensor is wrong from this relative L2 error on; None: 0.01.
        values_rows: compare the rows of the batch within one set of tensors; the rows of the input must be equal.
        label: a name for the build, e.g. "sm86"; a snapshot records the label, and a check selects its snapshot by the label.

    Raises:
        TypeError, ValueError: an argument has the wrong type or is out of range.
    """

    def __init__(self, model: Input | None = None, engine: Input | Sequence[Input] | None = None, *, log: Input | None = None,
                 profile: Input | Sequence[Input] | None = None, times: Input | None = None,
                 shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
                 peak: tuple[float, float] | None = None, force: bool = False, label: str | None = None,
                 values: Input | Sequence[Input] | None = None, values_limit: float | None = None,
                 values_rows: bool = False, _of: str = "") -> None:
        if engine is None:
            model, engine = None, model
        if engine is None:
            raise ValueError("expected a model and an engine")
        parts: Sequence[Input] = ()
        if isinstance(engine, (list, tuple)):
            if not engine or model is None:
                raise ValueError("expected a model and the engines of its parts")
            parts, engine = engine, engine[0]
        files: dict[str, Any] = {"model": model, "engine": engine, "log": log, "times": times}
        self._options: dict[str, Any] = {name: _file(value, f"{_of}{name}") for name, value in files.items()
                                         if value is not None}
        several: dict[str, Any] = {"profile": profile, "values": values}
        for name, given in several.items():
            listed = [] if given is None else given if isinstance(given, (list, tuple)) else [given]
            key = "profiles" if name == "profile" else name
            self._options[key] = [_file(value, f"{_of}{name} {i}") for i, value in enumerate(listed)]
        if values_limit is not None:
            if not 0 < float(values_limit) <= 1e9:
                raise ValueError(f"values_limit: expected a number above 0, found {values_limit}")
            self._options["values_limit"] = float(values_limit)
        if values_rows:
            self._options["values_rows"] = True
        self._options["parts"] = [_file(value, f"{_of}engine {i}") for i, value in enumerate(parts)]
        self._options["shapes"] = [os.fsencode(shape) for shape in ([shapes] if isinstance(shapes, str) else shapes)]
        if label is not None:
            self._options["label"] = os.fsencode(label)
        self._options["engine_number"] = _number(engine_number, "engine_number")
        self._options["opt_profile"] = 0 if opt_profile is None else _number(opt_profile, "opt_profile") + 1
        self._options["force"] = bool(force)
        if peak is not None:
            gb_s, top_s = map(float, peak)
            if not (0 < gb_s <= 1e9 and 0 < top_s <= 1e9):
                raise ValueError(f"peak: expected the device's GB/s and TOP/s, found {peak}")
            self._options["peak_gb_s"], self._options["peak_top_s"] = gb_s, top_s


def _side(build: Side | Sequence[Input] | Input, of: str = "") -> Side:
    """Converts a build to a Side, from each form that functions accept: a Side, a pair, or a single file."""
    if isinstance(build, Side):
        return build
    return Side(*build, _of=of) if isinstance(build, (list, tuple)) else Side(build, _of=of)  # type: ignore[arg-type]


def _day(day: datetime.date | None) -> int:
    """The date as the number YYYYMMDD, for the C library; None: today."""
    if day is None:
        day = datetime.date.today()
    if not isinstance(day, datetime.date):
        raise TypeError(f"today: expected a date, found {type(day).__name__}")
    return day.year * 10000 + day.month * 100 + day.day


class _Report:
    """The methods that all reports have in common."""

    def __init__(self, handle: object) -> None:
        self._handle = handle

    def write(self, format: str, *, width: int = 0, all: bool = False) -> str:
        """Returns the report in a format of the program: "text", "json", "markdown", "csv", "html", "dot", "svg", ...

        Args:
            format: a format of this kind of report; if it is another one, the :class:`Error` lists the allowed formats.
            width: width of a text in columns; 0: 100.
            all: do not fold layers, and do not shorten lists.
        """
        return _text(_native.write, self._handle, format, _number(width, "width"), all)

    @functools.cached_property
    def json(self) -> Any:
        """The complete report as parsed JSON; its schema is public."""
        return json.loads(self.write("json"))

    def to_html(self) -> str:
        """Returns the HTML page, which is a single file without dependencies."""
        return self.write("html")

    def __str__(self) -> str:
        return self.write("text")


class _Paged(_Report):
    """A report that a notebook shows as a page."""

    def _repr_html_(self) -> str:
        import html

        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="fusiondiff"></iframe>'


def _lines(brief: list[dict[str, str]]) -> str:
    """Joins the first lines of a report, which state its conclusion."""
    return "\n".join(printable(f"{line['topic']:9}{line['text']}") for line in brief)


def _todo(brief: list[dict[str, str]]) -> list[str]:
    return [line["text"] for line in brief if line["topic"] == "to do"]


class Run(_Paged):
    """The report on one build, from :func:`diff`. Its repr is the summary."""

    def __repr__(self) -> str:
        return _lines(self.summary["brief"])

    @functools.cached_property
    def _names(self) -> list[str]:
        return _native.node_names(self._handle)

    @functools.cached_property
    def layers(self) -> Table[Layer]:
        """The engine's layers, in their order."""
        layers = [Layer.from_json(item) for item in self.json["layers"]]
        fates = [node["fate"] for node in self.json["nodes"]]
        for layer in layers:
            for link in layer.nodes:
                link.name = self._names[link.index]
                link.computed = fates[link.index] == "layer"
        return Table(layers, Layer, self._names)

    @functools.cached_property
    def nodes(self) -> Table[Node]:
        """The model's nodes, in their order."""
        return Table([Node.from_json(item) for item in self.json["nodes"]], Node, self._names)

    @functools.cached_property
    def findings(self) -> Table[Finding]:
        """The findings: the problems that a reviewer should examine."""
        return Table([Finding.from_json(item) for item in self.json["findings"]], Finding, self._names)

    @functools.cached_property
    def blocks(self) -> Table[Block]:
        """The blocks that users expect as one kernel, such as attentions; with the reason if a block is not one kernel."""
        listed = json.loads(self.view("patterns", format="json"))["blocks"]
        return Table([Block.from_json(item) for item in listed], Block, self._names)

    @property
    def todo(self) -> list[str]:
        """The advice of the summary, the largest gain first."""
        return _todo(self.summary["brief"])

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the report: all counts."""
        summary: dict[str, Any] = self.json["summary"]
        return summary

    def view(self, name: View, *words: str, format: str = "text", width: int = 0, free: bool = False,
             break_at: str | int | None = None, form: str | None = None) -> str:
        """Returns the view with this name, in the form that the verb of this name prints.

        Args:
            name: "top", "reformats", "where", "inside", ...; an unknown name raises an :class:`Error` that lists the views.
            words: names or patterns of nodes or layers, for views that need them.
            format: "text", "json", "markdown" or "csv".
            width: width of a text in columns; 0: 100.
            free: for "tensors": list only tensors that can be marked as outputs without a change of fusions.
            break_at: for "tensors": the layer whose fusion is to be split: its number, its name, a pattern, or "node:12".
            form: for "tensors" and "names": the form of the list, a value of the option ``--as``.

        >>> print(diff("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json").view("tensors", free=True, form="names"))
        relu1
        relu2
        pool
        <BLANKLINE>
        """
        return _text(_native.view, self._handle, name, [os.fsencode(word) for word in words], format,
                               _number(width, "width"), free, None if break_at is None else str(break_at), form)


class Comparison(_Paged):
    """The changes between two builds, from :func:`compare`. Its repr is the beginning of the text: causes and counts."""

    def __repr__(self) -> str:
        blocks = str(self).split("\n\n")
        return "\n\n".join(blocks[:1 + blocks[0].startswith("changed ")])

    @functools.cached_property
    def regions(self) -> Table[Region]:
        """The regions: nodes that layers group, before and after; the worst change first."""
        return Table([Region.from_json(item) for item in self.json["regions"]], Region)

    @functools.cached_property
    def edges(self) -> Table[Edge]:
        """The tensors with a different type or layout."""
        return Table([Edge.from_json(item) for item in self.json["edges"]], Edge)

    @functools.cached_property
    def changes(self) -> Table[Change]:
        """The differences between the inputs of the builds."""
        return Table([Change.from_json(item) for item in self.json["different"]], Change)

    @property
    def todo(self) -> list[str]:
        """The advice on the root cause; empty if no cause is known."""
        return list(self.json.get("says", []))[2:]

    @property
    def differs(self) -> bool:
        """Whether anything except times, tactics, generated names and layer order differs."""
        return _native.differs(self._handle)


class Routes(_Report):
    """The effect of each option, in builds with several sets of options; from :func:`routes`."""

    @property
    def knobs(self) -> list[dict[str, Any]]:
        """The options ("knobs") with the effect of each change of value, as in the JSON report."""
        return list(self.json["knobs"])

    def __repr__(self) -> str:
        return str(self).split("\n\n", 1)[0]


class Check(_Paged):
    """The comparison of a build with a snapshot, from :func:`check`. Its repr is the summary and the verdict."""

    def __repr__(self) -> str:
        return "\n".join(filter(None, (_lines(self.json["brief"]), self.json["verdict"])))

    @property
    def todo(self) -> list[str]:
        """The advice of the summary."""
        return _todo(self.json["brief"])

    @functools.cached_property
    def findings(self) -> Table[Violation]:
        """The violations of the snapshot or the policy, and notes."""
        return Table([Violation.from_json(item) for item in self.json["findings"]], Violation)

    @property
    def failed(self) -> bool:
        """Whether a rule of level error exceeds its budget."""
        return _native.failed(self._handle)

    def update(self) -> str:
        """Returns the snapshot with which the check would pass."""
        return _text(_native.update, self._handle)


def _dress(path: str, temporary: str) -> None:
    """Sets the mode of a temporary file, which is private at first: the mode of the file that it replaces, or of any new file."""
    try:
        mode = os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.chmod(temporary, mode)


class _Reads:
    """The files that calls read within ``recorded()``. No output may replace one of them."""

    def __init__(self) -> None:
        self._opened = _native.opened()

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        before = _native.record(self._opened)
        try:
            yield
        finally:
            _native.record(before)

    def refuse(self, *outputs: str | os.PathLike[str]) -> None:
        """Raises an Error if an output is one of the recorded files."""
        for output in outputs:
            if _native.was_opened(self._opened, os.fsencode(output)):
                raise Error("arg", "expected an output file, found one of the inputs", printable(os.fspath(output)), "", 0)


def _written(outputs: Sequence[str | os.PathLike[str]], write: Callable[..., str], reads: _Reads) -> str:
    """Calls ``write`` with a descriptor for each output, and returns its result. Each file appears completely or not at all.

    Some inputs are opened while an output is written, so the outputs are compared with all inputs before and after the write.
    """
    paths = [os.path.realpath(output) for output in outputs]
    temporaries: list[str] = []
    reads.refuse(*paths)
    try:
        with contextlib.ExitStack() as files:
            descriptors = []
            for path in paths:
                descriptor, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=os.path.dirname(path))
                temporaries.append(temporary)
                descriptors.append(files.enter_context(open(descriptor, "wb")).fileno())
            with reads.recorded():
                said = write(*descriptors)
            for descriptor in descriptors:
                os.fsync(descriptor)
        reads.refuse(*paths)
        for path in paths:
            _dress(path, temporaries[0])
            os.replace(temporaries[0], path)
            del temporaries[0]
    except BaseException:
        for temporary in temporaries:
            os.unlink(temporary)
        raise
    return said


class Failure(_Paged):
    """The reason why a build failed, from :func:`failure`. Its repr is the conclusion."""

    @property
    def conclusion(self) -> str:
        """A sentence that states the error, and the node at which the build failed."""
        return str(self.json["conclusion"])

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes at which the build failed; empty if neither log nor model shows them."""
        return [str(node.get("name", "")) for node in self.json["nodes"]]

    def __repr__(self) -> str:
        return printable(self.conclusion)


class Linting(_Report):
    """The result of :func:`lint` on a model. Its repr is the summary and the verdict; a notebook shows the report as Markdown."""

    def __repr__(self) -> str:
        return str(self).split("\n\n", 1)[0]

    def __init__(self, handle: Any, model: Any, reads: _Reads) -> None:
        super().__init__(handle)
        self._model = model    # fix() reads the model again
        self._reads = reads

    @functools.cached_property
    def edits(self) -> Table[Edit]:
        """The proposed edits of the model."""
        return Table([Edit.from_json(item) for item in self.json["edits"]], Edit, _native.node_names(self._handle))

    @functools.cached_property
    def findings(self) -> Table[Finding]:
        """The findings on the model."""
        return Table([Finding.from_json(item) for item in self.json["findings"]], Finding, _native.node_names(self._handle))

    def fix(self, output: str | os.PathLike[str] | None = None, *, what: Iterable[str] = (),
            scales: Mapping[str, float] | None = None) -> str:
        """Returns the list of edits, with a reason for each edit that does not apply. With ``output``, also writes the edited model.

        ``what``: rules or fingerprints of findings (default: all). ``scales``: calibrated scales by tensor. ``output`` is written
        completely or not at all, and must not be an input. If no edit applies, no file is written, and an Error is raised. External weights
        stay in their files, so write the edited model into the folder of the model.

        >>> print(lint("fixtures/qat_block/model.onnx", builder="trt8").fix(scales={"skip": 0.05}).splitlines()[-1])
        edits that apply: 1 of 1
        """
        words = [os.fsencode(word) for word in ([what] if isinstance(what, str) else what)]
        given = [os.fsencode(f"{tensor}={float(value)!r}") for tensor, value in (scales or {}).items()]
        if output is None:
            return self._fix(words, given, -1)
        return _written([output], lambda descriptor: self._fix(words, given, descriptor), self._reads)

    def _fix(self, what: list[bytes], scales: list[bytes], descriptor: int) -> str:
        return _text(_native.fix, self._handle, self._model, what, scales, descriptor)

    def _repr_markdown_(self) -> str:
        return self.write("markdown")


def diff(model: Input | None = None, engine: Input | Sequence[Input] | None = None, *, log: Input | None = None,
         profile: Input | Sequence[Input] | None = None, times: Input | None = None,
         shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
         peak: tuple[float, float] | None = None, force: bool = False,
         values: Input | Sequence[Input] | None = None, values_limit: float | None = None,
         values_rows: bool = False) -> Run:
    """Maps an engine's layers to the nodes of its model.

    Args: see :class:`Side`. An engine or a directory may be the only argument.

    Raises:
        Error: a file cannot be read, or the files do not belong together.
    """
    side = Side(model, engine, log=log, profile=profile, times=times, shapes=shapes, engine_number=engine_number,
                opt_profile=opt_profile, peak=peak, force=force, values=values, values_limit=values_limit, values_rows=values_rows)
    return Run(_call(_native.open_run, side._options))


def compare(before: Side | Sequence[Input] | Input, after: Side | Sequence[Input] | Input) -> Comparison:
    """Compares two builds.

    Args:
        before: a :class:`Side`, a pair of model and engine, or the path of a snapshot or of a directory.
        after: the same for the other build.
    """
    return Comparison(_call(_native.open_comparison, _side(before, "old ")._options, _side(after, "new ")._options))


def routes(builds: Iterable[Side | Sequence[Input] | Input] = (), *, cache: str | os.PathLike[str] | None = None) -> Routes:
    """Compares builds of one network with several sets of options: the effect of each option on fusions, precisions, data movement and
    time.

    Args:
        builds: at most 128 builds of one model, each in a form of :func:`compare`. The options of a build are read from its log, its label
            and words ``knob=value`` in its name.
        cache: the file of trtexec's tuner (``--tuningCacheFile``). The builds are iterations of the tuner, which their logs or names
            (``iter3``) identify.

    >>> builds = [("fixtures/routes/tuned/model.onnx", f"fixtures/routes/tuned/iter{i}.json") for i in (0, 1, 3)]
    >>> found = routes(builds, cache="fixtures/routes/tuning.jsonl")
    >>> [knob["knob"] for knob in found.knobs]
    ['fuse_residual', 'wide_accumulate', 'kgen:tiling']
    """
    sides = [_side(build, f"build {i} ")._options for i, build in enumerate(builds)]
    return Routes(_call(_native.open_routing, sides, None if cache is None else os.fsencode(cache)))


def snapshot(model: Input | None = None, engine: Input | Sequence[Input] | None = None, *, log: Input | None = None,
             profile: Input | Sequence[Input] | None = None, times: Input | None = None,
             shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
             peak: tuple[float, float] | None = None, force: bool = False, label: str | None = None) -> str:
    """Returns a snapshot: a build as a text to commit, with which :func:`check` compares later builds.

    Args: see :class:`Side`.
    """
    side = Side(model, engine, log=log, profile=profile, times=times, shapes=shapes, engine_number=engine_number,
                opt_profile=opt_profile, peak=peak, force=force, label=label)
    return _text(_native.snapshot, side._options)


def check(snapshot: Input, model: Input | None = None, engine: Input | Sequence[Input] | None = None, *, policy: Input | None = None,
          today: datetime.date | None = None, log: Input | None = None,
          profile: Input | Sequence[Input] | None = None, times: Input | None = None,
          shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
          peak: tuple[float, float] | None = None, force: bool = False, label: str | None = None) -> Check:
    """Checks a build against a snapshot.

    Args:
        snapshot: a file, its bytes, the result of :func:`snapshot`, or a directory of snapshots, from which the check selects the snapshot
            with the build's label, version and GPU.
        policy: rules with their levels and budgets, and what to ignore; None: the default policy.
        today: day for expiry dates; None: the clock.

    All others: see :class:`Side`.
    """
    side = Side(model, engine, log=log, profile=profile, times=times, shapes=shapes, engine_number=engine_number,
                opt_profile=opt_profile, peak=peak, force=force, label=label)
    return Check(_call(_native.open_check, side._options, _file(snapshot, "snapshot"),
                       None if policy is None else _file(policy, "policy"), _day(today)))


def failure(model: Input | None, log: Input) -> Failure:
    """Reads the log of a build that failed: the class of the failure, the nodes at fault, lint's findings on these nodes, and remedies.

    Args:
        model: the model that the builder parsed; None: unknown, so names come from the log.
        log: the output of the builder or of trtexec. The log of a successful build raises an :class:`Error`.

    >>> failure("fixtures/failed/types.onnx", "fixtures/failed/types.log").nodes
    ['addmix']
    """
    return Failure(_call(_native.open_failure, Side(model, log)._options))


def lint(model: Input, engine: Input | Sequence[Input] | None = None, *, builder: str | None = None, policy: Input | None = None,
         today: datetime.date | None = None, log: Input | None = None,
         profile: Input | Sequence[Input] | None = None, times: Input | None = None,
         shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
         peak: tuple[float, float] | None = None, force: bool = False) -> Linting:
    """Checks a model before its build. An engine confirms or refutes each finding.

    Args:
        builder: the target builder, e.g. "trt10" or "rtx-1.7:sm89"; None: the builder of the engine or, without an engine, rtx-1.7:sm89.
        policy: levels of rules, and what to ignore; None: the default policy.
        today: day for expiry dates; None: the clock.

    All others: see :class:`Side`.

    >>> [finding.rule for finding in lint("fixtures/qat_block/model.onnx", builder="trt8").findings.where(severity="error")]
    ['qdq/residual']
    """
    side = Side(model, model if engine is None else engine, log=log, profile=profile, times=times, shapes=shapes,
                engine_number=engine_number, opt_profile=opt_profile, peak=peak, force=force)
    if engine is None:
        del side._options["engine"]
    reads = _Reads()
    with reads.recorded():
        made = _call(_native.open_linting, side._options, builder, None if policy is None else _file(policy, "policy"), _day(today))
    return Linting(made, side._options["model"], reads)


def _words(*lists: str | int | Iterable[str | int]) -> list[list[bytes]]:
    return [[os.fsencode(str(word)) for word in ([words] if isinstance(words, (str, int)) else words)] for words in lists]


def cut(model: Input, engine: Input | None = None, output: str | os.PathLike[str] | None = None, *,
        layers: str | int | Iterable[str | int] = (), groups: str | int | Iterable[str | int] = (),
        nodes: str | Iterable[str] = (), begin: str | Iterable[str] = (), end: str | Iterable[str] = (), context: int = 0,
        inputs: str | os.PathLike[str] | None = None, values: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        log: Input | None = None, shapes: str | Sequence[str] = (), force: bool = False) -> str:
    """Cuts a part out of a model, writes it to ``output``, and returns a description of the part, with the command to build it.

    Args:
        output: the file of the part, written completely or not at all; None: do not write the part.
        layers: numbers, names or patterns of layers of the engine. They select the nodes that these layers compute.
        groups: like ``layers``, but also selects the nodes of layers that compute a node together with these layers.
        nodes: names or patterns of nodes.
        begin: tensors. They select the nodes after them.
        end: tensors. They select the nodes before them; together with ``begin``, the nodes on paths between both.
        context: also cut out neighboring nodes up to this number of steps away.
        inputs: an .npz file to write, with values for the inputs of the part; None: do not write it.
        values: files from which these values are read: tensors of the model by name, saved by numpy.savez() or Polygraphy. Without files,
            the values are random.

    All others: see :class:`Side`. Weights in other files are copied into ``output``.

    >>> print(cut("fixtures/qat_block/model.onnx", nodes="Conv_13").splitlines()[1])
      nodes    5 of 23: 1 selected, 4 Q/DQ at the edges
    """
    side = Side(model, model if engine is None else engine, log=log, shapes=shapes, force=force)
    if engine is None:
        del side._options["engine"]

    given = [os.fsencode(path) for path in ([values] if isinstance(values, (str, os.PathLike)) else values)]
    if given and inputs is None:
        raise ValueError("values: expected inputs, where they are written")

    def write(*descriptors: int) -> str:
        rest = list(descriptors)
        part = -1 if output is None else rest.pop(0)
        return _text(_native.cut, side._options, _words(layers, groups, nodes, begin, end), context, True, part,
                     None if output is None else os.fspath(output), given, rest[0] if rest else -1)

    return _written([path for path in (output, inputs) if path is not None], write, _Reads())


def annotate(model: Input | None, engine: Input | None, output: str | os.PathLike[str], *, layers: bool = False,
             log: Input | None = None, profile: Input | Sequence[Input] | None = None, shapes: str | Sequence[str] = (),
             force: bool = False) -> None:
    """Writes a model with the outcomes of its nodes, or an engine as a model, for viewers of models.

    Args:
        model: the model; None: write the engine's layers as a graph.
        output: ``x.nodedata.json`` for Model Explorer; any other name is an ONNX file, e.g. for Netron. It is written completely or not at
            all. External weights stay in their files, so write it into the folder of the model.
        layers: write the engine's layers as a graph even if there is a model.

    All others: see :class:`Side`.

    >>> import tempfile, os.path
    >>> path = os.path.join(tempfile.mkdtemp(), "annotated.onnx")
    >>> annotate("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json", path)
    >>> b"fusiondiff.layer" in open(path, "rb").read()
    True
    """
    side = Side(model, engine, log=log, profile=profile, shapes=shapes, force=force)
    kind = 2 if os.fspath(output).endswith(".nodedata.json") else 1 if layers or model is None else 0

    def write(descriptor: int) -> str:
        _call(_native.annotate, side._options, kind, descriptor)
        return ""

    _written([output], write, _Reads())


def issue(build: Side | Sequence[Input] | Input, output: str | os.PathLike[str], *,
          before: Side | Sequence[Input] | Input | None = None, finding: str | None = None,
          layers: str | int | Iterable[str | int] = (), groups: str | int | Iterable[str | int] = (),
          nodes: str | Iterable[str] = (), context: int = 0, anonymize: bool = False,
          names: str | os.PathLike[str] | None = None, no_weights: bool = False,
          verify: Callable[[str], str | os.PathLike[str]] | None = None) -> list[str]:
    """Writes a bug report for the builder's maintainers to a new directory, and returns the names of its files.

    Args:
        build: a build in a form of :func:`compare`.
        output: the directory, written completely or not at all. It must be missing or empty.
        before: the previous build: report the worst difference from it; None: report the worst finding on ``build``.
        finding: report this finding: its fingerprint, or the id of a rule, which selects the rule's worst finding.
        layers: ``layers``, ``groups`` and ``nodes`` select a part of the model like in :func:`cut`; report this part instead of a finding.
        context: the model of the part also has neighboring nodes up to this number of steps away.
        anonymize: replace names in all files.
        names: the file to which the list of replaced names is written; None: ``output`` with the suffix ``.names.json``.
        no_weights: replace the values of weights in the model of the part by constants.
        verify: a function that gets the path of the part, builds it, and returns the path of the engine's dump or verbose log. The report
            states whether the finding occurs in this build. The returned file becomes ``part.log``, unless names are replaced.

    >>> import tempfile, os.path
    >>> path = os.path.join(tempfile.mkdtemp(), "report")
    >>> issue(("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json"), path)[:3]
    ['issue.md', 'layers.json', 'part.onnx']
    """
    if names is not None and not anonymize:
        raise ValueError("names: expected anonymize=True, which replaces them")
    reads = _Reads()
    logs: list[bytes] = []
    with tempfile.TemporaryDirectory() as alone:
        def built(part: bytes) -> tuple[bytes, bytes]:
            path = os.path.join(alone, "part.onnx")
            with open(path, "wb") as file:
                file.write(part)
            engine = verify(path) if verify else path
            with open(engine, "rb") as file:
                logs.append(file.read())
            return os.fsencode(path), os.fsencode(engine)

        with reads.recorded():
            files: dict[str, bytes] = _call(
                _native.issue, None if before is None else _side(before, "old ")._options, _side(build)._options, finding,
                _words(layers, groups, nodes, (), ()), context, anonymize, no_weights, built if verify else None)
    if logs and not anonymize:
        files["part.log"] = logs[0]
    folder = os.path.realpath(output)
    stands_for = files.pop("", None)
    beside = f"{folder}.names.json" if names is None else names
    if stands_for is not None:
        reads.refuse(beside)
    with tempfile.TemporaryDirectory(prefix=os.path.basename(folder) + ".", dir=os.path.dirname(folder)) as temporary:
        inside = os.path.join(temporary, "report")
        os.mkdir(inside)
        for name, data in files.items():
            with open(os.path.join(inside, name), "wb") as file:
                file.write(data)
        if os.path.isdir(folder) and os.listdir(folder):
            raise FileExistsError(f"{folder}: expected a directory that is not there yet, or empty, found files in it")
        if stands_for is not None:
            with open(beside, "wb") as file:
                file.write(stands_for)
        os.replace(inside, folder)
    return list(files)


def code(model: Input, engine: Input | None = None, *, api: Literal["tensorrt", "torch"] = "tensorrt", depth: int = 0,
         layers: str | int | Iterable[str | int] = (), groups: str | int | Iterable[str | int] = (),
         nodes: str | Iterable[str] = (), begin: str | Iterable[str] = (), end: str | Iterable[str] = (), context: int = 0,
         log: Input | None = None, profile: Input | Sequence[Input] | None = None, shapes: str | Sequence[str] = (),
         force: bool = False) -> str:
    """Returns a model as Python: a program that defines the network with TensorRT's API and builds it, or pseudo code in the style of
    PyTorch.

    Args:
        api: "tensorrt" or "torch".
        depth: the number of parts of a node's name that name its module; each module becomes a function. 0: the number that gives the
            shortest program.
        layers: ``layers`` to ``context`` select a part of the model like in :func:`cut`; default: the whole model.

    All others: see :class:`Side`.

    >>> print(code("fixtures/qat_block/model.onnx", api="torch", nodes="Add_15").splitlines()[-3].strip())
    added = conv2_bn + skip  # fp32 [1, 8, 8, 8]
    """
    if api not in ("tensorrt", "torch"):
        raise ValueError(f"api: expected 'tensorrt' or 'torch', found {api!r}")
    side = Side(model, model if engine is None else engine, log=log, profile=profile, shapes=shapes, force=force)
    if engine is None:
        del side._options["engine"]
    return _text(_native.code, side._options, _words(layers, groups, nodes, begin, end), context, api == "torch", depth)


def retype(model: Input, engine: Input, output: str | os.PathLike[str] | None = None, *, log: Input | None = None,
           shapes: str | Sequence[str] = (), force: bool = False) -> str:
    """Writes the precision that a weakly typed engine chose into its model, as Casts and typed initializers.

    Args:
        output: the file of the typed model, written completely or not at all; None: do not write it. External weights stay in their files,
            so write it into the folder of the model.

    All others: see :class:`Side`. Returns the outcome for each node, with the types that the model cannot express.

    >>> print(retype("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json").splitlines()[0])
    3 nodes get the engine's type: fp16 3
    """
    side = Side(model, engine, log=log, shapes=shapes, force=force)

    def write(descriptor: int) -> str:
        return _text(_native.retype, side._options, descriptor)

    return write(-1) if output is None else _written([output], write, _Reads())


class Bisection:
    """A search for the fusion that makes an engine wrong, from :func:`bisect`. Its text states the next build."""

    _RESULTS = ("good", "bad", "skip")

    def __init__(self, handle: Any, reads: _Reads, state: str | os.PathLike[str] | None = None) -> None:
        self._handle = handle
        self._reads = reads
        self._state = state    # the file from which the search was read; save() may replace it

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Bisection:
        """Reads a search that :meth:`save` or the program wrote. The model and the engine must not have changed since then."""
        reads = _Reads()
        with reads.recorded():
            return cls(_call(_native.open_search, {}, os.fsencode(path)), reads, path)

    def _text(self, what: str) -> str:
        return _text(_native.search_text, self._handle, what)

    @property
    def done(self) -> bool:
        """Whether the search is over: a fusion, or a set of fusions, is proved to cause the failure, or further builds cannot show more."""
        return _native.search_done(self._handle)

    @property
    def tensors(self) -> list[str]:
        """The names of the tensors to mark as outputs for the next build."""
        return self._text("tensors").splitlines()

    @property
    def log(self) -> str:
        """A text on all results so far."""
        return self._text("log")

    def __str__(self) -> str:
        return self._text("next")

    def model(self, output: str | os.PathLike[str], *, inlined: bool = False) -> None:
        """Writes the model for the next build: tensors are marked as outputs, and an If splits each fusion that no mark can split.

        ``inlined``: copy weights in other files into the model, so that the model can be in any directory.
        """
        def write(descriptor: int) -> str:
            _call(_native.search_model, self._handle, descriptor, inlined)
            return ""

        _written([output], write, self._reads)

    def judge(self, comparison: str | os.PathLike[str]) -> Literal["good", "bad"]:
        """Returns the result that follows from a comparison saved by ``polygraphy run --save-accuracy-results``."""
        with self._reads.recorded():
            return "bad" if _call(_native.search_judge, self._handle, os.fsencode(comparison)) else "good"

    def judge_values(self, good: str | os.PathLike[str], outputs: str | os.PathLike[str], *,
                     limit: float = 0.01) -> Literal["good", "bad"]:
        """Returns the result that follows from the network's outputs, saved by ``numpy.savez`` or Polygraphy.

        ``good``: the correct outputs. ``outputs``: the outputs of the build. An output is wrong if its relative L2 error exceeds ``limit``.
        """
        if not limit > 0:
            raise ValueError(f"limit: expected a number above 0, found {limit!r}")
        with self._reads.recorded():
            wrong = _call(_native.search_judge_values, self._handle, os.fsencode(good), os.fsencode(outputs), limit)
        return "bad" if wrong else "good"

    def take(self, result: Literal["good", "bad", "skip"], engine: Input | Sequence[Input] | None = None, *,
             model: Input | None = None, log: Input | None = None) -> str:
        """Records the result of a build, and returns a text on the facts that the result proves.

        ``engine``: the new engine; None: assume without proof that the fusions changed as the search requested. ``model``: the model of the
        new engine, if it is neither the model of the search nor one that :meth:`model` wrote.
        """
        if result not in self._RESULTS:
            raise ValueError(f"result: expected 'good', 'bad' or 'skip', found {result!r}")
        side = None if engine is None else Side(model, engine, log=log)._options
        with self._reads.recorded():
            return _text(_native.search_take, self._handle, self._RESULTS.index(result), side)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the search completely or not at all; the program can continue it with ``bisect --state``.

        ``path`` may be the file from which :meth:`read` read the search, but no other input.
        """
        def write(descriptor: int) -> str:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(self._text("state").encode())
            return ""

        own = self._state is not None and os.path.exists(path) and os.path.exists(self._state) and os.path.samefile(path, self._state)
        _written([path], write, _Reads() if own else self._reads)


def bisect(model: str | os.PathLike[str], engine: str | os.PathLike[str], *, shapes: str | Sequence[str] = (),
           force: bool = False) -> Bisection:
    """Begins a search among the fusions of an engine that computes wrong results.

    The first build splits no fusion and the second build splits all fusions, which shows whether a fusion causes the failure. The next
    builds each split half of the suspects. The last builds prove the result.

    Args:
        model: a path, because the state of a search has the names of its files; ``engine``, too.

    All others: see :class:`Side`.

    >>> search = bisect("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json")
    >>> search.tensors
    []
    >>> print(search.take("bad", "fixtures/qat_block/engine.graph.json").splitlines()[0])
    bad: 3 suspects left, about 5 more builds.
    >>> search.tensors
    ['conv1.out', 'conv2.out', 'fc']
    >>> search.done
    False
    """
    for name, value in (("model", model), ("engine", engine)):
        if not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{name}: expected a path, found {type(value).__name__}")
    reads = _Reads()
    with reads.recorded():
        return Bisection(_call(_native.open_search, Side(model, engine, shapes=shapes, force=force)._options, None), reads)


def batch(pairs: Iterable[Side | Sequence[Input] | Input] | str | os.PathLike[str], *, jobs: int | None = None) -> Iterator[Run | Error]:
    """Analyzes many pairs in ``jobs`` threads. Yields the run of each pair, or its error, in the order of the pairs.

    Args:
        pairs: builds, each in a form of :func:`compare`; or the path of a directory of builds, which has a directory for each build, or one
            model and its engines.
        jobs: number of threads; None: one per processor.

    >>> pair = "fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json"
    >>> [made if isinstance(made, Error) else len(made.layers) for made in batch([pair, "none.json"])]
    [8, Error('none.json: cannot open: No such file or directory')]
    """
    def analyse(pair: Side | Sequence[Input] | Input) -> Run | Error:
        try:
            return Run(_call(_native.open_run, _side(pair)._options))
        except Error as error:
            return error

    if isinstance(pairs, (str, os.PathLike)) and os.path.isdir(pairs):
        found = _call(_native.builds, os.fsencode(pairs))
        pairs = [tuple(os.fsdecode(path) for path in paths if path) for paths in found]
    if isinstance(pairs, (str, bytes, os.PathLike)):
        raise TypeError(f"pairs: expected several builds, found one {type(pairs).__name__}")
    jobs = _number(jobs or 0, "jobs") or os.cpu_count() or 1
    waiting: collections.deque[concurrent.futures.Future[Run | Error]] = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for pair in pairs:
            waiting.append(pool.submit(analyse, pair))
            if len(waiting) > 4 * jobs:    # limits the memory of results that the caller has not taken yet
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
