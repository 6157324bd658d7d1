#!/usr/bin/python3
"""The least covered files of gcovr's table: coverage.py FILE.csv [HOW_MANY]"""
import csv
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["line_percent"]]
    rows.sort(key=lambda row: (float(row["line_percent"]), row["filename"]))
    for row in rows[:int(sys.argv[2]) if sys.argv[2:] else 10]:
        print("%6.1f %% of lines, %5.1f %% of branches  %s" % (
            100 * float(row["line_percent"]), 100 * float(row["branch_percent"] or 0),
            row["filename"]))


if __name__ == "__main__":
    main()
