"""The contents of the JSON reports as typed objects.

The schemas of the reports describe the fields. Fields that a later version adds are in ``extra``; they are also attributes and columns.
"""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import operator
import re
import shutil
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Literal, Optional, TypeVar, Union, overload

if typing.TYPE_CHECKING:
    import pandas

# The allowed words of fields, from the reports' schemas, for completion and type checkers. where() refuses all other
# words.
Kind = Literal["compute", "reformat", "copy", "quantize", "constant", "noop", "shape", "sync", "foreign"]
Cause = Literal["io", "dtype", "layout", "dtype+layout", "scale", "concat", "slice", "padding", "plugin", "foreign", "dla", "free", "unknown"]
Spent = Literal["requantization", "requested_movement"]
Fate = Literal["layer", "folded", "identity", "absorbed", "merged", "dead", "outside", "unexplained"]
Severity = Literal["info", "warning", "error"]
Evidence = Literal["metadata", "name", "log", "tensor", "structure", "path"]
Action = Literal["insert-pair", "remove-pair", "set-scale", "move-pair", "scale-first", "repeat-heads", "pad-input", "slice-output",
                 "insert-cast", "make-symmetric", "spread-scale", "add-dimension", "store-constant", "unmark-output"]
Precision = Literal["unknown", "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp8e4m3fnuz", "fp8e5m2", "fp8e5m2fnuz", "fp8e8m0",
                    "fp6e2m3", "fp6e3m2", "fp4", "int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8", "int4", "uint4",
                    "int2", "uint2", "bool", "string", "complex64", "complex128"]

Item = TypeVar("Item", bound="Record")


def _value(hint: Any, data: Any) -> Any:
    """Converts a JSON value to the declared type of a field."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if data is None:
        return None
    if origin is Union:  # Optional
        return _value(next(arg for arg in inner if arg is not type(None)), data)
    if origin is list:
        return [_value(inner[0], item) for item in data]
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_json(data)
    if hint is int and isinstance(data, str):  # numbers above 2^53 are strings in JSON
        return int(data)
    return data


_hints: dict[type, dict[str, Any]] = {}


@dataclasses.dataclass
class Record:
    """One object of a report."""

    # _in_html and _in_text: the columns that a table shows, if at least one row has a value; empty: all columns.
    # _of_nodes: fields with numbers of nodes. _of_links: fields with links to nodes.
    _in_html: ClassVar[tuple[str, ...]] = ()
    _in_text: ClassVar[tuple[str, ...]] = ()
    _of_nodes: ClassVar[tuple[str, ...]] = ()
    _of_links: ClassVar[tuple[str, ...]] = ()

    extra: dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls: type[Item], data: dict[str, Any]) -> Item:
        """Makes a record from a JSON object of a report."""
        if cls not in _hints:
            _hints[cls] = typing.get_type_hints(cls)
        hints = _hints[cls]
        known = {name: _value(hints[name], data[name]) for name in hints if name in data and name != "extra"}
        return cls(extra={name: value for name, value in data.items() if name not in hints}, **known)

    if not typing.TYPE_CHECKING:    # type checkers only see the declared fields

        def __getattr__(self, name):
            """Returns a field that a later version added."""
            try:
                return self.__dict__["extra"][name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "in": lambda value, wanted: value in wanted,
    "contains": lambda value, wanted: wanted in value,
    "startswith": lambda value, wanted: value.startswith(wanted),
    "endswith": lambda value, wanted: value.endswith(wanted),
    "like": lambda value, wanted: fnmatch.fnmatchcase(value, wanted)}
_OF_UNKNOWN = ("eq", "ne", "in")    # only these tests can be true for an unknown value
_WORD = re.compile(r"[/ ]*[^/ ]+[/ ]*$|[/ ]*[^/ ]+")    # a word, with the separators beside it
_ROWS_OF_TEXT, _ROWS_OF_HTML, _MOST_LISTED, _LEAST_WIDTH = 20, 50, 40, 16


def printable(text: str) -> str:
    """Replaces characters that must not be printed, such as characters that reorder text, by their code points."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _unknown(what: str, word: object, known: Iterable[str]) -> ValueError:
    words = list(dict.fromkeys(known))
    near = difflib.get_close_matches(str(word), words, 1) if len(str(word)) < 1000 else []
    listed = ", ".join(words[:_MOST_LISTED]) + (f" and {len(words) - _MOST_LISTED} more" if len(words) > _MOST_LISTED else "")
    return ValueError(printable(f"{what} {str(word)[:100]!r}" + (f"; did you mean {near[0]!r}?" if near else ".") +
                                f" There are {listed or 'none'}"))


