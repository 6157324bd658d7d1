#!/usr/bin/env python3
"""prefixes.py BINARY FIXTURES [SEED [MORE [LOGS]]]: what another program puts before each line of a log changes nothing.

Each log, or so many of LOGS, is written as twenty programs write it, and as MORE (10) made by SEED do, with other times
and numbers on each line: before TensorRT's own prefix and in its place.  Layers, nodes and findings must be those of the
log itself."""
import itertools
import json
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

LOGS = ["log/new-syntax.log", "log/old-syntax.log", "log/inspector.log", "log/two-texts.log", "build_log/build.log", "forms/dla.log",
        "log/failed-builder.log", "log/options.log", "rtx/functions.log"]
OWN = re.compile(rb"^(?:\[\d\d/\d\d/\d{4}-[\d:]{8}\] )*(?:\[([VIWEF])\] )?(?:\[TRT\] )?")
WORDS = {"V": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL"}


class Line:
    """What a prefix may state of one line."""

    def __init__(self, rng, number, severity):
        self.rng, self.number, self.severity = rng, number, severity
        s = number % 60
        self.clock = f"19:{48 + number // 60 % 10:02}:{s:02}"
        self.us = f"{rng.randrange(10 ** 6):06}"
        self.word = WORDS[severity]

    def hex(self, n):
        return "".join(self.rng.choice("0123456789abcdef") for _ in range(n))


KINDS = {
    "ros2 launch": lambda x: "[lidar_centerpoint_node-12] ",
    "docker compose": lambda x: "builder-1  | ",
    "kubernetes": lambda x: f"2024-01-20T{x.clock}.{x.us}789+00:00 stdout F ",
    "glog": lambda x: f"{x.severity.replace('V', 'I')}0911 {x.clock}.{x.us} {x.rng.randrange(1, 9999)} "
                      f"{x.rng.choice(['logging', 'helper', 'op_teller'])}.cc:{x.rng.randrange(10, 900)}] ",
    "spdlog": lambda x: f"[2024-01-20 {x.clock}.{x.us[:3]}] [trt] [{x.word.lower()}] ",
    "tao": lambda x: f"2024-01-20 {x.clock},{x.us[:3]} [TAO Toolkit] [{x.word}] nvidia_tao_deploy.engine.builder 123: ",
    "deepstream": lambda x: f"0:00:{x.number % 60:02}.{x.us}901 12345 0x{x.hex(10)} {x.word} nvinfer gstnvinfer.cpp:646:"
                            f"gst_nvinfer_logger:<primary> NvDsInferContext[UID 1]: {x.word.title()} from NvDsInferContext"
                            f"Impl::buildModel() <nvdsinfer_context_impl.cpp:{x.rng.randrange(100, 2000)}> [UID = 1]: ",
    "c++ logger": lambda x: f"[{x.word:5}] 2020-10-28 {x.clock},{x.us[:3]} trt_logger.cpp(52): ",
    "trtorch": lambda x: f"{x.word}: [TRTorch Conversion Context] - ",
    "mail": lambda x: "> ",
    "journal": lambda x: f"Jan 20 {x.clock} orin3 trtexec[1234]: ",
    "syslog": lambda x: f"<14>1 2024-01-20T{x.clock}.{x.us}Z edge-7 trtexec 812 - - ",
    "actions": lambda x: f"2024-01-20T{x.clock}.{x.us}7Z ",
    "python": lambda x: f"2024-01-20 {x.clock},{x.us[:3]} - tensorrt - {x.word} - ",
    "spring": lambda x: f"2024-01-20 {x.clock}.{x.us[:3]} {x.word:>5} 1 --- [worker-{x.rng.randrange(1, 9)}] c.n.Builder : ",
    "logcat": lambda x: f"01-20 {x.clock}.{x.us[:3]}  {x.rng.randrange(100, 999)}  1204 I trt     : ",
    "srun": lambda x: "0: ",
    "mpirun": lambda x: "[1,0]<stdout>:",
    "numbered": lambda x: f"{x.number:6}\t",
    "stern": lambda x: f"builder-7f9c6d-{x.rng.choice(['x2xkq', 'mmwzp', 'q8d2f'])} trt ",
}


def made(rng):
    """A prefix of words, times, numbers and signs that no program is known to have."""
    word = lambda: "".join(rng.choice("abcdefghkmnoprstuvwz") for _ in range(rng.randrange(3, 9)))
    pieces = [lambda x, w=word(): w, lambda x: x.clock, lambda x: f"2024-01-20T{x.clock}.{x.us}",
              lambda x: f"0x{x.hex(8)}7", lambda x: str(x.rng.randrange(10 ** 5)), lambda x: x.word,
              lambda x, w=word(): f"{w}-{x.hex(6)}1", lambda x, w=word(): f"{w}.cpp:{x.rng.randrange(10, 999)}"]
    chosen = [(rng.choice(["{}", "[{}]", "<{}>", "({})", "{}:", "|{}"]), rng.choice(pieces))
              for _ in range(rng.randrange(1, 6))]
    end = rng.choice([" ", ": ", " | ", " - ", "> ", "] "])
    return lambda x: " ".join(form.format(piece(x)) for form, piece in chosen) + end


def wrapped(log, kind, keeps_own, seed):
    rng, out, severity = random.Random(seed), [], "I"
    for number, line in enumerate(log.split(b"\n")[:-1], 1):
        own = OWN.match(line)
        severity = own[1].decode() if own[1] else severity
        rest = line if keeps_own else line[own.end():]
        out.append(kind(Line(rng, number, severity)).encode() + rest)
    return b"\n".join(out) + b"\n"


def facts(binary, path):
    run = program.run([binary, path, "-f", "json"])
    if run.returncode > 1:  # a failed build: its message
        return run.stderr.decode().split("line", 1)[-1].split(":", 1)[-1]
    report = json.loads(run.stdout)
    return {key: report.get(key) for key in ("layers", "nodes", "summary", "flows", "findings")}


def main():
    binary, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
    seed, more, many = [int(word) for word in sys.argv[3:]] + [1, 10, len(LOGS)][len(sys.argv) - 3:]
    rng = random.Random(seed)
    logs = sorted(rng.sample(LOGS, many))
    kinds = dict(KINDS, **{f"made {i}": made(rng) for i in range(more)})
    runs = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for (name, kind), log in itertools.product(kinds.items(), logs):
            path = pathlib.Path(folder, "x.log")
            path.write_bytes((fixtures / log).read_bytes())
            right = facts(binary, path)
            for keeps_own in (True, False):
                path.write_bytes(wrapped((fixtures / log).read_bytes(), kind, keeps_own, f"{seed}{name}{log}"))
                runs += 1
                found = facts(binary, path)
                if found != right:
                    failures += 1
                    differ = "" if isinstance(found, str) or isinstance(right, str) else [
                        key for key in right if found[key] != right[key]]
                    print(f"FAILED {name}, {log}, {'before' if keeps_own else 'in place of'} TensorRT's prefix: "
                          f"{differ or found}")
    print(f"{runs} logs, {len(kinds)} kinds of prefix, {failures} read otherwise")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
