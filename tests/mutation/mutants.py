"""The mutants of a C file, found on clang's tree of it.

A mutant changes one place to what a tired author might have written: another comparison, a
constant off by one, a guard dropped, a statement forgotten, two arguments swapped, a
neighbour's word in a table.  No mutant adds or takes a line, so that lines stay the
original's.  What a macro of the project expands to is left alone: it is not at that place.
"""
import hashlib
import os
import re
from dataclasses import dataclass

from clang import cindex
from clang.cindex import CursorKind as K

COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPUTED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<",
            "&": "|", "^": "|"}
ASSIGNED = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "=", "&=": "=",
            "<<=": ">>=", ">>=": "<<="}
LOOPS = (K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)
STATEMENTS = (K.COMPOUND_STMT, K.IF_STMT, K.CASE_STMT, K.DEFAULT_STMT, *LOOPS)
# Functions that a string is compared by: their literals are facts, others are prose.
COMPARING = re.compile(r"(eq|equal|cmp|is|starts|ends|find|has|word|prefix|suffix|str|skip)",
                       re.ASCII)
SAYING = re.compile(r"(complain|fail|put|print|say|warn|note|copy|len|dup)", re.ASCII)


@dataclass(frozen=True)
class Mutant:
    """One change of one file: bytes [start, end) become `new`."""
    file: str
    function: str
    line: int
    kind: str
    start: int
    end: int
    new: str
    before: str  # the changed lines, without indentation
    after: str
    table: bool  # in data that no line executes
    nth: int = 0  # among those of the same function with the same text

    @property
    def key(self):
        """What names it, wherever the function moves and whatever else changes."""
        said = "\0".join((self.file, self.function, self.before, self.after, str(self.nth)))
        return hashlib.sha256(said.encode()).hexdigest()[:10]

    def apply(self, source):
        """`source` (bytes of the whole file) with the change."""
        return source[:self.start] + self.new.encode() + source[self.end:]


