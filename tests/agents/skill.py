#!/usr/bin/python3
"""The dialogues of packaging/agents/SKILL.md:  skill.py BINARY [--update]

A block of the document that begins with "> tool(...)" has a call and its answer on fixtures/; the answer must be what the
tool returns.  --update writes it."""
import ast
import os
import re
import sys

from tools import answers_module

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "../..")
SKILL = os.path.join(TOP, "packaging/agents/SKILL.md")
BLOCK = re.compile(r"^```text\n> (\w+)\(([^\n]*)\)\n(.*?)^```$", re.M | re.S)


def main():
    module = answers_module()
    tools = module.Tools(os.path.abspath(sys.argv[1]), [os.path.join(TOP, "fixtures")])
    wrong, called = [], set()

    def answer(block):
        call = ast.parse(f"f({block[2]})", mode="eval").body
        arguments = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
        text = getattr(tools, block[1])(**arguments)
        called.add(block[1])
        if text + "\n" != block[3]:
            wrong.append(f"{block[1]}({block[2]})")
        return f"```text\n> {block[1]}({block[2]})\n{text}\n```"

    with open(SKILL, encoding="utf-8") as file:
        before = file.read()
    after = BLOCK.sub(answer, before)
    with_all = {"report", "explain", "where", "compare", "check", "lint", "patterns", "cut"}
    assert all(f"`{tool}`" in before for tool in with_all), "a tool is missing in the document"
    assert len(BLOCK.findall(before)) >= 9 and called <= with_all
    if "--update" in sys.argv:
        with open(SKILL, "w", encoding="utf-8") as file:
            file.write(after)
    elif wrong:
        sys.exit("other answers than in the document (skill.py BINARY --update renews them): " + "; ".join(wrong))
    print(f"{len(BLOCK.findall(before))} calls")


if __name__ == "__main__":
    main()
