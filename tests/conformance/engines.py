"""Engines of the cases, by the pinned builder: one process a model, kept by a hash of all that decides a build.

    engines.py CACHE FOLDER [SHARED] [--jobs N] [--only SUITE]   builds all that the cache does not have

A build comes out as one of `built`, `parser` (refused by the importer of ONNX), `builder` (refused later),
`crash`, `time` and `harness` (the sizes that this file chose were refused, which says nothing of the model)."""
import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
CAPABILITY = "SM89"
LETTER = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}
# Seconds of a processor for a model of one operator, and for a network.
LIMIT, NETWORK_LIMIT = 120, 600


def builder():
    import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
    import tensorrt_rtx_bindings as trt
    return trt


def builder_version():
    from importlib.metadata import version
    return version("tensorrt-rtx-cu13-bindings")


def profile_of(trt, network, case, make):
    """Open sizes, and values that decide sizes, are those of the test's data; 1, 4 and 8 where it has none."""
    profile, used = make(), False
    for i in range(network.num_inputs):
        tensor = network.get_input(i)
        data = case.inputs.get(tensor.name, {})
        dims = list(tensor.shape)
        if tensor.is_shape_tensor:
            count = 1
            for d in dims:
                count *= max(d, 1)
            values = data.get("values")
            profile.set_shape_input(tensor.name, *([values] * 3 if values else ([n] * count for n in (1, 4, 8))))
            used = True
        if any(d < 0 for d in dims):
            sizes = data.get("dims")
            profile.set_shape(tensor.name, *([sizes] * 3 if sizes else ([n if d < 0 else d for d in dims]
                                                                       for n in (1, 4, 8))))
            used = True
    return profile if used else None


def build(trt, case, log):
    """(outcome, the builder's words); what it prints goes to `log`."""
    errors = []

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, msg):
            if severity.name in ("ERROR", "INTERNAL_ERROR"):
                errors.append(msg)
            out.write(f"[01/01/2026-00:00:00] [TRT] [{LETTER[severity.name]}] {msg}\n")

    with open(log, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as out:
        maker = trt.Builder(Logger())
        network = maker.create_network(0)
        parser = trt.OnnxParser(network, maker.logger)
        if not parser.parse_from_file(case.path):
            return "parser", str(parser.get_error(0).desc())
        config = maker.create_builder_config()
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        config.num_compute_capabilities = 1
        config.set_compute_capability(getattr(trt.ComputeCapability, CAPABILITY), 0)
        try:
            profile = profile_of(trt, network, case, maker.create_optimization_profile)
            if profile and config.add_optimization_profile(profile) < 0:
                return "harness", errors[0] if errors else "the profile was refused"
        except (ValueError, TypeError, RuntimeError) as error:
            return "harness", str(error)
        if maker.build_serialized_network(network, config) is None:
            return "builder", errors[0] if errors else ""
        return "built", ""


# ------------------------------------------------------------------------------ the cache


class Engines:
    def __init__(self, cache, shared=None):
        self.cache, self.shared = os.path.abspath(cache), shared
        self.version = builder_version()
        with open(os.path.abspath(__file__), "rb") as file:
            self.tool = hashlib.sha256(file.read().split(b"# ---", 1)[0]).digest()

    def key(self, case):
        """Of the model's bytes, the builder's version, and what decides how this file calls it."""
        digest = hashlib.sha256(self.tool)
        digest.update(f"{self.version} {CAPABILITY}".encode())
        digest.update(json.dumps(case.inputs, sort_keys=True).encode())
        with open(case.path, "rb") as file:
            digest.update(file.read())
        return digest.hexdigest()[:20]

    def folder(self, case):
        """Where the case's model.onnx, build.log and outcome.json are, or will be."""
        return os.path.join(self.cache, "engines", self.key(case))

    def outcome(self, case):
        """What came of the build; None where it was not tried yet."""
        try:
            with open(os.path.join(self.folder(case), "outcome.json"), encoding="utf-8") as file:
                return json.load(file)
        except OSError:
            return None


def finish(at, outcome, why, started):
    with open(os.path.join(at, "outcome.part"), "w", encoding="utf-8", errors="replace") as file:
        json.dump({"outcome": outcome, "why": why.strip()[:4000], "seconds": round(started, 2)}, file)
    os.rename(os.path.join(at, "outcome.part"), os.path.join(at, "outcome.json"))


def limit_of(case):
    return NETWORK_LIMIT if case.family == "network" or case.suite == "shared" else LIMIT


def start(trt, engines, case):
    """Begins a build in a process of its own, which the builder may bring down; its id."""
    at = engines.folder(case)
    os.makedirs(at, exist_ok=True)
    link = os.path.join(at, "model.onnx")
    if not os.path.lexists(link):
        os.symlink(os.path.realpath(case.path), link)
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        limit = limit_of(case)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        log = os.path.join(at, "build.log")
        if case.suite == "shared":
            # Exporters' models, whose weights are absent: the tool beside them makes some.
            tool = os.path.join(engines.shared, "zoo", "build_engine.py")
            info = os.path.join(at, "info.json")
            done = subprocess.run([sys.executable, tool, "--fill", "--cc", CAPABILITY, "--info", info, case.path, log],
                                  check=False)
            if not os.path.exists(info):
                os._exit(128 - done.returncode if done.returncode < 0 else done.returncode or 1)
            with open(info, encoding="utf-8") as file:
                told = json.load(file)
            outcome = "built" if told.get("built") else "builder" if told["parsed"] else "parser"
            why = (told.get("why") or [""])[0]
        else:
            outcome, why = build(trt, case, log)
        used = sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
                   for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        finish(at, outcome, why, used)
        status = 0
    finally:
        os._exit(status)


def reap(engines, running, child, status):
    case = running.pop(child)
    at = engines.folder(case)
    if os.path.exists(os.path.join(at, "outcome.json")):
        return
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else max(os.WEXITSTATUS(status) - 128, 0)
    if number in (signal.SIGXCPU, signal.SIGKILL):
        finish(at, "time", f"ended after {limit_of(case)} s of a processor", limit_of(case))
    else:
        finish(at, "crash", f"the builder ended by signal {number}" if number else "the builder ended", 0)


def build_all(engines, wanted, jobs, tell=lambda done, all_: None):
    """Builds what the cache does not have; how many that were."""
    todo = [c for c in wanted if engines.outcome(c) is None]
    # The longest first, so that no core waits for a last one.
    todo.sort(key=lambda c: -limit_of(c))
    trt, running, done = builder() if todo else None, {}, 0
    for case in todo + [None]:
        while running and (case is None or len(running) >= jobs):
            child, status = os.wait()
            if child in running:
                reap(engines, running, child, status)
                done += 1
                tell(done, len(todo))
        if case is not None:
            running[start(trt, engines, case)] = case
    return len(todo)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache")
    parser.add_argument("folder")
    parser.add_argument("shared", nargs="?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only")
    args = parser.parse_args()
    wanted = [c for c in cases.collect(args.folder, args.shared) if args.only in (None, c.suite)]

    def tell(done, all_):
        if done % 50 == 0:
            print(f"{time.strftime('%H:%M:%S')} {done} of {all_} built", flush=True)

    print(build_all(Engines(args.cache, args.shared), wanted, args.jobs, tell), "builds")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)    # the builder ends badly with the interpreter
