"""What the system may do to a program: odd files, full disks, closed pipes, death."""
import ctypes
import gzip
import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rights  # noqa: E402  pylint: disable=wrong-import-position

NOBODY = 65534
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures")


def inputs(h, model, engine):
    """Inputs that are no plain files: refused at once, never waited for."""
    os.mkfifo(h.path("fifo"))
    os.symlink(h.path("fifo"), h.path("to-fifo"))
    os.symlink(h.path("loop"), h.path("loop"))
    os.symlink(h.path("nowhere"), h.path("dangling"))
    os.mkdir(h.path("no-build"))    # a directory with a build is an ENGINE
    odd = [h.path(n) for n in ("fifo", "to-fifo", "loop", "dangling", "missing", "no-build")]
    for path in h.some(odd + ["/dev/zero", "/dev/tty", "/proc/self/mem", "", "x" * 5000, "/dev/fd/99"]):
        h.run("model " + path[:99], path, engine, allowed=(2,))
        h.run("engine " + path[:99], model, path, allowed=(2,))
    h.run("both from stdin", "-", "-", allowed=(2,))
    os.symlink(model, h.path("link-model"))
    h.run("symlink to a model", h.path("link-model"), engine, allowed=(0,))
    with open(model, "rb") as file:
        h.run("model from stdin", "-", engine, stdin=file, allowed=(0,))


def beside(h, model, engine):
    """The files beside the pair are refused as the pair is, and no output goes onto one."""
    snapshot = h.path("own.fsd")
    h.run("snapshot", "snapshot", model, engine, "-o", snapshot, allowed=(0,))
    check = ["check", snapshot, model, engine]
    policy = h.path("own.ini", b"[latency]\nlevel = off\n")
    profile = h.path("own.profile.json", b'[{"count": 1}, {"name": "x", "averageMs": 1}]')
    log = h.path("own.log", b"[01/02/2024-10:00:00] [V] [TRT] nothing\n")
    empty = h.path("empty")
    os.mkdir(empty) # a directory of snapshots would be one to choose from
    for path in h.some((h.path("fifo"), h.path("to-fifo"), h.path("loop"), "/dev/zero", empty, "")):
        for option in ("--log", "--profile", "--times"):
            h.run(option + " " + path, model, engine, option + "=" + path, allowed=(2,))
        h.run("policy " + path, *check, "--policy=" + path, allowed=(2,))
        if "fifo" not in path:      # a list may come from another program
            h.run("pairs " + path, "batch", path, allowed=(2,))
        h.run("snapshot " + path, "check", path, model, engine, allowed=(2,))
        h.run("old " + path, "compare", path, snapshot, allowed=(2,))
    for path, args in ((snapshot, check), (policy, [*check, "--policy=" + policy]),
                       (profile, [model, engine, "--profile=" + profile]),
                       (log, [model, engine, "--log=" + log]), (snapshot, ["compare", snapshot, snapshot])):
        before = read(path)
        h.run("output onto " + path, *args, "-f", "json", "-o", path, allowed=(2,))
        h.check(read(path) == before, "output onto " + path, "the input has changed")


def lists(h, model, engine):
    """A list of pairs, and what is gone on with, is read to its end, or the run ends."""
    if h.sanitized:
        return      # no limit of memory leaves the address sanitizer any
    line = ("%s %s\n" % (model, engine)).encode()
    long = h.path("long.pairs", line + b"x" * (80 << 20) + b"\n" + line)
    status, out, err = h.run_both("long list", "batch", long, "--follow", "--max-memory=64", allowed=(2,))
    h.check("out of memory" in err and not out, "long list", "%s %s" % (out[:99], err))
    short = h.path("short.pairs", line)
    report = h.run("short list", "batch", short, "--follow", allowed=(0,))[1].encode()
    begun = h.path("long.jsonl", report[:-2] + b" " * (80 << 20) + report[-2:] + report)
    before = os.path.getsize(begun)
    h.run("long line", "batch", h.path("three.pairs", line * 3), "--follow", "--max-memory=64", "-o", begun, "--resume",
          allowed=(2,))
    h.check(os.path.getsize(begun) == before, "long line", "the lines behind it are gone")


