"""What did the builder do to my model?

>>> import fusiondiff
>>> run = fusiondiff.diff("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json")
>>> [layer.name for layer in run.layers if layer.inserted and layer.kind == "reformat"]
['Reformatting CopyNode for Input Tensor 0 to GlobalAveragePool_18']
>>> run.nodes.where(fate="merged")[0].name
'Relu_7'

Inputs are paths, bytes, or an ``onnx.ModelProto``.  Runs in different threads go side by
side: the work is done without Python's lock.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
from collections.abc import Sequence
from typing import Any, Protocol, Union

from . import _native
from ._objects import Finding, Layer, Link, Node, Port, Record, Table

__all__ = ["Check", "Comparison", "Error", "Finding", "Input", "Layer", "Link", "Node", "Port", "Record", "Run", "Side",
           "Table", "check", "compare", "diff", "snapshot"]
__version__ = _native.version


class _Serializable(Protocol):  # onnx.ModelProto
    def SerializeToString(self) -> bytes: ...


Input = Union[str, "os.PathLike[str]", bytes, _Serializable]


class Error(Exception):
    """An input that cannot be read, or inputs that do not belong together.

    ``status`` is a stable word ("format", "mismatch", ...); ``file`` may be empty;
    ``position`` counts ``unit``s, bytes or lines, and is None where none is known.
    """

    def __init__(self, status: str, message: str, file: str, unit: str, position: int) -> None:
        self.status, self.message, self.file, self.unit = status, message, file, unit
        self.position = position if unit else None
        where = file + (f":{position}" if unit else "")
        super().__init__(f"{where}: {message}" if where else message)


def _call(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except _native.Error as error:
        raise Error(*error.args) from None


def _file(value: Input, name: str) -> Any:
    """What _native takes: an encoded path, or a name with the bytes under it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fsencode(value)
    held = value if isinstance(value, bytes) else value.SerializeToString()
    return f"({name})".encode(), held


class Side:
    """One build: a model, the engine made of it, and what was measured.

    ``profile`` and ``shapes`` take one or several; ``peak`` is the device's GB/s and TOP/s.
    """

    def __init__(self, model: Input | None = None, engine: Input | None = None, *, log: Input | None = None,
                 profile: Input | Sequence[Input] | None = None, times: Input | None = None,
                 shapes: Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
                 peak: tuple[float, float] | None = None, force: bool = False, _of: str = "") -> None:
        if engine is None:
            model, engine = None, model
        if engine is None:
            raise ValueError("expected a model and an engine")
        files = {"model": model, "engine": engine, "log": log, "times": times}
        self.options: dict[str, Any] = {name: _file(value, f"{_of}{name}") for name, value in files.items()
                                        if value is not None}
        profiles: Sequence[Input]
        if profile is None:
            profiles = []
        elif isinstance(profile, (list, tuple)):
            profiles = profile
        else:
            profiles = [profile]  # type: ignore[list-item]
        self.options["profiles"] = [_file(value, f"{_of}profile {i}") for i, value in enumerate(profiles)]
        self.options["shapes"] = [os.fsencode(shape) for shape in shapes]
        self.options["engine_number"] = engine_number
        self.options["opt_profile"] = 0 if opt_profile is None else opt_profile + 1
        self.options["force"] = force
        if peak:
            self.options["peak_gb_s"], self.options["peak_top_s"] = peak


class _Report:
    """What runs, comparisons and checks have in common."""

    def __init__(self, handle: object) -> None:
        self._handle = handle

    def write(self, format: str, *, width: int = 0, all: bool = False) -> str:
        """The report as the program prints it: "text", "json", "markdown", "dot", ..."""
        printed: bytes = _call(_native.write, self._handle, format, width, all)
        return printed.decode()

    @functools.cached_property
    def json(self) -> Any:
        """The whole report, after its public schema."""
        return json.loads(self.write("json"))

    def to_html(self) -> str:
        """The page, one file that needs nothing else."""
        return self.write("html")

    def _repr_html_(self) -> str:
        import html

        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="fusiondiff"></iframe>'

    def __str__(self) -> str:
        return self.write("text")


class Run(_Report):
    """What was found out about one build; :func:`diff` makes it."""

    @functools.cached_property
    def layers(self) -> Table[Layer]:
        """The engine's layers, in their order."""
        return Table([Layer.from_json(item) for item in self.json["layers"]])

    @functools.cached_property
    def nodes(self) -> Table[Node]:
        """The model's nodes, in their order."""
        return Table([Node.from_json(item) for item in self.json["nodes"]])

    @functools.cached_property
    def findings(self) -> Table[Finding]:
        """What a reviewer should look at."""
        return Table([Finding.from_json(item) for item in self.json["findings"]])

    @property
    def summary(self) -> dict[str, Any]:
        """All counts."""
        summary: dict[str, Any] = self.json["summary"]
        return summary

    def view(self, name: str, *words: str, format: str = "text", width: int = 0) -> str:
        """The answer to one question: "reformats", "where", "inside", "scopes", ..."""
        printed: bytes = _call(_native.view, self._handle, name, [os.fsencode(word) for word in words], format, width)
        return printed.decode()


class Comparison(_Report):
    """What changed between two builds; :func:`compare` makes it."""

    @property
    def differs(self) -> bool:
        """Whether anything but times, tactics, generated names and the order of layers does."""
        return _native.differs(self._handle)


class Check(_Report):
    """A build held against a snapshot; :func:`check` makes it."""

    @property
    def failed(self) -> bool:
        """Whether a rule of level error is over its budget."""
        return _native.failed(self._handle)

    def update(self) -> str:
        """The snapshot that would make the check pass."""
        printed: bytes = _call(_native.update, self._handle)
        return printed.decode()


def diff(model: Input | None = None, engine: Input | None = None, **options: Any) -> Run:
    """Maps an engine's layers to the nodes of its model; options as of :class:`Side`."""
    return Run(_call(_native.open_run, Side(model, engine, **options).options))


def compare(before: Side | Sequence[Input] | Input, after: Side | Sequence[Input] | Input) -> Comparison:
    """Compares two builds: each a :class:`Side`, a pair of model and engine, or a snapshot's path."""
    sides = [side if isinstance(side, Side) else Side(*side, _of=of) if isinstance(side, (list, tuple)) else
             Side(side, _of=of)  # type: ignore[arg-type]
             for side, of in ((before, "old "), (after, "new "))]
    return Comparison(_call(_native.open_comparison, sides[0].options, sides[1].options))


def snapshot(model: Input | None = None, engine: Input | None = None, **options: Any) -> str:
    """What a gate needs of a build, as text to be committed."""
    printed: bytes = _call(_native.snapshot, Side(model, engine, **options).options)
    return printed.decode()


def check(snapshot: Input, model: Input | None = None, engine: Input | None = None, *, policy: Input | None = None,
          today: datetime.date | None = None, **options: Any) -> Check:
    """Holds a build against a snapshot."""
    day = today or datetime.date.today()
    return Check(_call(_native.open_check, Side(model, engine, **options).options, _file(snapshot, "snapshot"),
                       None if policy is None else _file(policy, "policy"), day.year * 10000 + day.month * 100 + day.day))
