"""run_code.py: mutants of the code against the tests (docs/mutants.md). Called by `make mutants-code`, from the top.

    python3 mutants/run_code.py --count 500 [--jobs 1] [--seconds S] [--only PATTERN] [--summary]

1. mutants/sites.py draws the sample; mutated copies of the sources go to build/mutants/tree, which is built like any other
   tree: one library with all mutants in it, switched by the variable AT_MUTANT.
2. Each test runs once unmutated: it must pass; its time and the mutants that it reaches are kept.
3. Each mutant runs the tests that reach it, those of its own module first, then the others, the fastest first, up to the first
   that fails; a test that killed it in an earlier run, of whatever code, goes before all others. A crash, a bad exit, a missing "ok" and a run out of time are failures too. Time is processor time, three
   times what the unmutated test took and ten seconds more, so that a busy machine kills nothing.
4. What is left runs the tests of its module once more under the sanitizers (a second build of the same tree): they see what is read or
   written beside an array, and what is not released. Which tests reach it is known from the first build; a test that fails there
   kills only if it passes unmutated, which is asked then and not before.

--phases own,sanitized leaves parts out; what survives them is `open` until it has met all. --remember keeps which test killed which
mutant in mutants/killers.tsv, so that a run on another machine begins with that test: minutes instead of hours for what is killed.

Each verdict is a line of build/mutants/code.tsv at once. A later run of the same code skips mutants that were killed, and those
that survived the same tests. --seconds bounds the test time of one mutant; what has then not been killed is `open`.
"""
import argparse
import concurrent.futures
import ctypes
import fcntl
import glob
import hashlib
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import paths
import sites

BUILD = os.environ.get('BUILD', 'build')
OUT = BUILD + '/mutants'
TREE = OUT + '/tree'
KILLERS = 'mutants/killers.tsv'
PARTS = ('Makefile', 'include', 'src', 'cli', 'fuzz', 'tools', 'examples', 'docs', 'bench', 'judge', 'python', 'README.md', 'CITATION.cff')
MET_BYTES = 65536
KEPT_BYTES = 1 << 22  # a test that prints more than this has gone wild


def say(text):
    print(text, flush=True)


# ---- the mutated tree ------------------------------------------------------------------------------

def files_of(parts):
    for part in parts:
        if os.path.isfile(part):
            yield part
        for folder, _, names in os.walk(part):
            for name in names:
                if not name.endswith('.pyc'):
                    yield os.path.join(folder, name)


def is_test(path):
    return '/test/' in path or path.startswith(('fuzz/', 'tools/'))


def digest(paths):
    h = hashlib.sha256()
    for path in sorted(paths):
        with open(path, 'rb') as f:
            h.update(path.encode() + b'\0' + hashlib.sha256(f.read()).digest())
    return h.hexdigest()[:12]


def put(path, data, like=None):
    """The file holds data afterwards; it is touched only when that changes it."""
    try:
        with open(path, 'rb') as f:
            if f.read() == data:
                return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)
    if like:
        shutil.copymode(like, path)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def list_write(path, rows):
    with open(path, 'w') as f:
        for i, row in enumerate(rows):
            print(i + 1, *row[2:4], *row[5:], sep='\t', file=f)


def mutated(path, rows_file):
    return subprocess.run(['awk', '-v', 'list=' + rows_file, '-v', 'file=' + path, '-f', 'mutants/apply.awk', path],
                          check=True, stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL='C')).stdout


def includers(changed):
    """Sources that reach one of the changed .inc files, themselves or through others."""
    uses = {}
    for path in files_of(('src',)):
        if path.endswith(('.c', '.inc', '.h')):
            for name in re.findall(rb'^\s*#\s*include\s+"([^"]+)"', read(path), re.M):
                target = os.path.normpath(os.path.join(os.path.dirname(path), name.decode()))
                uses.setdefault(target, set()).add(path)
    todo, seen = list(changed), set(changed)
    while todo:
        for path in uses.get(todo.pop(), ()):
            if path not in seen:
                seen.add(path)
                todo.append(path)
    return {p for p in seen if p.endswith('.c')}


def object_of(path):
    if '/test/' in path and os.path.basename(path).startswith('test_'):
        return 'build/tests/' + path[4:-2]
    return 'build/obj/' + path[:-2] + '.o'


