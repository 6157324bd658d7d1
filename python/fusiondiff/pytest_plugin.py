"""The fixture ``assert_fusions(snapshot, model, engine)``, for tests that build engines.

If the snapshot is missing, the fixture writes it and the test fails once, so that the user reviews and commits the snapshot. ``pytest
--fusiondiff-update`` rewrites existing snapshots.
"""

from __future__ import annotations

import datetime
import os
import stat
import tempfile
from collections.abc import Sequence
from typing import Protocol

import pytest

import fusiondiff


class AssertFusions(Protocol):
    """The type of the fixture: it compares a build with a snapshot, with the arguments of :func:`fusiondiff.check`."""

    def __call__(self, snapshot: str | os.PathLike[str], model: fusiondiff.Input | None = None,
                 engine: fusiondiff.Input | Sequence[fusiondiff.Input] | None = None, *, policy: fusiondiff.Input | None = None,
                 today: datetime.date | None = None, log: fusiondiff.Input | None = None,
                 profile: fusiondiff.Input | Sequence[fusiondiff.Input] | None = None, times: fusiondiff.Input | None = None,
                 shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
                 peak: tuple[float, float] | None = None, force: bool = False, label: str | None = None) -> None: ...


def _write(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file as the program does. At any time the file has the old text or the new text. A link must not lead out of its folder."""
    at = os.path.realpath(path)
    home, folder = os.path.realpath(os.path.dirname(path) or "."), os.path.dirname(at)
    if os.path.commonpath([home, folder]) != home:
        raise PermissionError(f"{os.fspath(path)}: expected a file or a link within its folder, found a link to {at}")
    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE(os.stat(at).st_mode) if os.path.exists(at) else 0o666 & ~mask
    number, beside = tempfile.mkstemp(prefix=os.path.basename(at) + ".", dir=folder)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            os.fchmod(number, mode)
            file.write(text)
            file.flush()
            os.fsync(number)
        os.replace(beside, at)
    except BaseException:
        os.unlink(beside)
        raise
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fusiondiff-update", action="store_true", help="rewrite snapshots of fusions from what is built")


@pytest.fixture
def assert_fusions(request: pytest.FixtureRequest) -> AssertFusions:
    """Returns the function that fails with the report if a build does not match its snapshot."""
    update = bool(request.config.getoption("--fusiondiff-update"))

    def held(snapshot: str | os.PathLike[str], model: fusiondiff.Input | None = None,
             engine: fusiondiff.Input | Sequence[fusiondiff.Input] | None = None, *, policy: fusiondiff.Input | None = None,
             today: datetime.date | None = None, log: fusiondiff.Input | None = None,
             profile: fusiondiff.Input | Sequence[fusiondiff.Input] | None = None, times: fusiondiff.Input | None = None,
             shapes: str | Sequence[str] = (), engine_number: int = 0, opt_profile: int | None = None,
             peak: tuple[float, float] | None = None, force: bool = False, label: str | None = None) -> None:
        there = os.path.exists(snapshot)
        if update or not there:
            reads = fusiondiff._Reads()
            with reads.recorded():
                text = fusiondiff.snapshot(model, engine, log=log, profile=profile, times=times, shapes=shapes, engine_number=engine_number,
                                           opt_profile=opt_profile, peak=peak, force=force, label=label)
            reads.refuse(snapshot)
            _write(snapshot, text)
            if not there and not update:
                pytest.fail(f"{os.fspath(snapshot)} was not there; it is written now: look at it and commit it",
                            pytrace=False)
            return
        check = fusiondiff.check(snapshot, model, engine, policy=policy, today=today, log=log, profile=profile, times=times,
                                 shapes=shapes, engine_number=engine_number, opt_profile=opt_profile, peak=peak, force=force, label=label)
        if check.failed:
            pytest.fail(f"{check}or, of all that fail: pytest --fusiondiff-update", pytrace=False)

    return held
