"""A server of the Model Context Protocol: fusiondiff for coding agents.

    python -m fusiondiff.mcp --root BUILDS [--root MORE] [--allow-write]

It communicates over standard input and output and opens no connection. It reads only files below its roots, and writes files only with
--allow-write. It needs the extra: pip install 'fusiondiff[mcp]'.
"""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations

from ._answers import INSTRUCTIONS, Refused, Tools

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fusiondiff")
WRITERS = ("check", "cut")


def _raising(error: type[Exception], function: Callable[..., str]) -> Callable[..., str]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> str:
        try:
            return function(*args, **kwargs)
        except Refused as refused:
            raise error(str(refused)) from None
    return call


def _add_records(server: MCPServer, tools: Tools) -> None:
    def summary(build: str) -> str:
        return tools.record(build)

    def layer(index: int, build: str) -> str:
        return tools.record(build, "layers", index)

    def node(index: int, build: str) -> str:
        return tools.record(build, "nodes", index)

    def finding(index: int, build: str) -> str:
        return tools.record(build, "findings", index)

    for address, function, what in (("summary", summary, "What a build comes to"), ("layer/{index}", layer, "One layer of a build"),
                                    ("node/{index}", node, "One node of a build's model"), ("finding/{index}", finding, "One finding of a build")):
        server.resource(f"fusiondiff://{address}/{{+build}}", name=function.__name__, description=what + ", as the JSON report has it.",
                        mime_type="application/json")(_raising(ResourceError, function))


def make_server(program: str, roots: list[str], write: bool = False) -> MCPServer:
    """Returns the server with its tools and resources."""
    tools = Tools(program, roots, write)
    server = MCPServer("fusiondiff", instructions=INSTRUCTIONS)
    for tool in (tools.report, tools.explain, tools.where, tools.compare, tools.check, tools.lint, tools.patterns, tools.cut):
        reads = tool.__name__ not in WRITERS or not write
        server.add_tool(_raising(ToolError, tool), structured_output=False,
                        annotations=ToolAnnotations(read_only_hint=reads, destructive_hint=not reads and tool.__name__ == "check",
                                                    idempotent_hint=True, open_world_hint=False))
    _add_records(server, tools)
    return server


def main() -> None:
    """Serves until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m fusiondiff.mcp", description="fusiondiff for coding agents, over standard input and output.")
    parser.add_argument("--root", action="append", metavar="DIR", help="read files below DIR; may be repeated (default: the working directory)")
    parser.add_argument("--allow-write", action="store_true", help="let check update snapshots and cut write new files, below the roots")
    parser.add_argument("--program", default=PROGRAM, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        server = make_server(arguments.program, arguments.root or [os.getcwd()], arguments.allow_write)
    except Refused as refused:
        parser.error(str(refused))
    server.run()


if __name__ == "__main__":
    main()
