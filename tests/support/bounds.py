"""What ends a run that does not end itself, however busy the machine is.

A limit of processor time holds what a run may cost; a wall clock only ends what waits for
something that never comes."""
import resource

HANGS = 3600        # seconds


def processor(seconds):
    """For `preexec_fn`: a run that takes more seconds of processor time is ended by SIGXCPU."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    return limit
