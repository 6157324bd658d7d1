"""Limits that end a run that does not end by itself, however busy the machine is.

A limit of processor time bounds the cost of a run.  A limit of wall-clock time only ends a run that
waits for something that never comes."""
import resource

HANGS = 3600        # seconds


def processor(seconds):
    """A function for `preexec_fn`: SIGXCPU ends a run that takes more seconds of processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    return limit
