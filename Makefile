# attest: GNU make and pkg-config, nothing else.
#
# Two kinds of targets. The ones people type (run, test, sanitize, fuzz, bench, judge) first see to the
# packages (tools/deps.sh), then call make again: only then is $(BUILD)/config.mk read, which knows the
# libraries. The rest (all, lib, tests-build, install, ...) read config.mk at once.
#
# Sources are found by wildcard: src/<module>/*.c is the library, cli/*.c the command, each
# src/<module>/test/test_*.c one cmocka program, each fuzz/fuzz_*.c one fuzz target, *_avx2.c and
# *_avx512.c only x86-64.
#
# Rebuilding: headers by -MMD; flags and the list of sources through two files in $(BUILD) that are
# touched only when their content changes; the build id likewise (tools/build_id.sh says why).

VERSION := 0.1.0
# Of the calls in include/attest.h: raised when one of them goes, or changes.
ABI := 0

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
FUZZ_SECONDS ?= 60
TEST_SECONDS ?= $(if $(SANITIZE),900,300)
CLANG ?= clang
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(origin CC),default)
CC := gcc
endif

# Goals that must work before any library is there.
DRIVERS := help deps run test sanitize fuzz bench judge mutants mutants-weights mutants-code mutants-sample format clean
ifneq ($(filter-out $(DRIVERS),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/config.mk
VERSIONS := $(shell sh tools/versions.sh '$(CC)')
# Several machines: asked at every make, because a machine may get MPI later. Without it attest is built all the same.
MPI := $(firstword $(foreach p,ompi-c mpich,$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p))))
# Proofs for all lengths: its header alone, the library is loaded when it is needed (src/prove/z3_calls.c). Likewise optional.
Z3 := $(shell printf '\043include <z3.h>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo -DAT_Z3)
# ONNX files: the schema of libonnx, made into C by protobuf-c. Likewise optional.
ONNX_PROTO := $(firstword $(wildcard /usr/include/onnx/onnx.proto /usr/local/include/onnx/onnx.proto))
ONNX := $(if $(ONNX_PROTO),$(shell command -v protoc-c >/dev/null 2>&1 && pkg-config --exists libprotobuf-c 2>/dev/null && echo -DAT_ONNX))
ONNX_LIBS := $(if $(ONNX),$(shell pkg-config --libs libprotobuf-c))
endif

# ---- flags -----------------------------------------------------------------------------------------

# -Wno-psabi: gcc notes an ABI change of 2011 for vector arguments; ours never leave a file.
WARN := -Wall -Wextra -Werror -Wshadow -Wswitch-enum -Wstrict-prototypes -Wmissing-prototypes -Wno-psabi -Wno-missing-field-initializers
OPT := -O2 -g
ifdef SANITIZE
OPT := -O1 -g1 -fno-omit-frame-pointer -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
# gcc's runtime in the program itself takes a seventh less time (no call through a table for each stack frame). The plugin of MPI
# finds it there: the program exports its symbols.
ifneq ($(findstring gcc,$(CC)),)
RUNTIME := -static-libasan -static-libubsan -rdynamic
# At fixed addresses: half the pages of a program are touched when it starts, and scripts start thousands.
OPT += -fno-pie
RUNTIME += -no-pie
# A null pointer that is read is a fault anyway, and what lies beside an object is AddressSanitizer's: these three checks of UBSan
# stand at every access, and clang's build for the fuzzers keeps them.
OPT += -fno-sanitize=null,object-size,pointer-overflow
# gcc does not see through its own checks: what it would have to say of variables it says without them, in `make test`.
WARN += -Wno-maybe-uninitialized
# Each of 250 programs holds the whole library and the runtime; gold puts one together in half the time.
RUNTIME += $(GOLD)
endif
endif
# -ffp-contract=off: a fused multiply-add is written as one or does not happen (results are compared bit by bit).
FLAGS := -std=gnu17 $(OPT) $(WARN) -ffp-contract=off -pthread -Iinclude $(DEP_CFLAGS) $(Z3) $(ONNX) $(CPPFLAGS) $(CFLAGS)
# One compilation serves the archive and the shared library (none under a sanitizer). Nothing is exported but what include/attest.h marks; within the
# library that makes the code as good as any other.
PIC := $(if $(SANITIZE),,-fPIC -fvisibility=hidden)
LIBS := $(DEP_LIBS) $(ONNX_LIBS) -lm -pthread $(RUNTIME) $(LDFLAGS)
COMPILE = $(CC) $(FLAGS) -I$(BUILD) -MMD -MP -MF $(@:.o=).d -MT $@
# One line a file; V=1 shows the commands.
say = $(if $(V),,@echo "  $(1) $(@:$(BUILD)/%=%)";)

# ---- what there is ---------------------------------------------------------------------------------

# A module is a folder; what there are many of in it (tasks, languages) has folders of its own.
SRC := $(filter-out src/job/mpi/% $(wildcard src/*/test/*.c),$(sort $(wildcard src/*/*.c src/*/*/*.c)))
ifndef X86_64
SRC := $(filter-out %_avx2.c %_avx512.c,$(SRC))
endif
CLI_SRC := $(sort $(wildcard cli/*.c))
TEST_SRC := $(sort $(wildcard src/*/test/test_*.c))
SUPPORT_SRC := $(filter-out $(TEST_SRC),$(sort $(wildcard src/*/test/*.c)))
FUZZ_SRC := $(sort $(wildcard fuzz/fuzz_*.c))
SCRIPTS := $(filter-out %/lib.sh,$(sort $(wildcard cli/test/*.sh tools/test/*.sh)))

LIB := $(BUILD)/libattest.a
BIN := $(BUILD)/attest
# Under a sanitizer there is none: its runtime belongs to a program.
SO := $(if $(SANITIZE),,$(BUILD)/libattest.so)
PLUGIN := $(if $(MPI),$(BUILD)/attest_mpi.so)
OBJ := $(SRC:%.c=$(BUILD)/obj/%.o) $(if $(ONNX),$(BUILD)/obj/onnx.pb-c.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
SUPPORT_OBJ := $(SUPPORT_SRC:%.c=$(BUILD)/obj/%.o)
TEST_BIN := $(TEST_SRC:src/%.c=$(BUILD)/tests/%)
REPLAY_BIN := $(FUZZ_SRC:fuzz/fuzz_%.c=$(BUILD)/replay/%)
BENCH_BIN := $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))
JUDGE_BIN := $(patsubst %.c,$(BUILD)/%,$(wildcard judge/judge_*.c))
JUDGE_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out judge/judge_%,$(wildcard judge/*.c)))
FUZZ_BIN := $(FUZZ_SRC:fuzz/fuzz_%.c=$(BUILD)/bin/%)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all lib tests-build tests-run lint install fuzz-build bench-build judge-build mutants-build mutants-jobs $(DRIVERS) FORCE

all: $(LIB) $(SO) $(BIN) $(PLUGIN)
lib: $(LIB) $(SO)
tests-build: $(TEST_BIN) $(REPLAY_BIN) $(PLUGIN)

# ---- what the machine has, what the build is made of -----------------------------------------------

$(BUILD)/config.mk: tools/configure.sh tools/probe_flint.sh
	@mkdir -p $(@D)
	@sh tools/configure.sh '$(CC)' >$@.tmp || { rm -f $@.tmp; exit 1; }
	@mv $@.tmp $@

# $(call keep,TEXT): the target becomes TEXT, and is touched only when that changes it.
keep = mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' >$@.tmp; cmp -s $@.tmp $@ && rm $@.tmp || mv $@.tmp $@

$(BUILD)/flags: FORCE
	@$(call keep,$(CC) $(FLAGS) $(PIC) $(LIBS) $(VERSIONS))
$(BUILD)/sources: FORCE
	@$(call keep,$(SRC) $(CLI_SRC))
$(BUILD)/build_id.h: FORCE
	@sh tools/build_id.sh $@ $(VERSION) '$(CC) $(FLAGS) $(VERSIONS)'
FORCE:

# ---- library and command ---------------------------------------------------------------------------

$(BUILD)/obj/%_avx2.o: private FLAGS += -mavx2 -mfma
# A fuzzer learns from the comparisons that it sees; those of numerical kernels, allocation and random numbers tell it nothing, and
# are most of them.
ifneq ($(findstring fuzzer,$(SANITIZE)),)
$(BUILD)/obj/src/exec/%.o $(BUILD)/obj/src/num/%.o $(addprefix $(BUILD)/obj/src/core/,elementary%.o memory.o rng.o): \
    private FLAGS += -fno-sanitize-coverage=trace-cmp
# Eliminations, some ten thousand to a model: as they were compiled, one input took longer than a target may.
$(BUILD)/obj/src/extract/feasible.o: private FLAGS += -O2 -fno-sanitize-coverage=trace-cmp
# No target trains, and clang takes four minutes of one.
$(BUILD)/obj/src/train/train_avx512.o $(BUILD)/obj/src/train/plain_avx512.o: private FLAGS += -O0 -fno-sanitize=all
endif
$(BUILD)/obj/%_avx512.o: private FLAGS += -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma
# Where nothing can run it, it is not worth the compiler's half minute.
$(if $(and $(SANITIZE),$(shell grep -qw avx512f /proc/cpuinfo 2>/dev/null || echo none)),$(BUILD)/obj/%_avx512.o: private FLAGS += -O0 -fno-sanitize=all)
# Kernels read arrays of our own, never bytes of a file: that these lie as they should is asked everywhere else.
ifdef SANITIZE
$(BUILD)/obj/src/exec/%.o $(BUILD)/obj/src/num/%.o $(BUILD)/obj/src/train/%.o: private FLAGS += -fno-sanitize=alignment
# Where tests compute for minutes, the compiler's minute is soon earned.
$(filter-out %_avx512.o,$(filter $(addprefix $(BUILD)/obj/src/,exec/% extract/% num/% program/% train/%),$(OBJ))): private FLAGS += -O2
endif
$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/build_id.h
	@mkdir -p $(@D)
	$(call say,CC  )$(COMPILE) $(PIC) -c -o $@ $<

# The shipped recurrences and machines are part of the library.
$(BUILD)/examples.inc: $(sort $(wildcard examples/*.dp)) tools/embed.sh
	@mkdir -p $(@D)
	@sh tools/embed.sh $(filter %.dp,$^) >$@
$(BUILD)/obj/src/lang/dp/examples.o: $(BUILD)/examples.inc
$(BUILD)/machines.inc: $(sort $(wildcard examples/*.tm)) tools/embed.sh
	@mkdir -p $(@D)
	@sh tools/embed.sh $(filter %.tm,$^) >$@
$(BUILD)/obj/src/lang/tm/tm_examples.o: $(BUILD)/machines.inc

# The schema comes from the system, and so does its C: nothing of it is kept here, nor warned of.
$(BUILD)/onnx.pb-c.c: $(ONNX_PROTO)
	@mkdir -p $(@D)
	$(call say,GEN )protoc-c --c_out=$(BUILD) -I$(dir $(ONNX_PROTO)) $<
$(BUILD)/obj/onnx.pb-c.o: $(BUILD)/onnx.pb-c.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(FLAGS) $(PIC) -w -I$(BUILD) -c -o $@ $<
$(if $(ONNX),$(BUILD)/obj/src/export/onnx_pack.o): $(BUILD)/onnx.pb-c.c

$(LIB): $(OBJ) $(BUILD)/sources
	@rm -f $@
	$(call say,AR  )$(AR) qcs $@ $(OBJ)

# Programs that are linked against libattest.so ask for libattest.so.$(ABI) when they run.
$(BUILD)/libattest.so: $(OBJ) $(BUILD)/sources
	$(call say,LINK)$(CC) $(FLAGS) -shared -Wl,-soname,libattest.so.$(ABI) -Wl,-z,defs -Wl,--as-needed -o $@.$(VERSION) $(OBJ) $(LIBS) && \
	    ln -sf libattest.so.$(VERSION) $@.$(ABI) && ln -sf libattest.so.$(VERSION) $@

$(BIN): $(CLI_OBJ) $(LIB)
	$(call say,LINK)$(CC) $(FLAGS) -o $@ $(CLI_OBJ) $(LIB) $(LIBS)

# The only thing that knows MPI; attest loads it when mpirun or srun has started several of it.
$(BUILD)/attest_mpi.so: src/job/mpi/ranks_mpi.c src/job/ranks_plugin.h $(BUILD)/flags $(BUILD)/build_id.h
	$(call say,LINK)$(CC) $(FLAGS) -I$(BUILD) -fPIC -c -o $@.o $< $$(pkg-config --cflags $(MPI) | sed 's/-I/-isystem /g') && \
	    $(CC) $(if $(RUNTIME),,$(FLAGS)) -shared -o $@ $@.o $$(pkg-config --libs $(MPI)) $(LDFLAGS)

# ---- tests -----------------------------------------------------------------------------------------

# The compiler's time counts: a test computes little of its own, and is run once.
OF_TEST := $(if $(SANITIZE),-O0,-O1)
# The other files in src/<module>/test/ are shared by the tests of that module.
support_of = $(filter $(BUILD)/obj/src/$(1)/%,$(SUPPORT_OBJ))
.SECONDEXPANSION:
$(BUILD)/tests/%: src/%.c $$(call support_of,$$(*D)) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)$(COMPILE) $(OF_TEST) -o $@ $< $(filter %.o,$^) $(LIB) $$(pkg-config --cflags --libs cmocka) $(LIBS)

# Tests of ranks start themselves under mpirun.
$(filter $(BUILD)/tests/job/%,$(TEST_BIN)): | $(PLUGIN)

# A fuzz target with a main() that only replays files: the corpus is a regression test without clang.
$(BUILD)/replay/%: fuzz/fuzz_%.c $(BUILD)/obj/tools/fuzz_replay.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)$(COMPILE) -DFUZZ_REPLAY -Wno-missing-prototypes -o $@ $< $(BUILD)/obj/tools/fuzz_replay.o $(LIB) $(LIBS)

LINTS := layers constants evidence docs examples model parts symbols format
# Takes a minute, so that `make test` leaves it to `make lint`.
LINTS_LONG := clang
# One line a job: kind, name, command (see tools/run_tests.sh).
job = echo '$(1) $(2) $(3)';
program_jobs = $(foreach t,$(1),$(call job,tap,$(subst /test/,/,$(t:$(BUILD)/tests/%=%)),$(t)))
script_jobs = $(foreach t,$(1),$(call job,tap,$(subst /test/,/,$(t:%.sh=%)),bash $(t)))
replay_jobs = $(foreach t,$(REPLAY_BIN),$(call job,one,corpus/$(notdir $(t)),$(t) fuzz/corpus/$(notdir $(t))))
lint_jobs = $(foreach t,$(1),$(call job,one,lint/$(t),sh tools/check_$(t).sh))
RUN_TESTS = SANITIZED='$(SANITIZE)' BUILD='$(BUILD)' CC='$(CC)' JOBS='$(JOBS)' TEST_SECONDS='$(TEST_SECONDS)' sh tools/run_tests.sh

# Lints, scripts and the modules whose tests take longest come first: one that comes last runs alone. Under a sanitizer the lints
# and the tests of tools/ would only repeat themselves.
FIRST_BIN = $(filter $(addprefix $(BUILD)/tests/,claim/% job/% train/%),$(TEST_BIN))
tests-run: all tests-build
	@{ $(if $(SANITIZE),,$(call lint_jobs,$(LINTS))) $(call script_jobs,$(if $(SANITIZE),$(filter cli/%,$(SCRIPTS)),$(SCRIPTS))) \
	   $(call program_jobs,$(FIRST_BIN) $(filter-out $(FIRST_BIN),$(TEST_BIN))) $(replay_jobs) \
	   $(if $(SANITIZE),,$(call job,end,lint/evidence-shown,sh tools/check_evidence.sh . $(BUILD)/test-logs)) } | $(RUN_TESTS)

# test-MODULE: the programs of one module (or, test-cli, the scripts of the command).
test-%: tests-build
	@{ $(call program_jobs,$(filter $(BUILD)/tests/$*/%,$(TEST_BIN))) :; } | LOGS='$(BUILD)/test-logs-$*' $(RUN_TESTS)