def _words_of(kind: type[Record], name: str) -> tuple[str, ...]:
    """Returns all words that a field may have, if the schema lists them."""
    if name == "rule" and issubclass(kind, Finding):
        from . import _native

        return tuple(line.split()[0] for line in _native.rules().decode().splitlines() if line and not line[0].isspace())
    hint = typing.get_type_hints(kind).get(name)
    while typing.get_origin(hint) in (Union, list):
        hint = typing.get_args(hint)[0]
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()


def _cut(text: str, width: int, column: str) -> str:
    """Shortens a text to a width, but only between words. A sentence or a list loses its last words; a name loses its first parts."""
    if len(text) <= width:
        return text
    words = _WORD.findall(text)
    if column in _FROM_FRONT:
        kept = 1
        while kept < len(words) and len("".join(words[:kept + 1])) + 4 <= width:
            kept += 1
        return "".join(words[:kept]) + " ..." if kept < len(words) else text
    kept = len(words) - 1
    while kept > 1 and len("".join(words[kept - 1:])) + 3 <= width:
        kept -= 1
    return min(text, "..." + "".join(words[kept:]), key=len)


def _least(text: str, column: str) -> int:
    """Returns the fewest columns that a text needs."""
    return len(_cut(text, 1, column))


class Table(Sequence[Item], Generic[Item]):
    """Records of one kind, in the report's order. Its repr and a notebook show the first rows.

    >>> table = Table([Node(index=0, op="Relu", ms=0.5), Node(index=1, op="Conv", ms=2.0)])
    >>> [node.op for node in table]
    ['Relu', 'Conv']
    >>> table.where(op="Conv")[0].index
    1
    >>> table.where(ms__gt=1)
    index  op    requested  realised   ms
        1  Conv  unknown    unknown   2.0
    1 row
    """

    def __init__(self, items: list[Item], of: type[Item] | None = None, node_names: Sequence[str] = ()) -> None:
        self._items = items
        self._of: type[Record] = of or (type(items[0]) if items else Record)
        self._node_names = node_names    # names of the model's nodes, by number

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Table[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | Table[Item]:
        return self._like(self._items[at]) if isinstance(at, slice) else self._items[at]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def _like(self, items: list[Item]) -> Table[Item]:
        return Table(items, typing.cast("type[Item]", self._of), self._node_names)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, for where() and to_pandas()."""
        names = dict.fromkeys(field.name for field in dataclasses.fields(self._of) if field.name != "extra")
        for item in self._items:
            names.update(dict.fromkeys(item.extra))
        return list(names)

    def _name_of(self, node: Any) -> Any:
        there = isinstance(node, int) and 0 <= node < len(self._node_names)
        return self._node_names[node] if there else node

    def _cell(self, item: Record, name: str) -> Any:
        """Returns the value of a field for tables, which show nodes by name."""
        value = getattr(item, name, None)
        if name in self._of._of_nodes:
            return list(map(self._name_of, value)) if isinstance(value, list) else self._name_of(value)
        if name in self._of._of_links and isinstance(value, list):    # first the computed nodes, then constants and quantizers
            value = sorted(value, key=lambda link: not link.computed)
        return [str(one) if isinstance(one, Record) else one for one in value] if isinstance(value, list) else value

    def _filled(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if any(self._cell(item, name) not in (None, [], {}, "", False) for item in self._items)]

    def __repr__(self) -> str:
        shown = self._items[:_ROWS_OF_TEXT]
        filled = self._filled(self.columns)
        names = [name for name in self._of._in_text or self.columns if name in filled]
        rows = [[printable(_text(self._cell(item, name))) for name in names] for item in shown]
        right = [all(isinstance(self._cell(item, name), (int, float, type(None))) for item in shown) for name in names]
        widths = [max(len(row[i]) for row in [names, *rows]) for i in range(len(names))]
        least = [width if right[i] else min(width, max(_LEAST_WIDTH, len(names[i]), *(_least(row[i], names[i]) for row in rows)))
                 for i, width in enumerate(widths)]
        room = shutil.get_terminal_size().columns
        while len(widths) > 1 and sum(least[:len(widths)]) + 2 * (len(widths) - 1) > room:
            widths.pop()
        while sum(widths) + 2 * (len(widths) - 1) > room:
            at = max(range(len(widths)), key=lambda i: widths[i] - least[i])
            if widths[at] == least[at]:
                break
            widths[at] -= 1
        lines = [names, *rows] if names else []
        text = ["  ".join(_cut(cell, width, name).rjust(width if is_right else 0).ljust(width)
                          for cell, width, is_right, name in zip(line, widths, right, names)).rstrip() for line in lines]
        return "\n".join([*text, self._foot(names[:len(widths)], len(shown))])

    def _foot(self, names: Sequence[str], shown: int) -> str:
        """Returns the line below a table: the number of rows, and the rows and columns that are not shown."""
        others = [name for name in self._filled(self.columns) if name not in names]
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        return (f"the first {shown} of {rows}" if shown < len(self) else rows) + (f"; more columns: {', '.join(others)}" if others else "")

    def _repr_html_(self) -> str:
        """Returns the first rows as an HTML table that is at most 1,000 px wide."""
        import html

        def cell(item: Record, name: str) -> str:
            value = self._cell(item, name)
            if not isinstance(value, list):
                return html.escape(_text(value) if name in _FROM_FRONT else _cut(_text(value), 120, name))
            more = [f"and {len(value) - 6} more"] if len(value) > 6 else []
            return "<br>".join(html.escape(_cut(_text(one), 80, "")) for one in [*value[:6], *more])

        shown = self._items[:_ROWS_OF_HTML]
        filled = self._filled(self.columns)
        names = [name for name in self._of._in_html or self.columns if name in filled]
        numbers = {name for name in names if all(isinstance(self._cell(item, name), (int, float, type(None))) for item in shown)}
        least = min(170, 420 // max(1, sum(name not in numbers and name not in _SHORT for name in names)))
        style = {name: "white-space:nowrap;text-align:right" if name in numbers else "white-space:nowrap;text-align:left" if name in _SHORT
                 else f"overflow-wrap:anywhere;text-align:left;min-width:{least}px" for name in names}
        head = "".join(f'<th style="{style[name]}">{html.escape(name)}</th>' for name in names)
        rows = "".join("<tr>" + "".join(f'<td style="{style[name]}">{cell(item, name)}</td>' for name in names) + "</tr>" for item in shown)
        return f'<table style="max-width:1000px"><tr>{head}</tr>{rows}</table><p>{html.escape(self._foot(names, len(shown)))}</p>'

    def where(self, **predicates: Any) -> Table[Item]:
        """Returns the records that fulfill all predicates. A predicate is ``column=value`` or ``column__test=value``.

        Tests are ``eq``, ``ne``, ``lt``, ``le``, ``gt``, ``ge``; ``in`` for several values; ``contains`` for an item of a list or a part of
        a text; ``startswith``, ``endswith`` and ``like`` (a pattern with ``*`` and ``?``) for texts. An unknown value (None) is neither
        less nor greater than another value. The value of a node is its name or its number. An unknown column, test, node or word raises a
        ValueError that lists the known ones.

        >>> layers = Table([Layer(index=0, kind="compute", ms=0.5, nodes=[Link(index=4, name="Conv_4")]), Layer(index=1, kind="copy")])
        >>> [layer.index for layer in layers.where(ms__gt=0.02, kind__in=["compute", "quantize"])]
        [0]
        >>> len(layers.where(nodes__contains="Conv_4"))
        1
        >>> layers.where(kind="reformatt")    # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: kind: unknown value 'reformatt'; did you mean 'reformat'? There are compute, reformat, ...
        """
        kept = self._items
        for key, wanted in predicates.items():
            name, _, test = key.partition("__")
            test = test or "eq"
            if name not in self.columns:
                raise _unknown("unknown column", name, self.columns)
            if test not in _TESTS:
                raise _unknown(f"{key}: unknown test", test, _TESTS)
            if test == "in":
                if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
                    raise TypeError(f"{key}: expected several values, found {type(wanted).__name__}")
                wanted = list(wanted)
            self._check(key, name, test, wanted)
            kept = [item for item in kept if self._holds(item, key, name, test, wanted)]
        return self._like(kept)

    def _check(self, key: str, name: str, test: str, wanted: Any) -> None:
        """Raises a ValueError if the column can never have these values."""
        of_list = any(isinstance(getattr(item, name, None), list) for item in self._items[:1])
        if not (test in _OF_UNKNOWN or test == "contains" and of_list):
            return
        words: Sequence[str] = _words_of(self._of, name)
        if not words and name in (*self._of._of_nodes, *self._of._of_links):
            words = self._node_names
        if not words:
            return
        for value in wanted if test == "in" else [wanted]:
            free = value is None or isinstance(value, (int, list)) and words is self._node_names
            if not free and value not in words and not any(value in self._forms(item, name) for item in self._items):
                raise _unknown(f"{key}: unknown value", value, words)

    def _forms(self, item: Record, name: str) -> list[Any]:
        """Returns all names and numbers with which where() can find the value of a field, or the items of a list."""
        value = getattr(item, name, None)
        values = value if isinstance(value, list) else [value]
        names = [self._name_of(one) for one in values] if name in self._of._of_nodes else []
        parts = [getattr(one, part, None) for one in values if isinstance(one, Record) for part in ("index", "name")]
        return [*values, *names, *(part for part in parts if part is not None)]

    def _holds(self, item: Record, key: str, name: str, test: str, wanted: Any) -> bool:
        value = getattr(item, name, None)
        if value is None and test not in _OF_UNKNOWN:
            return False
        if isinstance(value, list) and test == "contains":
            return wanted in self._forms(item, name)
        if name in self._of._of_nodes and test in ("eq", "ne") and isinstance(wanted, str):
            value = self._cell(item, name)
        try:
            return bool(_TESTS[test](value, wanted))
        except (TypeError, AttributeError):
            raise TypeError(f"{key}: cannot compare {type(value).__name__} with {type(wanted).__name__}") from None

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame with one row per record. Nodes are names. Needs pandas."""
        import pandas

        columns = self.columns
        return pandas.DataFrame([[self._cell(item, name) for name in columns] for item in self._items], columns=columns)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if value != int(value) else f"{value:.1f}"
    return "" if value is None else str(value)


_FROM_FRONT = {"message", "why", "effect", "log", "nodes", "layers"}
_SHORT = {"kind", "precision", "fate", "severity", "cause", "requested", "realised"}


@dataclasses.dataclass
class Link(Record):
    """A node that a layer computes: its number and name, and the evidence for the link."""

    index: int = 0
    evidence: list[Evidence] = dataclasses.field(default_factory=list)
    name: str = ""
    computed: bool = dataclasses.field(default=True, repr=False)    # False for a folded constant, and for a quantizer that became the layer's precision

    def __str__(self) -> str:
        return self.name or f"#{self.index}"


@dataclasses.dataclass
class Port(Record):
    """A tensor that a layer or a node reads or writes, with its type and layout there. Sizes may be names."""

    type: Precision = "unknown"
    name: Optional[str] = None
    layout: Optional[str] = None
    dims: Optional[list[Any]] = None
    sizes: Optional[list[Any]] = None
    format: Optional[str] = None

    def __str__(self) -> str:
        dims = self.sizes or self.dims
        sizes = "x".join(map(str, dims)) if dims else None
        return " ".join(part for part in (self.type, self.layout, sizes, self.name) if part)


@dataclasses.dataclass
class Layer(Record):
    """A layer of the engine. ``ms``, ``bytes`` and ``macs`` are for one run; None: unknown."""

    _in_html = ("index", "name", "kind", "precision", "cause", "ms", "bytes", "nodes")
    _in_text = ("index", "name", "kind", "precision", "ms", "nodes", "cause", "bytes")
    _of_links = ("nodes",)

    index: int = 0
    name: str = ""
    type: str = ""
    kind: Kind = ""  # type: ignore[assignment]
    precision: Precision = "unknown"
    opaque: bool = False
    inserted: bool = False
    cause: Optional[Cause] = None
    spent: Optional[Spent] = None
    log: Optional[str] = None
    nodes: list[Link] = dataclasses.field(default_factory=list)
    inputs: list[Port] = dataclasses.field(default_factory=list)
    outputs: list[Port] = dataclasses.field(default_factory=list)
    region: Optional[int] = None
    origin: Optional[str] = None
    tactic: Optional[str] = None
    ran_by: Optional[str] = None
    ran_with: Optional[str] = None
    ms: Optional[float] = None
    bytes: Optional[int] = None
    bias_bytes: Optional[int] = None
    weight_bytes: Optional[int] = None
    macs: Optional[int] = None


@dataclasses.dataclass
class Node(Record):
    """A node of the model: its outcome, the layers that compute it, and its share of their time."""

    _in_html = ("index", "name", "op", "fate", "layers", "requested", "realised", "ms", "same_as", "why")
    _in_text = ("index", "name", "op", "fate", "layers", "requested", "realised", "ms", "same_as", "why")
    _of_nodes = ("same_as",)

    index: int = 0
    name: str = ""
    op: str = ""
    fate: Fate = ""  # type: ignore[assignment]
    why: Optional[str] = None
    layers: list[int] = dataclasses.field(default_factory=list)
    requested: Precision = "unknown"
    realised: Precision = "unknown"
    opaque: bool = False
    domain: Optional[str] = None
    scope: Optional[int] = None
    module: Optional[str] = None
    log: Optional[str] = None
    same_as: Optional[int] = None
    near_layer: Optional[int] = None
    region: Optional[int] = None
    inputs: list[Port] = dataclasses.field(default_factory=list)
    outputs: list[Port] = dataclasses.field(default_factory=list)
    ms: Optional[float] = None
    shares: bool = False
    macs: Optional[int] = None


@dataclasses.dataclass
class Finding(Record):
    """A finding that a reviewer should examine. Layers and nodes are numbers; tables show nodes by name."""

    _in_html = ("severity", "rule", "message", "layers", "nodes", "facts")
    _in_text = ("severity", "rule", "message")
    _of_nodes = ("nodes",)

    rule: str = ""
    severity: Severity = ""  # type: ignore[assignment]
    message: str = ""
    layers: list[int] = dataclasses.field(default_factory=list)
    nodes: list[int] = dataclasses.field(default_factory=list)
    tensors: list[str] = dataclasses.field(default_factory=list)
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    todo: Optional[str] = None


@dataclasses.dataclass
class Block(Record):
    """A block of the model that should be one kernel, the layers that compute it, and the reason if it is not one kernel."""

    _in_html = ("pattern", "called", "fused", "type", "layers", "reason")
    _in_text = ("pattern", "fused", "called", "reason")
    _of_nodes = ("nodes", "between")

    pattern: str = ""
    node: int = 0
    called: str = ""
    scope: str = ""
    fused: str = ""
    type: str = ""
    nodes: list[int] = dataclasses.field(default_factory=list)
    layers: list[int] = dataclasses.field(default_factory=list)
    between: list[int] = dataclasses.field(default_factory=list)
    reason: Optional[str] = None
    reasons: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Violation(Record):
    """A finding of a check. Layers and nodes are names, because they may belong to either build or to both."""

    _in_html = ("severity", "rule", "message", "line", "layers", "nodes")
    _in_text = ("severity", "rule", "message")

    rule: str = ""
    severity: Severity = ""  # type: ignore[assignment]
    message: str = ""
    file: str = ""
    line: Optional[int] = None
    nodes: list[str] = dataclasses.field(default_factory=list)
    layers: list[str] = dataclasses.field(default_factory=list)
    fingerprint: str = ""
    cause: Optional[int] = None


@dataclasses.dataclass
class Edit(Record):
    """An edit of a model that lint proposes."""

    _in_html = ("rule", "action", "node_name", "input", "to_name", "tensor", "type", "scale", "scale_of", "effect")
    _in_text = ("action", "node_name", "input", "tensor", "scale", "effect")
    _of_nodes = ("node", "to")

    finding: int = 0
    rule: str = ""
    action: Action = ""  # type: ignore[assignment]
    tensor: str = ""
    node: int = 0
    node_name: str = ""
    input: int = 0
    to: Optional[int] = None
    to_name: Optional[str] = None
    on_request: bool = False
    scale_of: Optional[str] = None
    scale_tensor: Optional[str] = None
    scale: Optional[float] = None
    type: Optional[Precision] = None
    effect: str = ""


@dataclasses.dataclass
class Form(Record):
    """Type and memory layout of a tensor."""

    type: str = ""
    layout: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.type, self.layout)))


