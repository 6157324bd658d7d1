"""Starts programs with the rights of an ordinary user, even if root runs the tests."""
import ctypes
import os
import shutil

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def _drop():
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no capability can be dropped here")


def as_any_user():
    """Returns arguments for subprocess that make the program obey the modes of files, even if root
    runs the tests.

    The program still runs as root, because another user could not reach a checkout below a folder
    of mode 700."""
    return {} if os.geteuid() else {"preexec_fn": _drop}


def owned(path, folder):
    """Copies a file, so that the copy belongs to the user who runs the tests: root without its
    rights cannot read files of others."""
    own = os.path.join(folder, "own-" + os.path.basename(path))
    shutil.copy(path, own)
    os.chmod(own, 0o700)
    return own
