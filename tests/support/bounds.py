"""Limits for test runs that never end, independent of the load of the machine.

A limit of processor time ends a run that computes too long. A limit of wall-clock time is only for
a run that waits forever."""
import resource

HANGS = 3600        # seconds of wall-clock time


def processor(seconds):
    """Returns a function for `preexec_fn`: SIGXCPU then ends a run that takes more seconds of
    processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    return limit