@dataclasses.dataclass
class Group(Record):
    """The nodes that one layer computes, or that several layers compute if it is unknown which of them computes which node."""

    kind: str = ""
    precision: str = ""
    layers: int = 0
    loose: bool = False
    nodes: list[str] = dataclasses.field(default_factory=list)
    tactic: Optional[str] = None
    ms: Optional[float] = None

    def __str__(self) -> str:
        return " ".join(filter(None, (" + ".join(self.nodes) or self.kind, self.precision)))


@dataclasses.dataclass
class Region(Record):
    """A set of nodes, with the groups in which the layers of both builds compute them, and the times before and after."""

    _in_html = ("region", "what", "precision", "old", "new", "before", "after")
    _in_text = ("region", "what", "precision", "old", "new", "before", "after")

    region: int = 0
    what: Literal["same", "fusion-lost", "fusion-gained", "regrouped", "opaque", "only-old", "only-new"] = ""  # type: ignore[assignment]
    precision: str = ""
    differs: bool = False
    opaque: bool = False
    layout: bool = False
    layers: bool = False
    moves: bool = False
    tactic: bool = False
    old: list[Group] = dataclasses.field(default_factory=list)
    new: list[Group] = dataclasses.field(default_factory=list)
    before: Optional[float] = None
    after: Optional[float] = None


@dataclasses.dataclass
class Edge(Record):
    """A tensor between two nodes that the builds read or write in different types or layouts."""

    _in_html = ("old_from", "old_to", "before", "after", "change", "region")
    _in_text = ("old_from", "old_to", "before", "after", "change", "region")

    region: int = 0
    old_from: str = ""
    old_to: str = ""
    new_from: str = ""
    new_to: str = ""
    before: Optional[Form] = None
    after: Optional[Form] = None
    change: Literal["same", "narrowed", "changed", "retyped", "widened"] = ""  # type: ignore[assignment]


@dataclasses.dataclass
class Change(Record):
    """A difference between the inputs of the builds: nodes, build options, the GPU, ..."""

    aspect: str = ""
    what: str = ""
