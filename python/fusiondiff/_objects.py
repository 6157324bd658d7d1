"""What the JSON reports hold, as typed objects.

The reports' own schemas say what each field means; fields that a later version adds are
kept in ``extra``.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Optional, TypeVar, Union, overload

if typing.TYPE_CHECKING:
    import pandas

Item = TypeVar("Item", bound="Record")


def _value(hint: Any, data: Any) -> Any:
    """JSON as what a field is declared to hold."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if data is None:
        return None
    if origin is Union:  # Optional
        return _value(next(arg for arg in inner if arg is not type(None)), data)
    if origin is list:
        return [_value(inner[0], item) for item in data]
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_json(data)
    if hint is int and isinstance(data, str):  # beyond 2^53
        return int(data)
    return data


_hints: dict[type, dict[str, Any]] = {}


@dataclasses.dataclass
class Record:
    """One object of a report."""

    extra: dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls: type[Item], data: dict[str, Any]) -> Item:
        """Makes one of a report's object."""
        if cls not in _hints:
            _hints[cls] = typing.get_type_hints(cls)
        hints = _hints[cls]
        known = {name: _value(hints[name], data[name]) for name in hints if name in data and name != "extra"}
        return cls(extra={name: value for name, value in data.items() if name not in hints}, **known)


class Table(Sequence[Item], Generic[Item]):
    """Records of one kind, in the report's order.

    >>> table = Table([Node(index=0, op="Relu"), Node(index=1, op="Conv")])
    >>> [node.op for node in table]
    ['Relu', 'Conv']
    >>> table.where(op="Conv")[0].index
    1
    """

    def __init__(self, items: list[Item]) -> None:
        self._items = items

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Table[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | Table[Item]:
        return Table(self._items[at]) if isinstance(at, slice) else self._items[at]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __repr__(self) -> str:
        return f"Table of {len(self)}: {self._items[:3]!r}{' ...' if len(self) > 3 else ''}"

    def _repr_html_(self) -> str:
        """The first records, and the fields that any of them has."""
        import html

        def cell(value: Any) -> str:
            if isinstance(value, list):
                return ("<br>" if any(isinstance(item, Record) for item in value) else ", ").join(map(cell, value))
            return "" if value is None else html.escape(str(value))

        shown = self._items[:50]
        fields = [field.name for field in dataclasses.fields(shown[0]) if field.name != "extra"] if shown else []
        names = [name for name in fields if any(getattr(row, name) not in (None, [], {}, "") for row in shown)]
        rows = "".join("<tr>" + "".join(f"<td>{cell(getattr(row, name))}</td>" for name in names) + "</tr>" for row in shown)
        more = f"<p>and {len(self) - len(shown)} more</p>" if len(self) > len(shown) else ""
        return f"<table><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>{rows}</table>{more}"

    def where(self, **fields: Any) -> Table[Item]:
        """Those whose fields are so."""
        return Table([item for item in self if all(getattr(item, name) == value for name, value in fields.items())])

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with one row a record; needs pandas."""
        import pandas

        rows = [dataclasses.asdict(item) for item in self]
        for row in rows:
            row.update(row.pop("extra"))
        return pandas.DataFrame(rows)


@dataclasses.dataclass
class Link(Record):
    """That a layer computes a node."""

    index: int = 0
    evidence: list[str] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.index} ({', '.join(self.evidence)})"


@dataclasses.dataclass
class Port(Record):
    """A tensor as a layer reads or writes it; sizes may be names."""

    type: str = "unknown"
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
    """A layer of the engine."""

    index: int = 0
    name: str = ""
    type: str = ""
    kind: str = ""
    precision: str = "unknown"
    inserted: bool = False
    cause: Optional[str] = None
    nodes: list[Link] = dataclasses.field(default_factory=list)
    inputs: list[Port] = dataclasses.field(default_factory=list)
    outputs: list[Port] = dataclasses.field(default_factory=list)
    region: Optional[int] = None
    tactic: Optional[str] = None
    ran_by: Optional[str] = None
    ran_with: Optional[str] = None
    ms: Optional[float] = None
    bytes: Optional[int] = None
    macs: Optional[int] = None


@dataclasses.dataclass
class Node(Record):
    """A node of the model."""

    index: int = 0
    name: str = ""
    op: str = ""
    fate: str = ""
    why: Optional[str] = None
    layers: list[int] = dataclasses.field(default_factory=list)
    requested: str = "unknown"
    realised: str = "unknown"
    domain: Optional[str] = None
    same_as: Optional[int] = None
    near_layer: Optional[int] = None
    region: Optional[int] = None
    ms: Optional[float] = None
    macs: Optional[int] = None


@dataclasses.dataclass
class Finding(Record):
    """What a reviewer should look at."""

    rule: str = ""
    severity: str = ""
    message: str = ""
    layers: list[int] = dataclasses.field(default_factory=list)
    nodes: list[int] = dataclasses.field(default_factory=list)
    tensors: list[str] = dataclasses.field(default_factory=list)
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Edit(Record):
    """What lint would change in a model."""

    finding: int = 0
    rule: str = ""
    action: str = ""
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
    type: Optional[str] = None
    effect: str = ""