def tree_write(rows):
    """Fills the tree; gives the objects that contain mutants."""
    rows_file = OUT + '/list.tsv'
    list_write(rows_file, rows)
    changed = {r[3] for r in rows}
    wanted = set()
    for path in files_of(PARTS):
        wanted.add(path)
        put(f'{TREE}/{path}', mutated(path, rows_file) if path in changed else read(path), path)
    for name in ('mutant.c', 'mutant.h'):
        place = ('src/core/' if name.endswith('c') else 'include/') + name
        wanted.add(place)
        put(f'{TREE}/{place}', read('mutants/' + name))
    objects = sorted(object_of(p) for p in includers(changed))
    # Warnings are not what mutants are about.
    text = ''.join(f'build{v}/{o[6:]}: private FLAGS += -w\n' for o in objects for v in ('', '-sanitize'))
    put(f'{TREE}/GNUmakefile', f'include Makefile\n{text}'.encode())
    wanted.add('GNUmakefile')
    here = os.getcwd()
    os.chdir(TREE)
    for path in list(files_of([p for p in os.listdir('.') if not p.startswith('build')])):
        if path not in wanted:
            os.remove(path)
    os.chdir(here)
    return [o for o in objects if o.startswith('build/obj/')]


def make(jobs, *goals, quiet=False):
    env = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL', 'BUILD')}
    return subprocess.run(['make', '-C', TREE, '--no-print-directory', f'-j{jobs}', '-k', *goals],
                          env=env, stdout=subprocess.PIPE if quiet else None,
                          stderr=subprocess.PIPE if quiet else None, text=True)


def places(flags, seed, only):
    """Every place that can be changed: libclang takes a minute, so they are kept for as long as the sources are the same."""
    parsed = [p for p in files_of(('src', 'include')) if not is_test(p)]
    name = [digest(parsed + ['mutants/sites.py', 'mutants/paths.py']), flags, seed, only]
    path = OUT + '/places.json'
    try:
        with open(path) as f:
            held = json.load(f)
        if held['name'] == name:
            return [tuple(r) for r in held['rows']]
    except (OSError, ValueError, KeyError):
        pass
    rows = sites.find(flags, seed, only)
    with open(path, 'w') as f:
        json.dump({'name': name, 'rows': rows}, f)
    return rows


def tree_build(rows, count, jobs):
    """Builds the tree; mutants that do not compile give way to the next in the draw, in later runs at once."""
    path = OUT + '/refused.json'
    try:
        with open(path) as f:
            refused = set(json.load(f))
    except (OSError, ValueError):
        refused = set()
    while True:
        chosen = sites.sample(rows, count, refused)
        objects = tree_write(chosen)
        say(f'building {len(chosen)} mutants in {len(objects)} objects')
        if make(jobs, *objects, quiet=True).returncode == 0:
            break
        bad = set()
        for o in objects:
            if make(1, '-q', o, quiet=True).returncode == 0:
                continue
            errors = make(1, o, quiet=True).stderr
            files = paths.named(errors)
            suspects = [r for r in chosen if r[3] in files]
            for row in suspects:
                list_write(OUT + '/one.tsv', [row])
                copy = f'{TREE}/{row[3]}'
                kept = read(copy)
                put(copy, mutated(row[3], OUT + '/one.tsv'))
                others = {r[3] for r in suspects} - {row[3]}
                saved = {p: read(f'{TREE}/{p}') for p in others}
                for p in others:
                    put(f'{TREE}/{p}', read(p))
                if make(1, o, quiet=True).returncode:
                    bad.add(row[1])
                put(copy, kept)
                for p, data in saved.items():
                    put(f'{TREE}/{p}', data)
        if not bad:
            sys.exit('run_code.py: the mutated tree does not compile; see make -C ' + TREE)
        say(f'{len(bad)} do not compile: others are drawn')
        refused |= bad
        with open(path, 'w') as f:
            json.dump(sorted(refused), f)
    if make(jobs, 'all', 'tests-build').returncode:
        sys.exit('run_code.py: the mutated tree does not build')
    return chosen


