"""The program, as if it had been installed by itself."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fusiondiff")
    os.execv(program, ["fusiondiff", *sys.argv[1:]])


if __name__ == "__main__":
    main()