class Finder:
    """Walks one file's tree and notes what could be changed."""

    def __init__(self, root, path, arguments):
        self.path = path
        with open(os.path.join(root, path), "rb") as f:
            self.source = f.read()
        self.found = []
        self.macros = []
        self.function = ""
        unit = cindex.Index.create().parse(
            os.path.join(root, path), args=arguments,
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        bad = [d.spelling for d in unit.diagnostics if d.severity >= d.Error]
        if bad:
            raise SystemExit(f"{path}: clang cannot read it: {bad[0]}")
        mine = [c for c in unit.cursor.get_children()
                if c.location.file and c.location.file.name == unit.spelling]
        self.macros = [self.span(c) for c in mine if c.kind == K.MACRO_INSTANTIATION
                       and b"(" in self.source[self.span(c)[0]:self.span(c)[1]]]
        for c in mine:
            if c.kind == K.FUNCTION_DECL and c.is_definition():
                self.function = c.spelling
                for child in c.get_children():
                    self.walk(child, [c], False)
            elif c.kind == K.VAR_DECL:
                self.function = c.spelling
                self.variable(c, [])

    # ------------------------------------------------------------------ places
    @staticmethod
    def span(c):
        return c.extent.start.offset, c.extent.end.offset

    def text(self, c):
        start, end = self.span(c)
        return self.source[start:end].decode()

    def between(self, left, right):
        """The operator between two children: (text, start, end), or None in a macro."""
        start, end = left.extent.end.offset, right.extent.start.offset
        m = re.fullmatch(rb"\s*([-+*/%<>=!&|^]+)\s*", self.source[start:end])
        if not m:
            return None
        return m[1].decode(), start + m.start(1), start + m.end(1)

    def whole(self, start, end):
        """Whether a place is not partly what a macro with arguments expands to."""
        return all(e <= start or end <= s or (start <= s and e <= end)
                   for s, e in self.macros)

    def add(self, kind, start, end, new, table=False):
        old = self.source[start:end].decode()
        if old == new or not self.whole(start, end):
            return
        new += "\n" * (old.count("\n") - new.count("\n"))
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end)
        last = len(self.source) if last < 0 else last
        before = self.source[first:last].decode()
        after = before[:len(self.source[first:start].decode())] + new + \
            self.source[end:last].decode()
        plain = [" ".join(s.split()) for s in (before, after)]
        nth = sum((m.function, m.before, m.after) == (self.function, *plain)
                  for m in self.found)
        self.found.append(Mutant(self.path, self.function,
                                 self.source.count(b"\n", 0, start) + 1, kind, start, end,
                                 new, *plain, table, nth))

    # ------------------------------------------------------------------- trees
    def variable(self, c, above):
        """A declared variable: data when it is static or outside of functions."""
        table = not above or c.storage_class == cindex.StorageClass.STATIC
        children = list(c.get_children())
        for child in children:
            # The size of an array is a child too; only what comes after = is a value.
            if child.kind.is_expression() and \
                    b"=" in self.source[c.location.offset:child.extent.start.offset]:
                self.walk(child, above + [c], table)

    def walk(self, c, above, table):
        if c.kind == K.VAR_DECL:
            self.variable(c, above)
            return
        children = list(c.get_children())
        visit = getattr(self, "on_" + c.kind.name.lower(), None)
        if visit:
            visit(c, children, above, table)
        if above and above[-1].kind in STATEMENTS and self.removable(c, above[-1]):
            start, end = self.span(c)
            self.add("statement removed", start, end, "(void)0")
        if c.kind == K.CASE_STMT:
            children = children[1:]  # a label is not a value
        for i, child in enumerate(children):
            if c.kind == K.INIT_LIST_EXPR and self.designates(child):
                continue
            self.walk(child, above + [c], table)

    def designates(self, c):
        """Whether an item of an initializer is the index that one is for."""
        before = self.source[:c.extent.start.offset].rstrip()
        after = self.source[c.extent.end.offset:].lstrip()
        return before.endswith(b"[") and after.startswith(b"]")

    def removable(self, c, parent):
        if parent.kind in (K.IF_STMT, *LOOPS) and self.is_condition(c, parent):
            return False
        if c.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR):
            return True
        if c.kind == K.UNARY_OPERATOR:
            return "++" in self.text(c) or "--" in self.text(c)
        if c.kind == K.BINARY_OPERATOR:
            sides = list(c.get_children())
            op = len(sides) == 2 and self.between(*sides)
            return bool(op) and op[0] == "="
        return False

    @staticmethod
    def is_condition(c, parent):
        """Whether a child of a statement is its head, not what it does."""
        children = list(parent.get_children())
        if parent.kind == K.DO_STMT:
            return c == children[-1]
        if parent.kind == K.IF_STMT:
            return c == children[0]
        return c != children[-1]

    # --------------------------------------------------------------- operators
    def on_binary_operator(self, c, children, above, table):
        op = len(children) == 2 and self.between(*children)
        if not op:
            return
        op, start, end = op
        left, right = children
        if op in COMPARED:
            self.add("comparison", start, end, COMPARED[op], table)
        elif op in ("&&", "||"):
            self.add("connective", start, end, "||" if op == "&&" else "&&", table)
            self.add("operand dropped", left.extent.start.offset, right.extent.start.offset, "",
                     table)
            self.add("operand dropped", left.extent.end.offset, right.extent.end.offset, "",
                     table)
        elif op == "|":
            self.add("flag dropped", left.extent.start.offset, right.extent.start.offset, "",
                     table)
            self.add("flag dropped", left.extent.end.offset, right.extent.end.offset, "", table)
        elif op in COMPUTED:
            self.add("arithmetic", start, end, COMPUTED[op], table)

    def on_compound_assignment_operator(self, c, children, above, table):
        op = self.between(*children)
        if op and op[0] in ASSIGNED:
            self.add("arithmetic", op[1], op[2], ASSIGNED[op[0]], table)

    def on_unary_operator(self, c, children, above, table):
        start, end = self.span(c)
        said = self.text(c)
        if said.startswith("!"):
            self.add("negation", start, start + 1, "", table)
        elif said.startswith("-") and not said.startswith("--"):
            self.add("arithmetic", start, start + 1, "", table)

    def on_conditional_operator(self, c, children, above, table):
        if len(children) == 3:
            start, end = children[1].extent.start.offset, children[2].extent.end.offset
            if start >= end:
                return
            colon = self.source[children[1].extent.end.offset:children[2].extent.start.offset]
            self.add("choice", start, end,
                     self.text(children[2]) + colon.decode() + self.text(children[1]), table)

    def condition(self, c):
        """A plain condition, the other way round; comparisons and ! are changed themselves."""
        while c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
            inner = list(c.get_children())
            if len(inner) != 1:
                break
            c = inner[0]
        if c.kind in (K.CALL_EXPR, K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR):
            start, end = self.span(c)
            self.add("negation", start, start, "!")

    def on_if_stmt(self, c, children, above, table):
        self.condition(children[0])

    def on_while_stmt(self, c, children, above, table):
        self.condition(children[0])

    # -------------------------------------------------------------- statements
    def on_return_stmt(self, c, children, above, table):
        start, end = self.span(c)
        if not (len(above) == 2 and above[1].kind == K.COMPOUND_STMT):
            self.add("return dropped", start, end, "(void)0")
        if children and children[0].type.spelling in ("_Bool", "bool"):
            self.condition(children[0])

    def on_break_stmt(self, c, children, above, table):
        start, end = self.span(c)
        inside = next((a.kind for a in reversed(above)
                       if a.kind in (K.SWITCH_STMT, *LOOPS)), None)
        self.add("jump", start, end, "(void)0" if inside == K.SWITCH_STMT else "continue")

    def on_continue_stmt(self, c, children, above, table):
        start, end = self.span(c)
        self.add("jump", start, end,
                 "break" if next(a.kind for a in reversed(above)
                                 if a.kind in (K.SWITCH_STMT, *LOOPS)) in LOOPS else "(void)0")

    def on_call_expr(self, c, children, above, table):
        arguments = list(c.get_arguments())
        for left, right in zip(arguments, arguments[1:]):
            if left is None or right is None:
                continue
            if self.bare(left).type.get_canonical().spelling.replace("const ", "") != \
                    self.bare(right).type.get_canonical().spelling.replace("const ", ""):
                continue
            if self.text(left) == self.text(right):
                continue
            start, end = left.extent.start.offset, right.extent.end.offset
            comma = self.source[left.extent.end.offset:right.extent.start.offset]
            if comma.strip() == b",":
                self.add("arguments swapped", start, end,
                         self.text(right) + comma.decode() + self.text(left), table)

    @staticmethod
    def bare(c):
        """An expression without the conversions that C puts around it."""
        while c.kind == K.UNEXPOSED_EXPR:
            inner = list(c.get_children())
            if len(inner) != 1:
                break
            c = inner[0]
        return c

    # ------------------------------------------------------------------ values
    def on_integer_literal(self, c, children, above, table):
        start, end = self.span(c)
        said = self.text(c)
        if said in ("true", "false"):
            self.add("truth", start, end, "false" if said == "true" else "true", table)
            return
        m = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", said)
        if not m:
            return
        value = int(m[1], 0) if not re.fullmatch("0[0-7]+", m[1]) else int(m[1], 8)
        self.add("constant", start, end, f"{value + 1}{m[2]}", table)
        if value:
            self.add("constant", start, end, f"{value - 1}{m[2]}", table)

    def on_floating_literal(self, c, children, above, table):
        start, end = self.span(c)
        said = self.text(c)
        m = re.fullmatch(r"([0-9.eE+-]+)([fFlL]?)", said)
        if m:
            self.add("constant", start, end, f"({said} * 2)" if float(m[1]) else f"1.0{m[2]}",
                     table)

    def on_character_literal(self, c, children, above, table):
        start, end = self.span(c)
        m = re.fullmatch(r"'([ -~])'", self.text(c))
        if m and m[1] not in "\\'":
            self.add("constant", start, end, "'_'" if m[1] == "." else "'.'", table)

    def on_string_literal(self, c, children, above, table):
        call = next((a for a in reversed(above) if a.kind == K.CALL_EXPR), None)
        if not table and not (
                call and COMPARING.search(call.spelling) and not SAYING.search(call.spelling)):
            return
        start, end = self.span(c)
        said = self.text(c)
        m = re.match(r'"((?:[^"\\%]|\\.|%)*)"', said)
        if not m:
            return
        letters = [i for i in range(1, m.end() - 1)
                   if said[i].isalnum() and said[i - 1] not in "\\%" and said[i].isascii()]
        if not letters:
            self.add("string", start, start + 1, '"x', table)
            return
        at = letters[-1]
        self.add("string", start + at, start + at + 1, "y" if said[at] == "x" else "x", table)

    def on_decl_ref_expr(self, c, children, above, table):
        target = c.referenced
        start, end = self.span(c)
        if target is None or self.text(c) != c.spelling:
            return
        if target.kind == K.ENUM_CONSTANT_DECL:
            words = [w for w in target.semantic_parent.get_children()
                     if w.kind == K.ENUM_CONSTANT_DECL]
            at = next(i for i, w in enumerate(words) if w.spelling == target.spelling)
            near = words[at + 1:] + words[:at][::-1]
            other = next((w for w in near if w.enum_value != target.enum_value), None)
            if other:
                self.add("word of enum", start, end, other.spelling, table)
        elif table and target.kind == K.FUNCTION_DECL:
            kin = self.kin(above[0] if above else c, target)
            if kin:
                self.add("function of table", start, end, kin, table)

    def kin(self, top, target):
        """The function that the same table names next, of the same type; None without."""
        names = []
        for c in top.walk_preorder():
            if c.kind == K.DECL_REF_EXPR and c.referenced and \
                    c.referenced.kind == K.FUNCTION_DECL and \
                    c.referenced.type.spelling == target.type.spelling and \
                    c.spelling not in names:
                names.append(c.spelling)
        if target.spelling not in names or len(names) < 2:
            return None
        return names[(names.index(target.spelling) + 1) % len(names)]


def of_file(root, path, arguments):
    """All mutants of root/path, which clang reads with these arguments."""
    return Finder(root, path, arguments).found


def drawn(mutants, seed):
    """The order in which a seed takes them: first which line, then what is changed on it.

    A place in the order depends on nothing but the seed and the mutant itself, so that an
    edit elsewhere does not draw another sample.
    """
    def weight(*words):
        return hashlib.sha256("\0".join((str(seed), *words)).encode()).hexdigest()

    lines = {}
    for m in mutants:
        lines.setdefault((m.function, m.before), []).append(m)
    rounds = []
    for (function, before), here in lines.items():
        here.sort(key=lambda m: weight(m.key))
        rounds += [(nth, weight(m.file, function, before), m) for nth, m in enumerate(here)]
    rounds.sort(key=lambda r: r[:2])
    return [m for _, _, m in rounds]