# The tests of the mutant's own module, those of the others, and its own once more under the sanitizers.
PHASES = ('own', 'others', 'sanitized')
SLOWER = 6  # what a test takes there, at most, in times that it takes elsewhere: a guess that decides which one is stopped
SANITIZE = ('SANITIZE=address,undefined', 'BUILD=build-sanitize')


def sanitized(jobs):
    """The same tests under the sanitizers, run the way `make sanitize` runs them."""
    if make(jobs, 'all', 'tests-build', *SANITIZE).returncode:
        sys.exit('run_code.py: the mutated tree does not build with sanitizers')
    lines = make(1, '-s', 'mutants-jobs', *SANITIZE, quiet=True).stdout.splitlines()
    run_tests = 'LOGS=$TMPDIR/logs BUILD=build-sanitize JOBS=1 TEST_SECONDS=100000 sh tools/run_tests.sh'
    return [['one', 'sanitize:' + line.split()[1], f"echo '{line}' | {run_tests}"] for line in lines]


# ---- one run of one test ---------------------------------------------------------------------------

def worker_init():
    # Orphans of a test that was stopped come to us, so that they can be ended too.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def children():
    found = []
    for path in glob.glob('/proc/self/task/*/children'):
        try:
            with open(path) as f:
                found += [int(p) for p in f.read().split()]
        except OSError:
            pass
    return found


