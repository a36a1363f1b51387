"""sites.py: where the code can be changed, and a sample of the changes.

    python3 mutants/sites.py --count 500 --flags "$(make -s mutants-flags)" >LIST

libclang gives the exact extent of every expression. LIST is read by mutants/apply.awk, which says what its columns are.

The classes, each with the same share of the sample:
    compare    < <= > >= == != become their neighbour
    arith      + - * / and their assignments become the opposite
    logic      && and || change places
    constant   an integer or real constant, one more or one less
    bound      the right side of a loop's comparison, one more or one less
    negate     the condition of an if, a loop or ?: is negated
    drop       a statement that is a call or an assignment is left out

Left out: constant expressions (case labels, sizes of arrays, static initialisers, enums, sizeof), whatever a macro
makes, expressions over several lines, and dropped calls that only release something: those are leaks.

The sample does not depend on the rest of the tree: every change has a number drawn from the seed and its own text, and the
smallest numbers of each class are taken. Of changes that overlap only the first is.
"""
import argparse
import bisect
import hashlib
import os
import re
import shlex
import sys

from clang.cindex import CursorKind as K, Index, StorageClass, TranslationUnit, TypeKind

import paths

CLASSES = ('compare', 'arith', 'logic', 'constant', 'bound', 'negate', 'drop')
COMPARE = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
ARITH = {'+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*='}
LOGIC = {'&&': '||', '||': '&&'}
RELEASE = re.compile(r'^(free|fclose|close|munmap|json_decref|\w*_(release|free|clear|destroy|destroy_\w+|unref|close|decref))$')
CONSTANT = (K.ENUM_DECL, K.STRUCT_DECL, K.UNION_DECL, K.TYPEDEF_DECL, K.CXX_UNARY_EXPR, K.STATIC_ASSERT)


class Source:
    """One file: its text, and the extents that macros cover in it."""

    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as f:
            self.text = f.read()
        self.lines = self.text.split(b'\n')
        self.macros = set()
        self.starts = []

    def close_macros(self):
        self.spans = sorted(self.macros)
        self.starts = [a for a, _ in self.spans]

    def plain(self, a, b):
        """No macro covers [a,b) or reaches over its ends; whole calls inside are fine."""
        i = max(0, bisect.bisect_left(self.starts, a - 2000))
        while i < len(self.spans) and self.spans[i][0] < b:
            s, e = self.spans[i]
            if e > a and (s < a or e > b or (s == a and e == b)):
                return False
            i += 1
        return True


class Finder:
    def __init__(self, root, flags):
        self.root = root
        self.flags = flags
        self.index = Index.create()
        self.sources = {}
        self.sites = {}

    def source(self, path):
        if path not in self.sources:
            self.sources[path] = Source(path)
        return self.sources[path]

    def path_of(self, location):
        if location.file is None:
            return None
        path = os.path.relpath(location.file.name, self.root)
        return path if paths.is_code(path) else None

    def parse(self, path):
        extra = []
        if path.endswith('_avx2.c'):
            extra = ['-mavx2', '-mfma']
        if path.endswith('_avx512.c'):
            extra = ['-mavx512f', '-mavx512dq', '-mavx512vl', '-mavx512bw', '-mfma']
        unit = self.index.parse(path, args=self.flags + extra,
                                options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        if errors:
            sys.exit(f'sites.py: {errors[0]}')
        functions = []
        for node in unit.cursor.get_children():
            where = self.path_of(node.location)
            if where is None:
                continue
            if node.kind == K.MACRO_INSTANTIATION:
                self.source(where).macros.add((node.extent.start.offset, node.extent.end.offset))
            elif node.kind == K.FUNCTION_DECL and node.is_definition():
                functions.append((where, node))
        for where, node in functions:
            source = self.source(where)
            source.close_macros()
            self.visit(source, node, node)

    # A change: text [a,b) of the source becomes `new`, in which @ is the switch.
    def add(self, source, kind, node, a, b, new):
        if a >= b or b"\n" in source.text[a:b] or not source.plain(a, b):
            return
        self.sites[source.path, a, b, kind, new] = node.location.line

    def visit(self, source, node, parent):
        children = list(node.get_children())
        kind = node.kind
        if kind in CONSTANT:
            return
        if kind == K.VAR_DECL and node.storage_class == StorageClass.STATIC:
            return
        inside = node.location.file is not None and self.path_of(node.location) == source.path
        if inside and kind != K.FUNCTION_DECL:
            self.look(source, node, parent, children)
        if kind == K.CASE_STMT:
            children = children[1:]
        for child in children:
            a = child.extent.start.offset
            before = source.text[max(0, a - 64):a].rstrip()[-1:]
            if before == b'[' and kind != K.ARRAY_SUBSCRIPT_EXPR:
                continue  # the size of an array, or a designator
            self.visit(source, child, node)

    def span(self, node):
        return node.extent.start.offset, node.extent.end.offset

    def look(self, source, node, parent, children):
        kind = node.kind
        a, b = self.span(node)
        text = source.text
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            (la, lb), (ra, rb) = self.span(children[0]), self.span(children[1])
            gap = re.sub(rb'/\*.*?\*/', b'', text[lb:ra], flags=re.S).strip().decode('ascii', 'replace')
            if a == la and b == rb and lb < ra:
                address = children[1].type.get_canonical().kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY)
                for name, table in (('compare', COMPARE), ('arith', ARITH), ('logic', LOGIC)):
                    if gap in table and not (name == 'arith' and address):
                        old = text[a:b].decode()
                        new = f'({text[la:lb].decode()}) {table[gap]} ({text[ra:rb].decode()})'
                        self.add(source, name, node, a, b, f'(@ ? ({new}) : ({old}))')
        if kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
            old = text[a:b].decode('ascii', 'replace')
            if re.match(r'^[0-9.]', old):
                for step in ('+ 1', '- 1'):
                    self.add(source, 'constant', node, a, b, f'(@ ? {old} {step} : {old})')
        condition = None
        if kind in (K.IF_STMT, K.WHILE_STMT, K.CONDITIONAL_OPERATOR):
            condition = children[0]
        elif kind == K.DO_STMT:
            condition = children[-1]
        elif kind == K.FOR_STMT:
            for child in children[:-1]:
                inner = list(child.get_children())
                if child.kind == K.BINARY_OPERATOR and len(inner) == 2:
                    (ca, cb), (ra, rb) = self.span(child), self.span(inner[1])
                    gap = text[self.span(inner[0])[1]:ra].strip().decode('ascii', 'replace')
                    if gap in COMPARE:
                        condition = child
                        old = text[ra:rb].decode()
                        for step in ('+ 1', '- 1'):
                            self.add(source, 'bound', child, ra, rb, f'(@ ? ({old}) {step} : ({old}))')
                        break
        if condition is not None:
            ca, cb = self.span(condition)
            old = text[ca:cb].decode()
            self.add(source, 'negate', condition, ca, cb, f'(@ ? !({old}) : !!({old}))')
        statements = ()
        if kind == K.COMPOUND_STMT:
            statements = children
        elif kind in (K.IF_STMT, K.WHILE_STMT):
            statements = children[1:]
        elif kind == K.FOR_STMT:
            statements = children[-1:]
        for s in statements:
            sa, sb = self.span(s)
            if text[sb:sb + 64].lstrip()[:1] != b';':
                continue
            if s.kind == K.CALL_EXPR:
                if RELEASE.match(s.spelling or ''):
                    continue
            elif s.kind == K.BINARY_OPERATOR:
                parts = list(s.get_children())
                gap = text[self.span(parts[0])[1]:self.span(parts[1])[0]].strip()
                if gap != b'=':
                    continue
            elif s.kind != K.COMPOUND_ASSIGNMENT_OPERATOR:
                continue
            old = text[sa:sb].decode()
            self.add(source, 'drop', s, sa, sb, f'(@ ? (void)0 : (void)({old}))')


