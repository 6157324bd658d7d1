"""``python -m fusiondiff`` runs the program, which is in the folder of this package."""

import os
import subprocess
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fusiondiff")
    if os.name == "nt":  # on Windows, the shell would not wait for a program that execv() starts
        sys.exit(subprocess.run([program + ".exe", *sys.argv[1:]]).returncode)
    os.execv(program, ["fusiondiff", *sys.argv[1:]])


if __name__ == "__main__":
    main()
