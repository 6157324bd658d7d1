"""Nothing on the disk changes but what was named as an output, though the program runs as root.

A throwaway namespace has the whole file system below an overlay, so that all that is written
shows in the upper layer; /dev is a copy of its own, and what a library for fonts would keep is gone.  There a thousand hostile runs are made:
inputs of engines.py and models.py, outputs that are links, devices, other names of files, and
runs that are ended by a signal.  Skipped with a message where no such namespace can be made.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RUNS = 1000
SETUP = r"""
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t tmpfs none "$1/root/dev"
mknod -m 666 "$1/root/dev/null" c 1 3
mknod -m 666 "$1/root/dev/zero" c 1 5
mknod -m 666 "$1/root/dev/full" c 1 7
mount -t proc none "$1/root/proc"
fonts=$1/root/var/cache/fontconfig
[ ! -d "$fonts" ] || mount -t tmpfs none "$fonts"
for name in stdin:0 stdout:1 stderr:2; do ln -s /proc/self/fd/${name#*:} "$1/root/dev/${name%:*}"; done
[ -n "${2-}" ] || exit 0
PYTHONDONTWRITEBYTECODE=1 chroot "$1/root" /usr/bin/python3 "$2" --inside "$3"
cd "$1/upper" && find . -mindepth 1 ! -type d -printf '%y %P\n'
[ ! -d "$fonts" ] || (cd "$fonts" && find . -mindepth 1 -printf '%y var/cache/fontconfig/%P\n')
cd "$1/root/dev" && find . -mindepth 1 -printf 'dev %y %P\n'
"""
DEVICES = ["dev c full", "dev c null", "dev c zero", "dev l stderr", "dev l stdin", "dev l stdout"]


def inside(binary):
    """In the namespace: inputs are under /in, outputs under /out; all else must stay."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import engines
    import models
    engines.SCALE = models.SCALE = 1000
    rng = random.Random("untouched")
    for folder in ("/in", "/out"):
        os.makedirs(folder, exist_ok=True)
    os.chdir("/out")
    pool = [("model", data) for _, data in models.all_models() if len(data) < 1 << 16]
    pool += [("engine", data) for _, data in engines.all_engines() if len(data) < 1 << 16]
    plain, engine = models.chain("one", "two"), engines.dump([engines.layer("one", ["x"], ["t0"])])
    for n in range(RUNS):
        kind, data = rng.choice(pool)
        for name, content in (("model", data if kind == "model" else plain),
                              ("engine", data if kind == "engine" else engine)):
            with open("/in/" + name, "wb") as file:
                file.write(content)
        plant()
        verb = rng.choice([[], [], ["snapshot"], ["reformats"], ["names"]])
        form = rng.choice(["json", "text", "dot", "sarif"]) if not verb else "text"
        if not verb and n % 5 == 0:
            form = rng.choice(["svg", "pdf", "html"])
        words = [*verb, "/in/model", "/in/engine", "--force", "-o", rng.choice(
            ["/out/new.json", "/out/to-passwd", "/out/to-device", "/out/loop", "/out/hard", "/dev/stdout", "/dev/null",
             "/dev/full", "/dev/zero", "/out", "/out/../out/up.json", "/in/model", "/proc/self/exe"])]
        words += ["-f", form, "--layout-timeout", "1"] if verb != ["snapshot"] else []
        child = subprocess.Popen([binary, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        if n % 10 == 0:
            time.sleep(rng.random() / 200)
            child.send_signal(rng.choice([signal.SIGTERM, signal.SIGINT]))
        child.wait()


def plant():
    """What a stranger's folder may hold."""
    for name, target in (("to-passwd", "/etc/passwd"), ("to-device", "/dev/null"), ("loop", "loop")):
        if not os.path.islink(name):
            os.symlink(target, name)
    if not os.path.exists("hard"):
        with open("one", "wb") as file:
            file.write(b"old")
        os.link("one", "hard")


def untouched(h, *_):
    if os.geteuid() or not shutil.which("unshare"):
        print("skipped: not root, or no unshare")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        run = ["unshare", "-m", "bash", "-c", SETUP, "-", folder]
        if subprocess.run(run, capture_output=True, check=False).returncode:
            print("skipped: no namespace with an overlay can be made here")
            sys.exit(77)
        done = subprocess.run([*run, os.path.abspath(__file__), h.binary], capture_output=True, check=False)
    h.runs += RUNS
    lines = done.stdout.decode().splitlines()
    h.check(done.returncode == 0 and lines, "untouched", "status %d: %s" % (done.returncode, done.stderr[-500:]))
    devices = sorted(line for line in lines if line.startswith("dev "))
    h.check(devices == DEVICES, "untouched", "devices are now %s" % devices)
    changed = [line for line in lines if not line.startswith("dev ")]
    allowed = {"out/new.json", "out/up.json", "out/hard", "out/one", "out/to-passwd", "out/to-device", "out/loop",
               "in/model", "in/engine"}
    # A build that counts what tests reach writes its counts where it was built.
    others = [line for line in changed if line.split(" ", 1)[1] not in allowed and not line.endswith(".gcda")]
    h.check(not others, "untouched", "written elsewhere: %s" % others[:10])
    h.check({"f out/new.json", "l out/to-passwd"} <= set(changed), "untouched", "no output: %s" % changed[:10])
    print("%d runs as root changed %d files, all of them named" % (RUNS, len(changed)))


if __name__ == "__main__" and sys.argv[1:2] == ["--inside"]:
    inside(sys.argv[2])