def rows_of(finder, seed):
    """Every change as (draw, key, class, file, line number, nth, column, length, new, line)."""
    rows, twins, changes = [], {}, {}
    for change in sorted(finder.sites):
        changes.setdefault(change[0], []).append(change)
    for path, source in finder.sources.items():
        starts = [0]
        for line in source.lines:
            starts.append(starts[-1] + len(line) + 1)
        nth, count = [], {}
        for line in source.lines:
            count[line] = count.get(line, 0) + 1
            nth.append(count[line])
        for _, a, b, kind, new in changes.get(path, ()):
            if '\t' in new or '@' in new.replace('(@ ?', '', 1):
                continue
            at = bisect.bisect_right(starts, a) - 1
            line = source.lines[at]
            column = a - starts[at] + 1
            name = '\0'.join((path, kind, line.decode().strip(), str(column - len(line) + len(line.lstrip())),
                              str(nth[at]), new))
            key = hashlib.sha256(name.encode()).hexdigest()[:12]
            draw = hashlib.sha256(f'{seed}\0{key}'.encode()).hexdigest()
            # The same text further in: drawn together, but with verdicts of their own.
            twins[key] = twins.get(key, 0) + 1
            if twins[key] > 1:
                key = hashlib.sha256(f'{key}\0{twins[key]}'.encode()).hexdigest()[:12]
            rows.append((draw, key, kind, path, at + 1, nth[at], column, b - a, new, line.decode()))
    return sorted(rows)


def sample(rows, count, refused):
    taken, chosen, spans = {c: 0 for c in CLASSES}, [], {}
    share = {c: count // len(CLASSES) + (i < count % len(CLASSES)) for i, c in enumerate(CLASSES)}
    for row in rows:
        _, key, kind, path, line, nth, column, length, _, text = row
        if taken[kind] >= share[kind] or key in refused:
            continue
        place = spans.setdefault((path, line), [])
        if any(column < e and s < column + length for s, e in place):
            continue
        place.append((column, column + length))
        taken[kind] += 1
        chosen.append(row)
    return sorted(chosen, key=lambda r: (r[3], r[4], r[6]))


def find(flags, seed, only=None):
    finder = Finder(os.getcwd(), shlex.split(flags))
    for path in paths.sources():
        if only is None or re.search(only, path):
            finder.parse(path)
    return rows_of(finder, seed)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--count', type=int, default=500)
    ap.add_argument('--seed', default='attest')
    ap.add_argument('--flags', default='')
    ap.add_argument('--only', help='a pattern of paths')
    ap.add_argument('--figures', action='store_true')
    args = ap.parse_args()
    rows = find(args.flags, args.seed, args.only)
    if args.figures:
        for c in CLASSES:
            print(c, sum(r[2] == c for r in rows))
        return
    for i, row in enumerate(sample(rows, args.count, ())):
        print(i + 1, *row[2:4], *row[5:], sep='\t')


if __name__ == '__main__':
    main()