def run(job, number, cpu, wall, met=None, file=''):
    """Runs a test: (why it failed or None, lines that said ok, processor seconds, seconds). A long test of the catalogue begins with
    the claim of the mutated file."""
    kind, name, command = job
    tmp = tempfile.mkdtemp(prefix='mutant')
    top = os.path.abspath(TREE)
    env = dict(os.environ, TMPDIR=tmp, BUILD='build', ATTEST=top + '/build/attest', CMOCKA_MESSAGE_OUTPUT='TAP', NO_COLOR='1',
               LC_ALL='C.UTF-8', AT_MUTANT=str(number))
    for gone in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL'):
        env.pop(gone, None)
    if met:
        env['AT_MUTANT_MET'] = met
    if file:
        env['TEST_FIRST'] = os.path.basename(file)

    def limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not name.startswith('sanitize:'):  # they map much more than they use
            resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 37, 1 << 37))  # files with holes are long

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    p = subprocess.Popen(['sh', '-c', command], cwd=TREE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, preexec_fn=limits)
    out, why, text = p.stdout.fileno(), None, b''
    while why is None:
        left = start + wall - time.monotonic()
        ready = select.select([out], [], [], max(0, min(left, 1)))[0]
        if ready:
            part = os.read(out, 65536)
            if not part:
                break
            text += part
            if kind == 'tap' and any(re.match(rb'not ok', li) and not re.search(rb'# skip', li, re.I)
                                     for li in text[max(0, len(text) - len(part) - 400):].split(b'\n')[:-1]):
                why = 'not ok'
            elif len(text) > KEPT_BYTES:
                why = 'endless output'
        elif left <= 0:
            why = 'time'
        elif p.poll() is not None:
            break  # somebody still holds the pipe
    if why:
        os.killpg(p.pid, signal.SIGKILL)
    code = p.wait()
    p.stdout.close()
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except OSError:
        pass
    for pid in children():
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except OSError:
            pass
    shutil.rmtree(tmp, ignore_errors=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    good = len(re.findall(rb'^ok', text, re.M))
    if why is None and code:
        why = f'exit {code}' if kind == 'one' or not re.search(rb'^not ok', text, re.M) else 'not ok'
        if code in (-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL):
            why = 'time'
    detail = ''
    if why == 'not ok':
        detail = re.search(rb'^not ok[^\n]*', text, re.M).group(0).decode('utf-8', 'replace')
    return why, detail, good, used, time.monotonic() - start


# ---- what the tests reach --------------------------------------------------------------------------

def test_digest(job):
    """Of the test itself: its program, or its script and what scripts share."""
    words = [w.strip("'") for w in job[2].split()]
    return digest([f'{TREE}/{w}' for w in words if os.path.isfile(f'{TREE}/{w}')] + glob.glob(f'{TREE}/cli/test/lib.sh'))


class Bases:
    """What each test does unmutated: kept in base.json for as long as the code and the test are the same."""

    def __init__(self, name, pool):
        self.pool = pool
        self.path = OUT + '/base.json'
        self.name = name
        self.jobs = {}
        self.tests = {}
        self.read()

    def read(self):
        """Two runs with different --take share the file."""
        try:
            with open(self.path) as f:
                held = json.load(f)
        except (OSError, ValueError):
            return
        if held.get('name') == self.name:
            self.jobs = {**held['jobs'], **self.jobs}

    def known(self, job):
        return job[1] in self.jobs and self.jobs[job[1]].get('test') == self.tests[job[1]]

    def find(self, jobs):
        """What each of the jobs does; those that are not known run side by side."""
        for job in jobs:
            if job[1] not in self.tests:
                self.tests[job[1]] = test_digest(job)
        if not all(self.known(j) for j in jobs):
            self.read()
        waiting = {}
        for k, job in enumerate(jobs):
            if not self.known(job):
                met = os.path.abspath(f'{OUT}/met{os.getpid()}.{k}')
                with open(met, 'wb') as f:
                    f.truncate(MET_BYTES)
                waiting[self.pool.submit(run, job, 0, 3600, 3600, met)] = job[1], met
        for f in concurrent.futures.as_completed(waiting):
            name, met = waiting[f]
            why, detail, good, cpu, wall = f.result()
            if why:
                say(f'{name} fails unmutated ({why}{" " + detail if detail else ""}): it kills nothing')
            reached = [i for i, b in enumerate(read(met)) if b]
            os.remove(met)
            self.read()
            self.jobs[name] = {'test': self.tests[name], 'fails': bool(why), 'good': good, 'cpu': cpu, 'wall': wall, 'reached': reached}
            fresh = f'{self.path}.{os.getpid()}'
            with open(fresh, 'w') as g:
                json.dump({'name': self.name, 'jobs': self.jobs}, g)
            os.replace(fresh, self.path)
        return [self.jobs[j[1]] for j in jobs]


def judge(number, file, todo, budget):
    """Runs the tests of `todo` [(job, base)] on a mutant up to the first that fails."""
    spent, done = 0, 0
    for job, base in todo:
        if budget and spent and spent + base['cpu'] > budget:
            return 'open', f'{done} of {len(todo)} run', spent
        why, detail, good, cpu, _ = run(job, number, 3 * base['cpu'] + 10, 10 * base['wall'] + 120, None, file)
        spent += cpu
        done += 1
        if why is None and good < base['good']:
            why = 'fewer tests'
        if why:
            return 'killed', f'{job[1]}: {detail or why}', spent
    return 'survived', str(done), spent


class Guard:
    """A mutant may write or remove what it should not: the tree is put right again."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.held = self.stat()

    def stat(self):
        held = {}
        for path in files_of([TREE]):
            try:
                s = os.stat(path)
                held[path] = s.st_size, s.st_mtime_ns
            except OSError:
                pass
        return held

    def look(self, who):
        now = self.stat()
        if all(now.get(p) == s for p, s in self.held.items()):
            return
        say(f'{who} damaged {next(p for p, s in self.held.items() if now.get(p) != s)}: the tree is made again')
        tree_write(self.chosen)
        if make(1, 'all', 'tests-build', quiet=True).returncode:
            sys.exit('run_code.py: the mutated tree does not build any more')
        self.held = self.stat()


# ---- the whole -------------------------------------------------------------------------------------

def verdicts_read(path):
    """The newest verdict of each (code, key)."""
    held = {}
    try:
        with open(path) as f:
            for line in f:
                part = line.rstrip('\n').split('\t')
                if len(part) >= 6:
                    held[part[0], part[2]] = part
    except OSError:
        pass
    return held


def killers_read(path):
    """The test that killed each mutant last, whatever the code was then; the table in the repository knows it of other machines."""
    try:
        with open(KILLERS) as f:
            killers = dict(line.rstrip('\n').split('\t') for line in f if not line.startswith('#'))
    except OSError:
        killers = {}
    return {**killers, **{part[2]: part[4].split(': ')[0] for part in verdicts_read(path).values() if part[3] == 'killed'}}


def killers_write(chosen, path):
    """Of the mutants of today's sample: others would never be asked for."""
    killers, drawn = killers_read(path), {row[1] for row in chosen}
    with open(KILLERS, 'w') as f:
        print('# The test that killed each mutant: `make mutants-code` asks it first (mutants/run_code.py --remember).', file=f)
        for key in sorted(drawn & set(killers)):
            print(key, killers[key], sep='\t', file=f)


def summary(chosen, held, code):
    counts, left = {}, []
    for row in chosen:
        part = held.get((code, row[1]))
        verdict = part[3] if part else 'not run'
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict != 'killed':
            left.append((row, verdict, part[4] if part else ''))
    run_ = sum(counts.values()) - counts.get('not run', 0)
    for row, verdict, how in left:
        if verdict != 'not run':
            say(f'{verdict}\t{row[1]}\t{row[3]}:{row[4]}\t{row[2]}\t{row[8]}\t{how}')
    say(', '.join(f'{n} {v}' for v, n in sorted(counts.items())) +
        (f': {100 * counts.get("killed", 0) / run_:.1f}% of {run_} killed' if run_ else ''))
    return run_ == len(chosen) and counts.get('killed', 0) >= 0.9 * run_


class Hunt:
    """Mutants against tests, phase by phase: what outlives one goes on to the next."""

    def __init__(self, args, chosen, held, code, tests):
        self.args, self.chosen, self.held, self.code, self.tests = args, chosen, held, code, tests
        self.pool = concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=worker_init)
        self.bases = Bases(code + digest([OUT + '/list.tsv']), self.pool)
        self.guard = Guard(chosen)
        self.jobs = [line.split(None, 2) for line in make(1, '-s', 'mutants-jobs', quiet=True).stdout.splitlines()]
        self.sanitized = []
        self.killers = killers_read(OUT + '/code.tsv')
        self.phases = args.phases.split(',')

    def again(self, todo):
        """What an earlier run killed, first of all before the test that did it; gives those that this test does not kill."""
        jobs = {j[1]: j for j in self.jobs}
        rest, waiting = [], {}
        self.bases.find([jobs[name] for name in {self.killers.get(row[1]) for _, row, _ in todo} if name in jobs])
        for number, row, past in todo:
            base = self.bases.jobs.get(self.killers.get(row[1]))
            if past or not base or base['fails'] or number not in base['reached']:
                rest.append((number, row, past))
                continue
            tests = [(jobs[self.killers[row[1]]], base)]
            waiting[self.pool.submit(judge, number, row[3], tests, 0)] = number, row, past
        for f in concurrent.futures.as_completed(waiting):
            number, row, past = waiting[f]
            verdict, how, spent = f.result()
            if verdict == 'killed':
                self.finish(row, verdict, how, spent)
            else:
                rest.append((number, row, past))
        return sorted(rest)

    def left(self):
        """Mutants to run, as (number, row, phases that an earlier run of the same tests has done)."""
        left = []
        for i, row in enumerate(self.chosen):
            part = self.held.get((self.code, row[1]))
            same = part and part[1] == self.tests
            if part and (part[3] == 'killed' or (same and part[3] in ('survived', 'unreached'))):
                continue
            if re.search(self.args.take, row[3]):
                left.append((i + 1, row, re.findall(r'(?:own|others|sanitized) [0-9]+(?=,|$)', part[4]) if same else []))
        return left

    def reaching(self, number, phase, module, killer):
        """Tests of the module (own, sanitized), or of the others; the fastest first, under the sanitizers behind the one that killed it."""
        jobs = [j for j in self.jobs if (j[1].split('/')[0] == module) == (phase != 'others')]
        found = sorted(((j, b) for j, b in zip(jobs, self.bases.find(jobs)) if number in b['reached'] and not b['fails']),
                       key=lambda x: x[1]['cpu'])
        if phase != 'sanitized':
            return found
        slow = {j[1].split(':')[1]: j for j in self.sanitized}
        found.sort(key=lambda x: f'sanitize:{x[0][1]}' != killer)
        return [(slow[j[1]], dict(b, cpu=SLOWER * b['cpu'], wall=SLOWER * b['wall'], good=0)) for j, b in found if j[1] in slow]

    def sure(self, how):
        """A test under the sanitizers that failed on a mutant: does it pass unmutated?"""
        job = next(j for j in self.sanitized if how.startswith(j[1] + ': '))
        return not self.bases.find([job])[0]['fails']

    def finish(self, row, verdict, how, spent):
        with open(OUT + '/code.tsv', 'a') as f:
            print(self.code, self.tests, row[1], verdict, how.replace('\t', ' '), f'{spent:.1f}', f'{row[3]}:{row[4]}', row[2],
                  row[8], sep='\t', file=f)
        self.held[self.code, row[1]] = [self.code, self.tests, row[1], verdict, how]
        say(f'{verdict}\t{row[3]}:{row[4]}\t{row[2]}\t{row[8]}\t{how}\t{spent:.1f} s')
        self.guard.look(f'{row[3]}:{row[4]}')

    def collect(self, phase, waiting, survivors):
        """Takes what has finished, at least one."""
        done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
        for f in done:
            number, row, past = waiting.pop(f)
            verdict, how, spent = f.result()
            if phase == 'sanitized' and verdict == 'killed' and not self.sure(how):
                verdict, how = 'open', how.replace(',', ';') + ' fails unmutated; too'
            if verdict != 'killed':
                how = ', '.join(past + [f'{phase} {how}'])
            if verdict == 'survived':
                survivors.append((number, row, past + [f'{phase} {how.split()[-1]}']))
                if not all(any(p.startswith(name + ' ') for p in survivors[-1][2]) for name in PHASES):
                    verdict = 'open'
                elif not re.search(r' [1-9]', how):
                    verdict = 'unreached'
            self.finish(row, verdict, how, spent)

    def run(self):
        todo = self.left()
        say(f'{len(todo)} of {len(self.chosen)} to run')
        todo = self.again(todo)
        for phase in self.phases:
            if phase == 'sanitized' and todo:
                self.sanitized = sanitized(self.args.jobs)
                self.guard.held = self.guard.stat()  # what was built just now is no damage
            survivors, waiting = [], {}
            for number, row, past in todo:
                if any(p.startswith(phase + ' ') for p in past):
                    survivors.append((number, row, past))
                    continue
                tests = self.reaching(number, phase, paths.module(row[3]), self.killers.get(row[1]))
                waiting[self.pool.submit(judge, number, row[3], tests, self.args.seconds)] = number, row, past
                while len(waiting) > self.args.jobs:
                    self.collect(phase, waiting, survivors)
            while waiting:
                self.collect(phase, waiting, survivors)
            todo = survivors
        self.pool.shutdown()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--count', type=int, default=500)
    ap.add_argument('--jobs', type=int, default=1)
    ap.add_argument('--seconds', type=float, default=0)
    ap.add_argument('--seed', default='attest')
    ap.add_argument('--only', help='draws from files whose path matches')
    ap.add_argument('--take', default='', help='runs, of those drawn, the mutants of files whose path matches')
    ap.add_argument('--phases', default=','.join(PHASES), help='which tests are run, and in which order')
    ap.add_argument('--summary', action='store_true', help='tells what is known, runs nothing')
    ap.add_argument('--remember', action='store_true', help='writes which test killed which mutant into ' + KILLERS)
    args = ap.parse_args()
    if any(p not in PHASES for p in args.phases.split(',')):
        ap.error('--phases: ' + ', '.join(PHASES) + ' are allowed, with commas between them')
    os.makedirs(TREE, exist_ok=True)
    flags = ' '.join(w for w in read(BUILD + '/flags').decode().split() if re.match(r'-(I|D|std=)', w))
    rows = places(f'{flags} -I{BUILD}', args.seed, args.only)
    say(f'{len(rows)} places')
    with open(OUT + '/lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        chosen = tree_build(rows, args.count, args.jobs)
    code = digest(p for p in files_of(('src', 'include', 'cli', 'examples')) if not is_test(p))
    tests = digest(p for p in files_of(('src', 'cli', 'fuzz')) if is_test(p))
    held = verdicts_read(OUT + '/code.tsv')
    if not args.summary:
        Hunt(args, chosen, held, code, tests).run()
    if args.remember:
        killers_write(chosen, OUT + '/code.tsv')
    sys.exit(not summary(chosen, held, code))


if __name__ == '__main__':
    main()
