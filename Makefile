# SPDX-License-Identifier: GPL-2.0-or-later
#
# One variant is one folder: build/release, build/debug, build/audit, ... Each
# holds its objects, the library, the command and the test programs. Sources
# are found by wildcard, so that a new file needs no line here. `make help`
# lists the targets; docs/TESTING.md explains them.

VERSION := 0.1

# ---- What this make is asked to build --------------------------------------

VARIANT ?= release
B := build/$(VARIANT)

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
PREFIX ?= /usr/local
RUNQLAB_SHARED ?= ../shared
export RUNQLAB_SHARED

ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
endif
MAKEFLAGS += --no-print-directory

# `make V=1` shows whole command lines.
ifdef V
run = $(2)
else
run = @echo '  $(1) $@'; $(2)
endif

# ---- Flags -----------------------------------------------------------------

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wcast-qual -Wundef -Wdouble-promotion -Wswitch-enum
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# WERROR=-Werror turns warnings into errors; the variants of `make check` have
# it always, the release build never by itself: a newer compiler must not fail.
# Functions at the beginning of a line of the cache: 1 %, and less luck. The loops are too short
# for vectors: 1 %.
OPT_release := -O3 -fno-tree-vectorize -falign-functions=64
OPT_debug := -O1 -g $(SANITIZE) -Werror
OPT_clang := -O1 -g $(SANITIZE) -Werror
OPT_audit := -O2 -g -DRUNQLAB_AUDIT -Werror
OPT_fuzz := -O1 -g $(SANITIZE)
OPT_fuzz-clang := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
CC_clang := $(CLANG)
CC_fuzz-clang := $(CLANG)
# The determinism matrix: det-gcc-O0, det-clang-O3, ...
ifneq ($(filter det-%,$(VARIANT)),)
OPT_$(VARIANT) := -$(word 3,$(subst -, ,$(VARIANT)))
CC_$(VARIANT) := $(if $(filter clang,$(word 2,$(subst -, ,$(VARIANT)))),$(CLANG),$(CC))
endif
ifndef OPT_$(VARIANT)
$(error no such VARIANT: $(VARIANT))
endif

COMPILER := $(or $(CC_$(VARIANT)),$(CC))
# Twice the size at which gcc at -O3 stops to inline by itself: 2 % fewer instructions.
OPT_release += $(if $(findstring clang,$(COMPILER)),,--param max-inline-insns-auto=60)
# The command is optimized as a whole: 5 % faster. The library's objects are ordinary ones as well, and
# so tests, which are many, are linked as usual.
LTO_release := $(if $(findstring clang,$(COMPILER)),,-flto=auto -ffat-lto-objects)
OPT_release += $(LTO_release)
NO_LTO := $(if $(LTO_$(VARIANT)),-fno-lto)
# What snprintf() cuts off is cut off on purpose; gcc's guess depends on -O.
WARN += $(if $(findstring clang,$(COMPILER)),,-Wno-format-truncation)
COMMON := -std=c11 $(OPT_$(VARIANT)) $(WARN) $(WERROR) -fno-common -fvisibility=hidden \
	-ffp-contract=off -Isrc -Iinclude $(EXTRA_CFLAGS)
# The core knows no libc beyond mem*; tools/check_core.sh looks at its objects.
CORE_CFLAGS := $(COMMON) -ffreestanding -fno-stack-protector
HOST_CFLAGS := $(COMMON) -D_POSIX_C_SOURCE=200809L -DRUNQLAB_VERSION='"$(VERSION)"'
TEST_CFLAGS := $(HOST_CFLAGS) -Itests/support -Wno-unused-parameter
LDLIBS := -lhwloc -ljson-c -lm

# ---- Files -----------------------------------------------------------------