def unreadable(h, model, engine):
    own, other = h.binary, rights.as_any_user()
    h.binary, model, engine = (rights.owned(path, h.folder) for path in (h.binary, model, engine))
    secret, locked = h.path("secret", b"x"), h.path("locked")
    os.chmod(secret, 0)
    os.mkdir(locked, 0o555)
    try:
        subprocess.run([h.binary, "--version"], check=True, stdout=subprocess.DEVNULL, **other)
    except subprocess.SubprocessError as error:
        print("skipped unreadable: root keeps its rights here: %s" % error)
    else:
        h.run("unreadable", secret, engine, allowed=(2,), **other)
        h.run("no room to write", model, engine, "-o", locked + "/r.json", allowed=(2,), **other)
        h.check(not os.listdir(locked), "no room to write", "something was left")
    h.binary = own


def read(path):
    with open(path, "rb") as file:
        return file.read()


def outputs(h, model, engine):
    """An output that is an input, by whatever name, is refused and the input is whole."""
    for side, path in (("model", model), ("engine", engine)):
        before = read(path)
        os.symlink(path, h.path(side + "-symlink"))
        os.link(path, h.path(side + "-hardlink"))
        for alias in (path, h.path(side + "-symlink"), h.path(side + "-hardlink"),
                      os.path.join(h.folder, ".", os.path.basename(path))):
            h.run("output onto " + side, model, engine, "-f", "json", "-o", alias, allowed=(2,))
            h.check(read(path) == before, "output onto " + side, "the input has changed")
    for path in ("/dev/full", h.folder, h.path("none/x.json"), h.path("y" * 300 + ".json")):
        h.run("output " + path[:60], model, engine, "-f", "json", "-o", path, allowed=(2,))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([h.binary, model, engine], stdout=full, stderr=subprocess.PIPE,
                              check=False)
    h.check(done.returncode == 2 and b"No space left" in done.stderr, "full standard output",
            "status %d" % done.returncode)
    leftovers = [n for n in os.listdir(h.folder) if ".json." in n]
    h.check(not leftovers, "outputs", "left behind: %s" % leftovers)


def odd_names(h, model, engine):
    """File names with escapes reach neither terminal nor report."""
    for name in (b"\x1b[31m.onnx", b"\xff\xfe.onnx", b"a\nb.onnx", "\u202e\u009b.onnx".encode()):
        path = os.path.join(h.folder.encode(), name)
        h.run("missing odd name", path, engine, allowed=(2,))
        h.run("odd output", model, engine, "-o", path + b"/x.json", allowed=(2,))
        try:
            shutil.copy(model, path)
        except OSError as error:
            print("skipped odd name: this file system has no %r: %s" % (name, error))
            continue
        for form in ("text", "json"):
            _, out = h.run("odd name", "-f", form, path, engine, allowed=(0,))
            h.check(form == "text" or json.loads(out), "odd name", "no JSON")


def full_disk(h, model, engine):
    """On a disk without room the old report stays, and nothing else."""
    disk = h.path("disk")
    os.mkdir(disk)
    script = ('mount -t tmpfs -o size=8k tmpfs "$0" && echo old >"$0/r.json" && '
              '{ "$1" "$2" "$3" -o "$0/r.json" 2>&1; echo "status $?"; cat "$0/r.json"; ls "$0"; }')
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, disk, h.binary, model, engine],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print("skipped full_disk: no file system of its own may be mounted here")
        return
    h.check("No space left" in done.stdout and done.stdout.endswith("status 2\nold\nr.json\n"),
            "full disk", done.stdout[-500:])