test-cli test-tools: test-%: all
	@{ $(call script_jobs,$(filter $*/%,$(SCRIPTS))) :; } | LOGS='$(BUILD)/test-logs-$*' $(RUN_TESTS)

# What mutants of the code are run against: the tests that reach the library.
mutants-jobs:
	@$(call program_jobs,$(TEST_BIN)) $(replay_jobs) $(call script_jobs,$(filter cli/% %/test_verify.sh %/test_python.sh %/test_reference.sh,$(SCRIPTS))) :

lint: all
	@{ $(call lint_jobs,$(LINTS) $(LINTS_LONG)) } | LOGS='$(BUILD)/test-logs-lint' $(RUN_TESTS)

# ---- fuzz targets (called with BUILD, CC and SANITIZE of their own) --------------------------------

fuzz-build: $(FUZZ_BIN)
# A target whose bytes are choices, each taken modulo how many there are, compares them with nothing.
$(BUILD)/bin/diff $(BUILD)/bin/decode: private OF_TARGET := -fno-sanitize-coverage=trace-cmp
$(BUILD)/bin/%: fuzz/fuzz_%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)$(COMPILE) -Wno-missing-prototypes -fsanitize=fuzzer $(OF_TARGET) -o $@ $< $(LIB) $(LIBS)