CORE_DIRS := src/base src/model src/sched src/kver
SRC := $(sort $(wildcard src/*/*.c src/*/*/*.c))
PRODUCT := $(filter-out %_test.c %_fuzz.c,$(SRC))
CORE_SRC := $(filter $(addsuffix /%,$(CORE_DIRS)),$(PRODUCT))
ASM_SRC := $(sort $(wildcard src/*/*.S src/*/*/*.S))
MAIN_SRC := $(filter src/cli/main.c,$(PRODUCT))
CLI_SRC := $(filter-out $(MAIN_SRC),$(filter src/cli/%,$(PRODUCT)))
LIB_SRC := $(filter-out src/cli/%,$(PRODUCT))
UNIT_SRC := $(filter %_test.c,$(SRC))
TEST_KINDS := golden behaviour property reference
KIND_SRC := $(sort $(foreach kind,$(TEST_KINDS),$(wildcard tests/$(kind)/*_test.c)))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
FUZZ_SRC := $(filter %_fuzz.c,$(SRC))
BENCH_SRC := $(sort $(wildcard bench/*.c))
HEADERS := $(sort $(wildcard include/*.h src/*/*.h src/*/*/*.h))

obj = $(patsubst %,$(B)/obj/%.o,$(basename $(1)))
LIB := $(B)/librunqlab.a
CLI_LIB := $(if $(CLI_SRC),$(B)/libcli.a)
COMMAND := $(B)/runqlab
LIB_OBJ := $(call obj,$(LIB_SRC) $(ASM_SRC))
CORE_OBJ := $(call obj,$(CORE_SRC))
SUPPORT_OBJ := $(call obj,$(SUPPORT_SRC))
UNIT := $(patsubst src/%.c,$(B)/test/%,$(UNIT_SRC))
KIND := $(patsubst tests/%.c,$(B)/test/%,$(KIND_SRC))
FUZZ := $(patsubst src/%.c,$(B)/fuzz/%,$(FUZZ_SRC))
BENCH := $(patsubst bench/%.c,$(B)/bench/%,$(BENCH_SRC))

# Everything this variant leaves that a user may want.
PRODUCTS := $(LIB) $(if $(MAIN_SRC),$(COMMAND))

# ---- Targets for people ----------------------------------------------------

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all run run-full test check check-full check-style check-determinism check-fresh bench bless \
	fuzz fidelity tidy help install dist clean tests benches fuzzers check-variant deps-ok \
	force

all: $(PRODUCTS)

run: ## install what is missing, build, run every case in its quick form
	@sh tools/deps.sh install build
	@$(MAKE) VARIANT=release all
	@sh tools/run_cases.sh quick build/release/runqlab build/results

run-full: ## the same with the cases' long forms
	@sh tools/deps.sh install build
	@$(MAKE) VARIANT=release all
	@sh tools/run_cases.sh full build/release/runqlab build/results

test: ## install what is missing, build, run every test with the release build
	@sh tools/deps.sh install test
	@$(MAKE) VARIANT=$(VARIANT) all tests
	@sh tools/run_tests.sh build/test-count $(B) $(UNIT) $(KIND) $(SHELL_TESTS)

check: ## before each commit: sanitizers, warnings as errors, tests, style
	@sh tools/deps.sh check test
	@$(MAKE) VARIANT=debug check-variant
	@$(MAKE) check-style

check-full: ## before merging: check, clang, audits, 200 seeds, determinism, fuzzing
	@$(MAKE) check
	@RUNQLAB_SEEDS=200 RUNQLAB_TEST_TIMEOUT=900 $(MAKE) VARIANT=audit check-variant
	@if command -v $(CLANG) >/dev/null; then $(MAKE) VARIANT=clang check-variant; \
	else echo "clang build: skipped, no $(CLANG)"; fi
	@$(MAKE) check-determinism
	@$(MAKE) fuzz FUZZ_SECONDS=20

check-variant: all tests
	@sh tools/run_tests.sh build/check-count $(B) $(UNIT) $(KIND) $(SHELL_TESTS)

check-style: ## layers, freestanding core, layout, generated files, links, words
	@$(MAKE) VARIANT=release all
	@CC='$(CC)' sh tools/run_tests.sh build/style-count build/release $(STYLE_CHECKS)

check-determinism: ## each golden: gcc and clang, -O0 -O2 -O3, twice, other surroundings
	@CLANG='$(CLANG)' MAKE='$(MAKE)' sh tools/check_determinism.sh

check-fresh: ## `make run` and `make test` on a minimal Debian 12 made for it; needs root
	@sh tools/chroot_test.sh run test

bench: ## speed against the stored figures; never fails
	@$(MAKE) VARIANT=release all benches
	@sh tools/bench.sh build/release $(BENCH)

bless: ## rewrite transcripts and golden fingerprints; prints the differences
	@$(MAKE) VARIANT=release all
	@sh tests/cli/run.sh --bless build/release
	@sh tests/golden/run.sh --bless build/release

FUZZ_SECONDS ?= 60
fuzz: ## libFuzzer for FUZZ_SECONDS each with clang, else the stored inputs
	@CLANG='$(CLANG)' MAKE='$(MAKE)' sh tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_SRC)

fidelity: ## compare with real kernels, into docs/FIDELITY.md; collect notes: build/fidelity.txt
	@$(MAKE) VARIANT=release all
	@sh tools/truth_table.sh build/release/runqlab docs/FIDELITY.md cases/truth/causes.txt
	@mkdir -p build
	@sh tools/fidelity.sh > build/fidelity.txt.new && mv build/fidelity.txt.new build/fidelity.txt
	@echo "build/fidelity.txt: $$(grep -c . build/fidelity.txt) lines"

tidy: ## clang-tidy, cppcheck and gcc -fanalyzer, those that are installed
	@CC='$(CC)' sh tools/tidy.sh $(PRODUCT)

help: ## this table
	@awk -F ':.*## ' 'BEGIN { printf "%-23s %s\n", "make", "release library and command" } \
		/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

