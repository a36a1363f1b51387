"""paths.py: which files of the tree are code that is mutated. Needs no libclang, so that `make test` can ask it.

    python3 mutants/paths.py        the sources that are parsed, one a line

The library is src/MODULE/*.c and src/MODULE/PART/*.c; tests are not mutated, nor what knows MPI, which no test links.
"""
import glob
import re

CODE = r'src/[a-z]+/(?:(?!test/|mpi/)[a-z0-9]+/)?\w+\.(?:c|inc)'


def is_code(path):
    return re.fullmatch(CODE, path) is not None


def sources():
    return sorted(p for p in glob.glob('src/**/*.c', recursive=True) if is_code(p))


def named(text):
    """The files of code that a compiler's words name."""
    return set(re.findall(r'(?<![\w/])' + CODE, text))


def module(path):
    """src/lang/dp/dp_lex.c is of lang: its tests are src/lang/test."""
    return path.split('/')[1]


if __name__ == '__main__':
    print('\n'.join(sources()))