# ---- programs that only measure (bench/run.sh), or write down what others judge (judge/) ------------------

bench-build: $(BENCH_BIN)
judge-build: $(JUDGE_BIN)
$(JUDGE_BIN): $(JUDGE_OBJ)
$(BENCH_BIN) $(JUDGE_BIN): $(BUILD)/%: %.c $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)$(COMPILE) -o $@ $< $(filter %.o,$^) $(LIB) $(LIBS)

# ---- mutants (docs/mutants.md) ---------------------------------------------------------------------

MUTANTS_WEIGHTS := $(BUILD)/mutants/mutants_weights
$(MUTANTS_WEIGHTS): $(wildcard mutants/weights*.c) mutants/weights.h $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) -o $@ $(filter %.c,$^) $(LIB) $(LIBS)
mutants-build: all $(MUTANTS_WEIGHTS)

# ---- installing ------------------------------------------------------------------------------------

$(BUILD)/attest.1: $(BIN) tools/man.sh tools/commands.sh
	$(call say,MAN )sh tools/man.sh $(BIN) $(VERSION) >$@

# $(call pc,NAME): tools/NAME.pc.in for this place and version.
pc = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@FLINT_LIBS@|$(FLINT_LIBS) $(ONNX_LIBS)|' tools/$(1).pc.in