install: all ## copy command, library, header and manual page to DESTDIR and PREFIX
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib' \
		'$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(COMMAND) '$(DESTDIR)$(PREFIX)/bin/runqlab'
	install -m 644 $(LIB) '$(DESTDIR)$(PREFIX)/lib/librunqlab.a'
	if test -f include/runqlab.h; then \
		install -m 644 include/runqlab.h '$(DESTDIR)$(PREFIX)/include/'; fi
	sh tools/man.sh $(COMMAND) > $(B)/runqlab.1
	install -m 644 $(B)/runqlab.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'

dist: ## a tarball of the sources in build/
	@sh tools/dist.sh runqlab-$(VERSION) build

clean: ## remove build/
	rm -rf build

# ---- Tests that are scripts; each prints one `ok` or `not ok` line a fact ---

SHELL_TESTS := tests/cli/run.sh tests/golden/run.sh $(sort $(wildcard tests/tools/*_test.sh))
STYLE_CHECKS := $(addprefix tools/check_,layers.sh core.sh hidden.sh headers.sh generated.sh \
	spdx.sh format.sh words.sh links.sh commits.sh)

# ---- How files are made ----------------------------------------------------

tests: $(UNIT) $(KIND)
benches: $(BENCH)
fuzzers: $(FUZZ)

$(COMMAND): $(call obj,$(MAIN_SRC)) $(CLI_LIB) $(LIB)
	$(call run,LD,$(COMPILER) $(OPT_$(VARIANT)) $^ $(LDFLAGS) $(LDLIBS) -o $@)

# Made anew each time: `ar r` would keep the members of files that are gone.
$(LIB): $(LIB_OBJ) $(B)/sources
	@rm -f $@
	$(call run,AR,$(AR) rcsD $@ $(LIB_OBJ))

$(B)/libcli.a: $(call obj,$(CLI_SRC)) $(B)/sources
	@rm -f $@
	$(call run,AR,$(AR) rcsD $@ $(call obj,$(CLI_SRC)))

$(UNIT): $(B)/test/%: $(B)/obj/src/%.o $(SUPPORT_OBJ) $(CLI_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(COMPILER) $(OPT_$(VARIANT)) $(NO_LTO) $^ $(LDFLAGS) -lcmocka $(LDLIBS) -o $@)

$(KIND): $(B)/test/%: $(B)/obj/tests/%.o $(SUPPORT_OBJ) $(CLI_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(COMPILER) $(OPT_$(VARIANT)) $(NO_LTO) $^ $(LDFLAGS) -lcmocka $(LDLIBS) -o $@)

FUZZ_MAIN := $(if $(filter fuzz-clang,$(VARIANT)),,$(B)/obj/tools/fuzz_main.o)
FUZZ_LINK := $(if $(filter fuzz-clang,$(VARIANT)),-fsanitize=fuzzer)
$(FUZZ): $(B)/fuzz/%: $(B)/obj/src/%.o $(B)/obj/tools/fuzz_check.o $(FUZZ_MAIN) $(CLI_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(COMPILER) $(OPT_$(VARIANT)) $(NO_LTO) $(FUZZ_LINK) $^ $(LDFLAGS) $(LDLIBS) -o $@)

$(BENCH): $(B)/bench/%: $(B)/obj/bench/%.o $(B)/obj/tools/fuzz_check.o $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(COMPILER) $(OPT_$(VARIANT)) $^ $(LDFLAGS) $(LDLIBS) -o $@)

cflags = $(if $(filter $<,$(CORE_SRC)),$(CORE_CFLAGS),$(if \
	$(filter %_test.c tests/%,$<),$(TEST_CFLAGS),$(HOST_CFLAGS)))

$(B)/obj/%.o: %.c $(B)/flags | build/deps-ok
	@mkdir -p $(@D)
	$(call run,CC,$(COMPILER) $(cflags) -MMD -MP -c $< -o $@)

$(B)/obj/%.o: %.S $(B)/flags | build/deps-ok
	@mkdir -p $(@D)
	$(call run,CC,$(COMPILER) $(OPT_$(VARIANT)) -Isrc -MMD -MP -c $< -o $@)

# Rewritten only when their text changes: then everything, or the library, is made anew.
$(B)/flags: force
	@mkdir -p $(@D)
	@printf '%s\n' '$(COMPILER)' '$(subst ','\'',$(HOST_CFLAGS) $(LDFLAGS))' > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/sources: force
	@mkdir -p $(@D)
	@printf '%s\n' $(PRODUCT) $(ASM_SRC) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# Says what to install where a header is missing; installs nothing.
build/deps-ok:
	@mkdir -p $(@D)
	@CC='$(CC)' sh tools/deps.sh check build
	@touch $@

-include $(wildcard $(addsuffix /*.d,$(sort $(dir $(call obj,$(SRC) $(ASM_SRC) $(KIND_SRC) \
	$(SUPPORT_SRC) $(BENCH_SRC) tools/fuzz_main.c)))))
