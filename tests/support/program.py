"""Runs the program that is tested, as subprocess.run() does, and starts it only once.

A start with the sanitizers takes longer than most runs. The program of a build with the address sanitizer
(tests/sanitize/forks.c) therefore takes command lines from a socket and forks a process for each; any other program is
started for each command line.
"""
import atexit
import mmap
import os
import selectors
import socket
import subprocess
import threading

VARIABLE = "FSD_TEST_COMMANDS"
programs = {}  # a thread, a path, limits, an environment and a umask -> a Program, or None for one that takes no commands


class Program:
    """A program that waits for command lines."""

    def __init__(self, path, limit):
        self.line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen([path], pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL, preexec_fn=limit, env={**os.environ, VARIABLE: str(other.fileno())})

    def run(self, args, folder):
        """Returns the status as waitpid() does, standard output and standard error."""
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with open(os.devnull, "rb") as nothing, open(out_end, "wb"), open(err_end, "wb"):
            socket.send_fds(self.line, [b"".join(os.fsencode(word) + b"\0" for word in (folder, *args))],
                            [nothing.fileno(), out_end, err_end])
        written = read_all(out, err)
        status = self.line.recv(8)
        if len(status) != 4:
            raise RuntimeError("the program that forks for each command line has ended")
        return int.from_bytes(status, "little", signed=True), *written

    def end(self):
        self.line.close()
        self.process.wait()


def read_all(*pipes):
    """Returns what is written to each of the pipes until their ends, and closes them."""
    read = {pipe: [] for pipe in pipes}
    with selectors.DefaultSelector() as ready:
        for pipe in pipes:
            ready.register(pipe, selectors.EVENT_READ)
        while ready.get_map():
            for key, _ in ready.select():
                piece = os.read(key.fd, 1 << 16)
                read[key.fd].append(piece)
                if not piece:
                    ready.unregister(key.fd)
                    os.close(key.fd)
    return [b"".join(pieces) for pieces in read.values()]


def takes_commands(path):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(VARIABLE.encode()) >= 0


def waiting(path, limit):
    """Returns the Program of this thread, these limits, environment and umask, or None if each command line needs a start
    of its own."""
    mask = os.umask(0)
    os.umask(mask)
    key = threading.get_ident(), path, limit, frozenset(os.environ.items()), mask
    if key not in programs:
        programs[key] = Program(path, limit) if takes_commands(path) else None
    return programs[key]


@atexit.register
def end_all():
    for program in filter(None, programs.values()):
        program.end()


def run(command, cwd=None, text=False, limit=None):
    """Runs the command, whose first word is the path of the program, without standard input.

    Returns what subprocess.run() returns with capture_output. `limit` sets the limits of resources of the new process;
    without it, they are those of the first run.
    """
    path, *args = map(os.fspath, command)
    path = os.path.abspath(path)
    folder = os.path.abspath(cwd or ".")
    os.stat(folder)  # raises an error if it is missing
    program = waiting(path, limit)
    if not program:
        return subprocess.run([path, *args], cwd=folder, text=text, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              preexec_fn=limit)
    status, out, err = program.run(args, folder)
    if text:
        out, err = (written.decode().replace("\r\n", "\n").replace("\r", "\n") for written in (out, err))
    return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), out, err)