def closed_pipe(h, model, engine):
    for closed in ("stdout", "stdin"):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([h.binary, model, engine], stdin=subprocess.DEVNULL,
                              stdout=write_end if closed == "stdout" else subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        os.close(write_end)
        h.check(done.returncode == (2 if closed == "stdout" else 0), "closed pipe",
                "status %d %s" % (done.returncode, done.stderr))
    command = '"$0" "$1" "$2" >&-; echo $?'
    done = subprocess.run(["sh", "-c", command, h.binary, model, engine], capture_output=True,
                          check=False)
    h.check(done.stdout == b"2\n", "standard output closed", repr(done.stdout))


def killed(h, model, engine):
    """Killed at any time there is the old report or the new one, whole."""
    path = h.path("killed.json")
    rng = random.Random(1)
    begin = time.monotonic()
    h.run("to be killed", model, engine, "-o", path, allowed=(0,))
    takes = time.monotonic() - begin
    whole, cut = read(path), 0
    for _ in h.some(range(40)):
        sign = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        with open(path, "wb") as file:
            file.write(b"old")
        with subprocess.Popen([h.binary, model, engine, "-o", path], stderr=subprocess.DEVNULL) as p:
            time.sleep(rng.random() * takes)
            p.send_signal(sign)
        left = [n for n in os.listdir(h.folder) if n.startswith("killed.json.")]
        h.check(read(path) in (b"old", whole), "killed", "half a report")
        h.check(sign == signal.SIGKILL or not left, "killed by %d" % sign, "left: %s" % left)
        for name in left:
            os.unlink(h.path(name))
        cut += p.returncode != 0
    return cut


def cut_while_read(h, model, engine):
    """Whatever is cut at whatever time, the program ends with a report or an error that names it."""
    log = h.path("long.log")
    line = b"[01/02/2024-10:00:00] [V] [TRT] *************** Autotuning format combination: Float(1) ***\n"
    lost = 0
    for i in h.some(range(20)):
        with open(log, "wb") as file:
            file.write(line * 300000)
        args = ([log, engine], [model, log], [model, engine, "--log=" + log], [model, engine, "--profile=" + log])[i % 4]
        watch = Watch(log)
        with subprocess.Popen([h.binary, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
            while not watch.opened() and p.poll() is None:
                pass
            os.truncate(log, i * 4096)
            said = p.communicate()[1].decode()
        h.check(p.returncode in (0, 2), "cut while read", "status %d" % p.returncode)
        lost += p.returncode == 2 and "long.log: " in said and "while it was read" in said
    return lost


class Watch:
    """Whether a file was opened."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK)
        self.libc.inotify_add_watch(self.fd, path.encode(), 0x20)     # IN_OPEN

    def opened(self):
        try:
            return bool(os.read(self.fd, 4096))
        except BlockingIOError:
            return False


def external(h, make, engine):
    """Other files that a model names are never opened."""
    os.makedirs(h.path("deep/er"), exist_ok=True)
    secret = h.path("outside", b"0" * 16)
    beside = h.path("deep/er/beside", b"0" * 16)
    watches = [Watch(secret), Watch(beside)]
    for location in ("../../outside", secret, "beside", "./beside", "file://" + secret):
        model = h.path("deep/er/model.onnx", make(location))
        h.run("external " + location, "--force", model, engine, allowed=(0,))
        h.run("external " + location, "--dump", "model", model, allowed=(0,))
    h.check(not any(w.opened() for w in watches), "external", "another file was opened")
    with open(secret, "rb"):
        h.check(watches[0].opened(), "external", "the watch does not work")


def secrets(h, model, engine):
    """An input that a stranger's change made a link to a secret is refused without a word of it; what a key
    or a section is called is shown, and its value is not."""
    snapshot = h.path("secret.fsd")
    h.run("secrets", "snapshot", model, engine, "-o", snapshot, allowed=(0,))
    for n, secret in enumerate((b"evil", b"evil\n", b"TOKEN=evil\n", b"token: evil\n", b"a\nevil evil\n", b"[default]\nkey = evil\n",
                                b'{"token": "evil"}', b"-----BEGIN PRIVATE KEY-----\nevil\n", b"root:evil:1:evil\n")):
        link = h.path("link%d" % n)
        os.symlink(h.path("secret%d" % n, secret), link)
        for words in h.some(([link, engine], [model, link], [model, engine, "--log", link], [model, engine, "--profile", link],
                             [model, engine, "--times", link], ["check", link, model, engine], ["check", snapshot, model, link],
                             ["check", snapshot, model, engine, "--policy", link], ["compare", link, model + "," + engine],
                             ["lint", link], ["snapshot", model, link])):
            status, out, err = h.run_both("secret", *words, allowed=(2,))
            h.check("evil" not in out + err, "secret", "of %r: %s" % (words, err))


def through_links(h, model, engine):
    """A link is written through within its folder and to an open file, and nowhere else."""
    home = h.path("links")
    for folder in ("links", "links/in", "elsewhere"):
        os.mkdir(h.path(folder))
    keys = h.path("elsewhere/keys", b"mine")
    links = {"in.json": "in/x.json", "absolute.json": home + "/in/y.json", "out.json": keys,
             "up.json": "../elsewhere/keys", "new.json": "../elsewhere/new", "none.json": "/none/x",
             "twice.json": "out.json", "folder": "../elsewhere", "stdout.json": "/dev/stdout",
             "null.json": "/dev/null", "around.json": "in/../../elsewhere/keys"}
    for name, target in links.items():
        os.symlink(target, os.path.join(home, name))
    report = h.run("report", model, engine, "-f", "json", allowed=(0,))[1].encode()
    pair = [os.path.abspath(model), os.path.abspath(engine), "-f", "json", "-o"]
    for name in ("in.json", "absolute.json"):
        h.run("link " + name, *pair, name, cwd=home, allowed=(0,))
        h.check(read(os.path.join(home, links[name])) == report, "link " + name, "not written")
        h.check(os.path.islink(os.path.join(home, name)), "link " + name, "is no link any more")
    refused = ("out.json", "up.json", "new.json", "none.json", "twice.json", "around.json", "folder/keys")
    for name in refused:
        done = subprocess.run([h.binary, *pair, name], cwd=home, capture_output=True, text=True, check=False)
        h.check(done.returncode == 2 and "a link to " in done.stderr and "--follow" in done.stderr,
                "link " + name, done.stderr)
        h.check(read(keys) == b"mine" and os.listdir(h.path("elsewhere")) == ["keys"], "link " + name, "written")
    _, out = h.run("link to standard output", *pair, "stdout.json", cwd=home, allowed=(0,))
    h.check(out.encode() == report, "link to standard output", "other bytes")
    h.run("link to a device", *pair, "null.json", cwd=home, allowed=(0,))
    h.run("followed", *pair, "up.json", "--follow", cwd=home, allowed=(0,))
    h.check(read(keys) == report, "followed", "not written")
    h.run("nothing to follow", *pair, "none.json", "--follow", cwd=home, allowed=(2,))


def standard_output(h, model, engine):
    """/dev/stdout is what the shell opened, at the place where the shell has got to."""
    path = h.path("shell.out")
    script = 'exec >"$0"; echo before; "$1" "$2" "$3" -o /dev/stdout -o /dev/fd/1; echo "after $?"'
    subprocess.run(["sh", "-c", script, path, h.binary, model, engine], check=False)
    report = h.run("report", model, engine, allowed=(0,))[1]
    h.check(read(path).decode() == "before\n" + report + report + "after 0\n", "/dev/stdout to a file",
            repr(read(path)[-200:]))
    for name in ("/dev/stdout", "/dev/stderr", "/dev/null", "/dev/full"):
        h.check(not os.path.isfile(name) or os.path.islink(name), name, "was replaced by a file")


def kept(h, model, engine):
    """Mode, owner and other names of a file stay, and a read-only one is not written."""
    report = h.run("report", model, engine, "-f", "json", allowed=(0,))[1].encode()
    for mode in (0o600, 0o640, 0o755, 0o666):
        path = h.path("mode-%o.json" % mode, b"old")
        os.chmod(path, mode)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        h.run("mode %o" % mode, model, engine, "-o", path, allowed=(0,))
        now = os.stat(path)
        h.check(read(path) == report and now.st_mode & 0o7777 == mode, "mode %o" % mode, "is %o" % now.st_mode)
        h.check(os.geteuid() != 0 or now.st_uid == now.st_gid == NOBODY, "owner", "is %d" % now.st_uid)
    path = h.path("read-only.json", b"old")
    os.chmod(path, 0o444)
    h.run("read-only", model, engine, "-o", path, allowed=(2,))
    h.check(read(path) == b"old", "read-only", "was written")
    path = h.path("one-name.json", b"old" * 100000)
    os.link(path, h.path("other-name.json"))
    done = subprocess.run([h.binary, model, engine, "-o", path], capture_output=True, text=True, check=False)
    h.check(done.returncode == 0 and "hard links" in done.stderr, "hard link", done.stderr)
    h.check(read(h.path("other-name.json")) == read(path) == report, "hard link", "was cut")
    mask = os.umask(0o077)
    h.run("new file", model, engine, "-o", h.path("new-file.json"), allowed=(0,))
    os.umask(mask)
    h.check(os.stat(h.path("new-file.json")).st_mode & 0o777 == 0o600, "umask", "not heeded")


def mounted(h, model, engine):
    """A file that is a mount cannot be replaced: it is written in place, and that is said."""
    script = ('echo old >"$0.at" && echo old >"$0" && mount --bind "$0" "$0.at" && '
              '{ "$1" "$2" "$3" -f json -o "$0.at"; echo "status $?"; } 2>&1; cat "$0"')
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, h.path("mount.json"), h.binary, model, engine],
                          capture_output=True, text=True, check=False)
    if "status" not in done.stdout:
        print("skipped mounted: no file may be mounted here")
        return
    said, _, report = done.stdout.partition("status 0\n")
    h.check("written in place" in said and json.loads(report), "mounted", done.stdout[:300])


def packed(h, model, engine):
    """Packed dumps and models read as they are; cut, damaged, or standing for more than a disk holds, they are refused."""
    def report(name, *files):
        return [line for line in h.run(name, *files, allowed=(0,))[1].splitlines()
                if not line.startswith(("model ", "engine "))]

    want = report("unpacked", model, engine)
    for name, pack in h.some((("gzip", gzip.compress), ("xz", lzma.compress))):
        whole = pack(read(engine))
        found = report(name, model, h.path("packed", whole))
        h.check(found == want, name, "another report")
        found = report(name + " model", h.path("packed.onnx", pack(read(model))), engine)
        h.check(found == want, name + " model", "another report")
        for n in h.some((6, 7, 20, len(whole) // 2, len(whole) - 9, len(whole) - 1)):
            h.run("%s cut at %d" % (name, n), model, h.path("packed", whole[:n]), allowed=(2,))
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 0x55]) + whole[middle + 1:]
        h.run(name + " damaged", model, h.path("packed", flipped), allowed=(2,))
        h.run(name + " and more", model, h.path("packed", whole + b"x" * 40), allowed=(2,))
    packed_log(h)
    bomb = h.path("bomb", lzma.compress(bytes(1 << 28), preset=0))
    for args in h.some(((model, bomb), (model, engine, "--log", bomb), (bomb, engine))):
        h.run("bomb", *args, allowed=(2,))


def packed_log(h):
    """A log is read while it is decompressed: the report is the same, and a log that is cut far behind its beginning is refused."""
    with open(os.path.join(FIXTURES, "build_log", "build.log"), "rb") as file:
        shown = file.read()
    noise = b"[01/02/2024-10:00:00] [V] [TRT] Tactic: 0x%016x Time: 0.%06d\n"
    rng = random.Random(7)
    log = b"".join(noise % (rng.getrandbits(64), rng.randrange(10**6)) for _ in range(60000)) + shown
    plain = h.path("plain.log", log)
    want = h.run("plain log", plain, "-f", "json", allowed=(0,))[1].replace("plain.log", "")
    for name, pack in h.some((("gzip", gzip.compress), ("xz", lambda b: lzma.compress(b, preset=0)))):
        whole = pack(log)
        path = h.path("packed.log", whole)
        found = h.run(name + " log", path, "-f", "json", allowed=(0,))[1].replace("packed.log", "")
        h.check(found == want, name + " log", "another report")
        h.run(name + " log without a model", h.path("missing.onnx"), path, allowed=(2,))
        for n in (len(whole) // 2, len(whole) - 1):
            said = h.run_both("%s log cut at %d" % (name, n), h.path("cut.log", whole[:n]), allowed=(2,))[2]
            h.check("damaged or truncated" in said, name + " log cut", said[:200])
        h.run(name + " log damaged", h.path("cut.log", whole[:-5000] + b"x" * 5000), allowed=(2,))
        for i in h.some(range(1, 9)):
            path = h.path("cut-meanwhile.log", whole)
            with subprocess.Popen([h.binary, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
                time.sleep(0.002 * i)
                os.truncate(path, len(whole) // 8 * i)
                said = p.communicate()[1].decode()
            h.check(p.returncode == 0 or p.returncode == 2 and "cut-meanwhile.log: " in said, name + " log cut meanwhile",
                    "%d %s" % (p.returncode, said[:200]))


def all_files(h, model, engine, make_external):
    for case in (inputs, beside, lists, unreadable, outputs, secrets, through_links, standard_output, kept, mounted, odd_names,
                 full_disk, closed_pipe):
        case(h, model, engine)
    packed(h, model, engine)
    external(h, make_external, engine)
    print("cut while read: shown in %d runs" % cut_while_read(h, model, engine))
    print("killed midway: %d runs" % killed(h, model, engine))
