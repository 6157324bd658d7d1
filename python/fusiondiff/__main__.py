"""Runs the program as if it had been installed without the package."""

import os
import subprocess
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fusiondiff")
    if os.name == "nt":  # on Windows, execv() returns to the shell before the program ends
        sys.exit(subprocess.run([program + ".exe", *sys.argv[1:]]).returncode)
    os.execv(program, ["fusiondiff", *sys.argv[1:]])


if __name__ == "__main__":
    main()