install: all $(BUILD)/attest.1
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(LIBDIR)/pkgconfig' \
	    '$(DESTDIR)$(PREFIX)/include/attest' '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(PREFIX)/lib/attest'
	install -m 755 $(BIN) '$(DESTDIR)$(PREFIX)/bin/attest'
	$(if $(PLUGIN),install -m 755 $(PLUGIN) '$(DESTDIR)$(PREFIX)/lib/attest/attest_mpi.so')
	install -m 644 $(LIB) '$(DESTDIR)$(LIBDIR)/libattest.a'
	install -m 755 $(SO).$(VERSION) '$(DESTDIR)$(LIBDIR)/libattest.so.$(VERSION)'
	ln -sf libattest.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/libattest.so.$(ABI)'
	ln -sf libattest.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/libattest.so'
	install -m 644 include/attest.h '$(DESTDIR)$(PREFIX)/include'
	install -m 644 include/attest/*.h include/attest/*.def '$(DESTDIR)$(PREFIX)/include/attest'
	install -m 644 $(BUILD)/attest.1 '$(DESTDIR)$(MANDIR)/man1/attest.1'
	$(call pc,attest) >'$(DESTDIR)$(LIBDIR)/pkgconfig/attest.pc'
	$(call pc,attest-static) >'$(DESTDIR)$(LIBDIR)/pkgconfig/attest-static.pc'

# ---- what people type ------------------------------------------------------------------------------

# Without -j on the command line the build still uses every core.
AGAIN = +$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
DEPS = @BUILD='$(BUILD)' CC='$(CC)' CLANG='$(CLANG)' sh tools/deps.sh

help:
	@echo 'make              build $(BUILD)/attest, $(BUILD)/libattest.so and $(BUILD)/libattest.a'
	@echo 'make run          install what is missing, build, check the whole catalogue (quick tier)'
	@echo 'make test         install what is missing, build, run every test and lint'
	@echo 'make test-MODULE  the tests of one module (test-num, test-cli, test-tools, ...)'
	@echo 'make lint         module order, constants, evidence, documentation, examples, format'
	@echo 'make sanitize     the tests under AddressSanitizer and UBSan, in build-sanitize/'
	@echo 'make fuzz         every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make bench        measurements (RIVALS=1: install PyTorch and BLIS to stand beside)'
	@echo 'make judge        others judge us: a second reader (numpy) runs, onnxruntime exported models,'
	@echo '                  PyTorch these, imports, gradients and AdamW, foma'
	@echo '                  automata, GAP monoids, MONA temporal logic, IRSTLM n-grams, ABC circuits'
	@echo 'make mutants      wrong weights through the checks, wrong code through the tests (mutants-weights, mutants-code;'
	@echo '                  MUTANTS=n of each; hours, resumable)'
	@echo 'make install      PREFIX=$(PREFIX), DESTDIR='
	@echo 'make deps         only install (or name) the packages that are missing'
	@echo 'make format       clang-format every source in place'
	@echo 'make clean        remove $(BUILD)/ and build-sanitize/'
	@echo 'Variables: V=1 BUILD CC CFLAGS CPPFLAGS LDFLAGS JOBS TEST_SECONDS'

deps:
	$(DEPS) test

run:
	$(DEPS) run
	$(AGAIN) all
	$(BIN) check -o $(BUILD)/report.html --db $(BUILD)/attest.db

test:
	$(DEPS) test
	$(AGAIN) tests-run

# One job more than there are cores: some tests wait for a disk or for a signal.
sanitize: JOBS := $(shell expr $(JOBS) + 1)
sanitize:
	$(DEPS) test
	$(AGAIN) tests-run BUILD=build-sanitize SANITIZE=address,undefined JOBS=$(JOBS)

fuzz:
	$(DEPS) fuzz
	$(AGAIN) fuzz-build BUILD=$(BUILD)/fuzz CC=$(CLANG) SANITIZE=fuzzer-no-link,address,undefined
	@JOBS='$(JOBS)' sh tools/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZ_SRC)

bench:
	$(DEPS) bench
	$(AGAIN) all bench-build
	ATTEST=$(BIN) BUILD=$(BUILD) bash bench/run.sh

# A file a configuration; those of an earlier run are not judged again.
judge:
	$(DEPS) judge
	$(AGAIN) all judge-build
	@rm -rf $(addprefix $(BUILD)/judge/,models train circuits) && mkdir -p $(addprefix $(BUILD)/judge/,models train circuits)
	$(BUILD)/judge/judge_model $(BUILD)/judge/models
	/usr/bin/python3 judge/judge_model.py $(BUILD)/judge/models $(BIN)
	ATTEST_TEST_TORCH=1 ATTEST_LIBRARY=$(abspath $(SO)) PYTHONPATH=python /usr/bin/python3 -B python/test/test_attest.py
	MUTANTS=100 ATTEST=$(abspath $(BIN)) bash tools/test/test_verify.sh
	sh judge/onnxruntime.sh $(BUILD)/judge/node
	/usr/bin/python3 judge/judge_export.py $(BUILD)/judge/models $(BIN) $(BUILD)/judge/node
	@rm -rf $(BUILD)/judge/import && mkdir -p $(BUILD)/judge/import
	/usr/bin/python3 judge/judge_import.py $(BUILD)/judge/import $(BIN)
	$(BUILD)/judge/judge_train $(BUILD)/judge/train
	/usr/bin/python3 judge/judge_train.py $(BUILD)/judge/train
	/usr/bin/python3 judge/judge_state.py $(addprefix fuzz/corpus/state/,family fast plain)
	! /usr/bin/python3 judge/judge_state.py fuzz/corpus/state/damaged
	$(BUILD)/judge/judge_regular $(BUILD)/judge/regular.jsonl
	/usr/bin/python3 judge/judge_regular.py $(BUILD)/judge/regular.jsonl
	$(BUILD)/judge/judge_ltl $(BUILD)/judge/ltl.jsonl
	/usr/bin/python3 judge/judge_ltl.py $(BUILD)/judge/ltl.jsonl
	/usr/bin/python3 judge/judge_ngram.py $(BIN) examples/village.txt
	$(BUILD)/judge/judge_circuit $(BUILD)/judge/circuits
	/usr/bin/python3 judge/judge_circuit.py $(BUILD)/judge/circuits

# Both go on where they were stopped. MUTANTS: how many a claim, and how many of the code.
mutants:
	+@$(MAKE) --no-print-directory mutants-weights; weights=$$?; \
	$(MAKE) --no-print-directory mutants-code && exit $$weights

mutants-weights:
	$(DEPS) run
	$(AGAIN) mutants-build
	$(BUILD)/mutants/mutants_weights --out $(BUILD)/mutants/weights.tsv --threads $(JOBS) $(MUTANTS:%=--count %)

mutants-code:
	$(DEPS) mutants
	$(AGAIN) all
	BUILD='$(BUILD)' /usr/bin/python3 -B mutants/run_code.py --jobs $(JOBS) $(MUTANTS:%=--count %) $(MUTANTS_FLAGS)

# Draws the mutants of `make test` anew.
mutants-sample:
	$(DEPS) mutants
	$(AGAIN) all tests-build
	BUILD='$(BUILD)' CC='$(CC)' sh mutants/sample.sh --draw

format:
	find $(wildcard include src cli fuzz bench judge mutants examples tools) -name '*.[ch]' -o -name '*.inc' | xargs $${CLANG_FORMAT:-clang-format} -i

clean:
	rm -rf $(BUILD) build-sanitize

-include $(OBJ:.o=.d) $(SUPPORT_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_BIN:=.d) $(REPLAY_BIN:=.d) $(FUZZ_BIN:=.d) $(BENCH_BIN:=.d) $(JUDGE_BIN:=.d) $(JUDGE_OBJ:.o=.d)
