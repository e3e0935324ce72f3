# lockstep: every target in one place. `make help` lists them.
# Variables: BUILD=build  DEBUG=0|1  PCH=0|1  SAN=address,undefined|thread  STATIC_CXX=auto|0|1  PREFIX=/usr/local  CXX=g++

# Every core, unless -j says otherwise or commands follow each other (make clean all). A make within make shares the
# jobs of the first.
COMMANDS = $(filter clean deps test demo bench fuzz verdicts soak install wheel,$(MAKECMDGOALS))
ifeq ($(MAKELEVEL)$(if $(COMMANDS),$(word 2,$(MAKECMDGOALS))),0)
  MAKEFLAGS += -j$(shell nproc)
endif

BUILD      ?= build
PREFIX     ?= /usr/local
MACHINE    := $(shell uname -m)
ARCH       ?= $(MACHINE)
STATIC_CXX ?= auto
CCACHE     ?= $(shell command -v ccache 2>/dev/null)
CXXSTD      = -std=c++17
# g++ before 12 takes what stands in a std::optional for uninitialized.
WARN       := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
              $(if $(filter 8 9 10 11,$(firstword $(subst ., ,$(shell $(CXX) -dumpversion)))),-Wno-maybe-uninitialized)
# -g1 names functions and lines for backtraces and tools at none of -g's third of the compile time.
# A sanitizer's build is for its findings, which -O1 shows as well.
OPT         = $(if $(filter 1,$(DEBUG)),-O0 -g,$(if $(SAN),-O1,-O2) -g1)
# Rooms that run once for a person: -Og takes a third of the compile time. It inlines less than xxhash insists on.
COLD        = base/command_line cli/% analysis/clock/% analysis/hostload/% analysis/judge/% analysis/logs/% analysis/page/% analysis/report/% analysis/say/% analysis/why/% \
              analysis/sql/% analysis/inspect/% analysis/export/export_parquet clocksync/daemon/% clocksync/rendezvous/% \
              dumper/options/% dumper/recovery/% dumper/run/arena_file dumper/run/living_memory hostload/service/% live/% \
              plugin/capture/% plugin/process/% test/unit/% test/simulation/%
OPT_COLD    = $(if $(filter 1,$(DEBUG)),,-Og -DXXH_NO_INLINE_HINTS)
# What reads whole runs: -O1 takes a quarter less to compile than -O2, and diagnose and export 2 % more to run.
WARM        = analysis/%
OPT_WARM    = $(if $(filter 1,$(DEBUG)),,-O1)
# Not these: what is done for each record and each operation. `lockstep serve` makes its pyramid 11 % faster for that.
BUSY        = analysis/join/% analysis/pyramid/% analysis/relate/% dumper/segment/chunk_decode dumper/segment/column_reader clocksync/solve/%
OPT_BUSY    = $(if $(filter 1,$(DEBUG))$(SAN),,-O3)
# Rooms whose sources are compiled together, as one: the templates that they share cost once, which is half of their
# compile time. No two of a room may give different things one name. The path of an event and its files stay apart.
TOGETHER    = analysis/account analysis/chance analysis/clock analysis/export analysis/follow analysis/hostload analysis/inspect analysis/join \
              analysis/judge analysis/load analysis/page analysis/pyramid analysis/relate analysis/report analysis/say \
              analysis/paths analysis/sql analysis/transfers analysis/waits analysis/whatif analysis/why cli/capture \
              cli/commands cli/job cli/live cli/show clocksync/probe clocksync/record clocksync/rendezvous clocksync/solve clocksync/wire \
              dumper/feeds dumper/recovery dumper/run hostload/sample live/agent live/asker live/follow live/http \
              live/local live/native live/places live/questions live/ras live/serve live/stacks live/wire \
              plugin/capture plugin/gpu plugin/process reader \
              test/drivers/common test/drivers/emulate \
              $(patsubst %/,%,$(sort $(dir $(wildcard test/unit/*/*.cc test/unit/*/*/*.cc))))
# Not these: they have flags of their own, or names that a neighbor has, or what only a main file may say.
ALONE       = %/main.cc analysis/export/export_parquet.cc analysis/page/embedded.cc analysis/report/report_markdown.cc \
              cli/live/terminal.cc cli/show/version.cc dumper/feeds/prometheus_%.cc dumper/run/arena_file.cc \
              dumper/run/living_memory.cc plugin/process/recording.cc
# g++ warns that it cannot see the fences inside moodycamel's queue; test/tsan.supp speaks for those.
SANFLAGS    = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer $(if $(filter thread,$(SAN)),$(if $(findstring clang,$(CXX)),,-Wno-tsan)))
CODEGEN     = -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -ffunction-sections -fdata-sections \
              -fno-semantic-interposition -fno-plt $(if $(findstring clang,$(CXX)),,-fno-gnu-unique)
INCLUDES    = -Iinclude -I.
# The standard headers, and GoogleTest's for its tests, are parsed once for each set of flags: a third of the compile
# time. ccache gains nothing from it. What a source forgot to include test/hygiene/tidy.sh finds.
PCH        ?= $(if $(CCACHE),0,1)
FUZZFLAGS   = $(if $(findstring fuzzer,$(SAN)),-fsanitize-ignorelist=test/fuzz/rapidjson.ignore)
# g++ looks for memory to give back at every 128 MB, which takes a tenth of its time. Without, a room takes 200 MB more.
HEAP       := $(if $(findstring clang,$(CXX)),,--param ggc-min-heapsize=1000000)
CXXFLAGS   += $(CXXSTD) $(WARN) $(OPT) $(HEAP) $(CODEGEN) $(SANFLAGS) $(FUZZFLAGS) $(INCLUDES) -pthread -MMD -MP
LDFLAGS    += $(SANFLAGS) -pthread -Wl,-z,relro -Wl,-z,now -Wl,--gc-sections

# A library beats a copy: link libstdc++ into the plugin when its archive is installed, so that nothing can clash.
ifeq ($(STATIC_CXX),auto)
  STATIC_CXX_FOUND := $(if $(filter /%,$(shell $(CXX) -print-file-name=libstdc++.a)),1,0)
else
  STATIC_CXX_FOUND := $(STATIC_CXX)
endif
STATIC_CXX_FLAGS = $(if $(SAN),,$(if $(filter 1,$(STATIC_CXX_FOUND)),-static-libstdc++ -static-libgcc))
# The archive where there is one, the shared library otherwise.
static_lib = $(or $(filter /%,$(shell $(CXX) -print-file-name=lib$(1).a)),-l$(1))
ZSTD   := $(call static_lib,zstd)
SODIUM := $(call static_lib,sodium)
ZLIB   := $(call static_lib,z)
SQLITE := $(call static_lib,sqlite3) -lm

# lockstep-nccl is built where the CUDA runtime and NCCL are installed with their headers, and left out elsewhere.
CUDA_HOME ?= /usr/local/cuda
NCCL_HOME ?= $(CUDA_HOME)
find_lib   = $(patsubst %/,%,$(dir $(firstword $(wildcard $(foreach d,$(1)/lib64 $(1)/lib /usr/lib/$(shell $(CXX) -dumpmachine) /usr/lib64,$(d)/lib$(2).so)))))
CUDA_LIB  := $(call find_lib,$(CUDA_HOME),cudart)
NCCL_LIB  := $(call find_lib,$(NCCL_HOME),nccl)
HAVE_NCCL := $(and $(CUDA_LIB),$(NCCL_LIB),$(wildcard $(CUDA_HOME)/include/cuda_runtime.h /usr/include/cuda_runtime.h),$(wildcard $(NCCL_HOME)/include/nccl.h /usr/include/nccl.h))

# The server of `lockstep serve` is a library of its own, built where cpp-httplib and OpenSSL are installed with their
# headers, so that the command needs neither.
HTTP_SO := $(if $(shell echo | $(CXX) -shared -x c++ - -o /dev/null -lcpp-httplib -lssl -lcrypto 2>/dev/null && echo yes),$(BUILD)/liblockstep-http.so)

# The sources of a room and of the rooms inside it.
srcs = $(sort $(wildcard $(addsuffix /*.cc,$(1)) $(addsuffix /*/*.cc,$(1))))
# The objects of sources, in the same order: ROOM/room.o stands for those of a room that are compiled together.
room    = $(patsubst %/,%,$(dir $(1)))
apart   = $(filter $(ALONE),$(1))$(filter-out $(TOGETHER),$(call room,$(1)))
objs    = $(addprefix $(BUILD)/obj/,$(sort $(foreach s,$(call srcs,$(1)),$(if $(call apart,$(s)),$(s:.cc=.o),$(call room,$(s))/room.o))))
but_last = $(filter-out $(lastword $(1)),$(1))
# One object for each source also of a room that is compiled together, for who needs only some of them.
singly  = $(patsubst %.cc,$(BUILD)/obj/%.o,$(call srcs,$(1)))
members = $(filter-out $(ALONE),$(sort $(wildcard $(1)/*.cc)))

PLUGIN_SO = $(BUILD)/libnccl-profiler.so
TOOLS     = $(if $(call srcs,cli),$(BUILD)/lockstep) \
            $(patsubst test/drivers/%/.,$(BUILD)/lockstep-%,$(filter-out test/drivers/common/. $(if $(HAVE_NCCL),,test/drivers/nccl/.),$(wildcard test/drivers/*/.))) \
            $(patsubst clocksync/daemon/%.cc,$(BUILD)/lockstep-%,$(wildcard clocksync/daemon/*.cc))
# A unit test program is a folder of test/unit with sources in it: test/unit/dumper/segment makes unit_dumper_segment.
UNIT      = $(addprefix $(BUILD)/test/unit_,$(sort $(subst /,_,$(patsubst test/unit/%/,%,$(dir $(wildcard test/unit/*/*.cc test/unit/*/*/*.cc))))))
TEST_SO   = $(patsubst test/plugins/%.cc,$(BUILD)/test/lib%.so,$(wildcard test/plugins/*.cc))
BENCH     = $(patsubst bench/%.cc,$(BUILD)/bench/%,$(wildcard bench/*.cc))
FUZZ      = $(patsubst test/fuzz/%.cc,$(BUILD)/fuzz/%,$(wildcard test/fuzz/*.cc))
# What records, and what reads: most programs need only the first, which spares sanitizer builds the second.
RECORDING = $(BUILD)/libhostload.a $(BUILD)/libdumper.a $(BUILD)/libclocksync.a $(BUILD)/libbase.a
LIBS      = $(BUILD)/liblive.a $(BUILD)/libanalysis.a $(BUILD)/libreader.a $(RECORDING)
# For programs of others, which include lockstep/read.h and nothing else.
READER_SO = $(BUILD)/liblockstep.so.0
# Programs only: the plugin has no command line and is built without its library.
COMMAND_LINE = $(BUILD)/libcommandline.a
unit_libs = $(if $(filter live_%,$(1)),$(BUILD)/liblive.a,$(if $(filter analysis_% cli_% dumper_recovery reader,$(1)),$(filter-out $(RECORDING),$(LIBS)))) $(RECORDING)

.PHONY: FORCE all plugin tools reader unit unit-recording bench-programs fuzz-programs deps test demo demo-programs bench fuzz verdicts soak install wheel wheel-here fresh-root-test clean help
all: plugin tools reader     ## the plugin, the command and the library
plugin: $(if $(call srcs,plugin),$(PLUGIN_SO) $(BUILD)/libnccl-profiler-lockstep.so)
tools: $(TOOLS) $(HTTP_SO)
reader: $(BUILD)/liblockstep.a $(BUILD)/liblockstep.so
unit: $(UNIT) $(TEST_SO)     ## unit test programs
# Those of what runs in other people's processes, without the analysis: what CI builds again with sanitizers.
unit-recording: $(filter-out %_recovery,$(filter $(BUILD)/test/unit_plugin_% $(BUILD)/test/unit_dumper_%,$(UNIT)))
bench-programs: $(BENCH)
fuzz-programs: $(FUZZ)

# Its stacks are to have files and lines, whatever OPT says.
$(call objs,test/unit/live/native): CXXFLAGS += $(if $(findstring clang,$(CXX)),-g,-g1)

.SECONDEXPANSION:
cold   = $(if $(filter $(COLD),$(1)),$(OPT_COLD))
room_opt = $(if $(filter $(COLD),$(1)),$(OPT_COLD),$(if $(filter $(BUSY),$(1)),$(OPT_BUSY),$(if $(filter $(WARM),$(1)),$(OPT_WARM))))
parsed = $(if $(filter 1,$(PCH)),$(BUILD)/pch/$(if $(filter test/unit/%,$(1)),tests,$(if $(call cold,$(1)),cold,hot)).h)
$(BUILD)/obj/%.o: %.cc | $$(addsuffix .gch,$$(call parsed,$$*))
	@mkdir -p $(@D)
	@echo "  compile $<"
	@$(CCACHE) $(CXX) $(CXXFLAGS) $(call room_opt,$*) $(addprefix -include ,$(call parsed,$*)) -c $< -o $@

# A room is compiled again when a source leaves it, too; -MP speaks for all of them but the one that is compiled.
$(BUILD)/obj/%/members: FORCE
	@mkdir -p $(@D); echo '$(call members,$*)' | cmp -s - $@ || echo '$(call members,$*)' >$@
$(BUILD)/obj/%/room.o: $$(call members,$$*) $(BUILD)/obj/%/members | $$(addsuffix .gch,$$(call parsed,$$*/room))
	@mkdir -p $(@D)
	@echo "  compile $*/"
	@$(CCACHE) $(CXX) $(CXXFLAGS) $(call room_opt,$*/room) \
	  $(addprefix -include ,$(call parsed,$*/room) $(call but_last,$(call members,$*))) \
	  -c $(lastword $(call members,$*)) -o $@
	@echo '$(lastword $(call members,$*)):' >>$(@:.o=.d)

$(BUILD)/pch/%.h:
	@mkdir -p $(@D)
	@printf '#include <%s>\n' algorithm atomic cstdint cstdio cstdlib cstring functional map memory mutex optional set string \
	  string_view unordered_map utility vector $(if $(filter tests,$*),gtest/gtest.h) >$@
$(BUILD)/pch/%.h.gch: $(BUILD)/pch/%.h
	@$(CXX) $(CXXFLAGS) $(if $(filter hot,$*),,$(OPT_COLD)) -x c++-header $< -o $@

# The page: page/ and uPlot as one script and one style, which go into the program where npm installed uPlot and esbuild is
# there; without, the page has its tables and says so. Its Content-Security-Policy names both by their hashes. npm's files
# keep old dates; its marker does not.
ESBUILD ?= $(shell command -v esbuild 2>/dev/null)
UPLOT   := $(wildcard node_modules/uplot/dist/uPlot.esm.js)
ifneq ($(and $(ESBUILD),$(UPLOT)),)
$(BUILD)/page/page.js: $(wildcard page/*.ts page/*.css node_modules/.lockstep-demo node_modules/.lockstep-test)
	@mkdir -p $(@D)
	@echo "  bundle page/"
	@$(ESBUILD) page/page.ts page/page.css --bundle --minify --target=es2020 --log-level=warning --legal-comments=none --outdir=$(@D)
	@for file in page.js page.css; do sha256sum <$(@D)/$$file | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64 | tr -d '\n' >$(@D)/$$file.sha256; done
$(BUILD)/obj/analysis/page/embedded.o: CXXFLAGS += -DLOCKSTEP_PAGE='"$(BUILD)/page"'
$(BUILD)/obj/analysis/page/embedded.o: $(BUILD)/page/page.js
else
$(BUILD)/obj/analysis/page/embedded.o: $(wildcard node_modules/.lockstep-demo node_modules/.lockstep-test)
endif

VERSION = $(shell sed -n 's/.*kVersion = "\(.*\)".*/\1/p' include/lockstep/version.h)
# What --version prints beside the number; nothing outside git. The file changes only when the commit does.
COMMIT = $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null))
$(BUILD)/commit: FORCE
	@mkdir -p $(@D); echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
$(BUILD)/obj/cli/show/version.o: CXXFLAGS += -DLOCKSTEP_COMMIT='"$(COMMIT)"'
$(BUILD)/obj/cli/show/version.o: $(BUILD)/commit

$(BUILD)/libbase.a: $(filter-out %/command_line.o,$(call objs,base))
$(COMMAND_LINE): $(BUILD)/obj/base/command_line.o
$(BUILD)/libdumper.a: $(call objs,dumper)
$(BUILD)/libclocksync.a: $(filter-out $(BUILD)/obj/clocksync/daemon/%,$(call objs,clocksync))
$(BUILD)/libhostload.a: $(call objs,hostload)
$(BUILD)/libreader.a: $(call objs,reader)
$(BUILD)/liblive.a: $(call objs,live)
$(BUILD)/libanalysis.a: $(call objs,analysis)
$(BUILD)/liblockstep.a: $(call objs,reader dumper/segment dumper/run clocksync/record) $(filter-out %/command_line.o,$(call objs,base))
$(BUILD)/lib%.a:
	@mkdir -p $(@D); rm -f $@
	$(AR) rcs $@ $^

$(PLUGIN_SO): $(call objs,plugin) $(RECORDING) plugin/exports.map
	$(CXX) -shared $(LDFLAGS) $(STATIC_CXX_FLAGS) -Wl,--version-script=plugin/exports.map -Wl,--exclude-libs,ALL \
	  $(if $(SAN),,-Wl,-z,defs) -Wl,-z,nodelete -Wl,-soname,libnccl-profiler.so -o $@ $(filter %.o %.a,$^) $(ZSTD) $(SODIUM) -ldl
$(BUILD)/libnccl-profiler-lockstep.so: $(PLUGIN_SO)
	ln -sf libnccl-profiler.so $@

$(READER_SO): $(call objs,reader) $(RECORDING) reader/exports.map
	$(CXX) -shared $(LDFLAGS) $(STATIC_CXX_FLAGS) -Wl,--version-script=reader/exports.map -Wl,--exclude-libs,ALL \
	  $(if $(SAN),,-Wl,-z,defs) -Wl,-soname,$(@F) -o $@ $(filter %.o %.a,$^) $(ZSTD)
$(BUILD)/liblockstep.so: $(READER_SO)
	ln -sf $(<F) $@

# The one in the wheel needs nothing of a machine but glibc, as the wheel's tag says.
$(BUILD)/lockstep $(BUILD)/wheel/lockstep: $(call objs,cli) $(COMMAND_LINE) $(LIBS)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) $(if $(findstring /wheel/,$@),-static-libstdc++ -static-libgcc) -o $@ $(filter %.o %.a,$^) $(ZSTD) $(SODIUM) $(ZLIB) $(SQLITE) -ldl

$(BUILD)/liblockstep-http.so: $(call objs,live/http/module) $(BUILD)/libbase.a
	$(CXX) -shared $(LDFLAGS) -Wl,--exclude-libs,ALL -Wl,-soname,$(@F) -o $@ $(filter %.o %.a,$^) -lcpp-httplib -lssl -lcrypto

# Pieces of the command that a driver shows by themselves.
agent_command  = commands/agent job/agent_snapshots job/snapshot_clock job/child_process job/scontrol show/output
driver_more    = $(if $(filter pyframes,$(1)),$(call objs,live/stacks)) \
                 $(if $(filter agent,$(1)),$(agent_command:%=$(BUILD)/obj/cli/%.o) $(BUILD)/liblive.a)
# A driver is a folder of test/drivers; a unit test program is a folder of test/unit; a bench is a file of bench/.
$(BUILD)/lockstep-%: $$(call objs,test/drivers/$$*) $$(call driver_more,$$*) $(call objs,test/drivers/common) $(COMMAND_LINE) $(RECORDING)
	$(CXX) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(ZSTD) $(SODIUM) -ldl
$(call objs,test/drivers/nccl): CXXFLAGS += -isystem $(CUDA_HOME)/include -isystem $(NCCL_HOME)/include
$(BUILD)/lockstep-nccl: $(call objs,test/drivers/nccl) $(call objs,test/drivers/common) $(COMMAND_LINE)
	$(CXX) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(ZSTD) -L$(CUDA_LIB) -lcudart -L$(NCCL_LIB) -lnccl \
	  -Wl,-rpath,$(CUDA_LIB) -Wl,-rpath,$(NCCL_LIB) -ldl
$(BUILD)/lockstep-clockd: $(BUILD)/obj/clocksync/daemon/clockd.o $(RECORDING)
	$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(RECORDING) $(ZSTD) $(SODIUM) -ldl
drivers_common = $(call objs,test/drivers/common)
emulator       = $(filter-out %/main.o,$(call objs,test/drivers/emulate))
simulator      = $(filter-out %/main.o,$(call objs,test/drivers/simulate))
# Beside its own sources; as a function, because make puts the stem in place of every % of the rule itself.
unit_more      = $(if $(filter plugin_%,$(1)),$(call objs,plugin)) $(if $(filter drivers,$(1)),$(emulator) $(simulator)) \
                 $(if $(filter drivers analysis_% reader,$(1)),$(drivers_common)) \
                 $(if $(filter clocksync_% analysis_%,$(1)),$(call objs,test/simulation)) \
                 $(if $(filter cli_%,$(1)),$(filter-out %/main.o,$(call objs,cli))) \
                 $(if $(filter base cli_% drivers analysis_% reader,$(1)),$(COMMAND_LINE))
$(BUILD)/test/unit_%: $$(call objs,test/unit/$$(subst _,/,$$*)) $$(call unit_more,$$*) $$(call unit_libs,$$*)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(ZSTD) $(SODIUM) $(ZLIB) $(SQLITE) -lgtest -lgtest_main -ldl
$(BUILD)/test/lib%.so: $(BUILD)/obj/test/plugins/%.o
	@mkdir -p $(@D)
	$(CXX) -shared $(LDFLAGS) -o $@ $< -ldl
$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $$(call objs,test/simulation) $(RECORDING)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(RECORDING) $(ZSTD) $(SODIUM) -ldl
# A fuzz target is a file of test/fuzz; test/fuzz/every_target.sh has them built by clang++, with SAN=fuzzer-no-link,...
# Only the rooms that have readers: a build by clang++ with three sanitizers is what fuzzing costs most.
FUZZED = $(BUILD)/libfuzzed.a
$(FUZZED): $(filter-out %/command_line.o,$(call objs,base dumper/segment dumper/run dumper/recovery dumper/options)) \
           $(patsubst %,$(BUILD)/obj/dumper/feeds/%.o,prometheus_files prometheus_metrics) $(call objs,clocksync/record clocksync/rendezvous clocksync/wire hostload/record) \
           $(call singly,live/asker) $(call objs,live/local live/native live/places live/ras live/registry live/stacks live/wire) \
           $(patsubst %,$(BUILD)/obj/live/questions/%.o,capture_answer ctl_answer question recording_file slice_request stacks_answer) \
           $(patsubst %,$(BUILD)/obj/%.o,analysis/say/words cli/capture/capture_replies cli/capture/capture_rules cli/capture/capture_text cli/capture/job_look cli/live/cells cli/live/node_table cli/live/process_table cli/live/ras_text cli/live/short_findings cli/live/stacks_view cli/live/standings cli/live/top_page cli/show/output plugin/capture/capture_order plugin/process/control_words) \
           $(patsubst %,$(BUILD)/obj/test/drivers/common/%.o,call_log counts line_arguments line_parser log_file plugin)
$(BUILD)/fuzz/%: $(BUILD)/obj/test/fuzz/%.o $(FUZZED)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(ZSTD) $(SODIUM) -ldl

deps:                        ## install what the build and the tests need (root), or list it
	scripts/install_deps.sh test
# These install packages first, so the makefile is read again: it looks for them.
test: deps                   ## build and run every test this machine can run
	@$(MAKE) --no-print-directory all unit
	test/run
demo:                        ## record a real multi-process run, align it, print the report
	scripts/install_deps.sh demo
	@$(MAKE) --no-print-directory demo-programs
	scripts/demo.sh
demo-programs: plugin $(BUILD)/lockstep $(BUILD)/lockstep-emulate $(if $(HAVE_NCCL),$(BUILD)/lockstep-nccl)
bench: all bench-programs    ## measure: percentiles, throughput, ratios
	scripts/bench.sh
fuzz: deps                   ## fuzz every reader; SECONDS=60 each, two at a time
	BUILD=$(BUILD) FUZZ_SECONDS=$(or $(SECONDS),60) FUZZ_SEED=$(SEED) test/fuzz/every_target.sh
verdicts: $(BUILD)/lockstep $(BUILD)/lockstep-simulate  ## judge RUNS=5000 simulated jobs, LARGE=20 of 1,024 ranks; HEALTHY=3000: healthy ones alone
	@python3 -B scripts/verdicts.py $(if $(HEALTHY),$(HEALTHY) --healthy,$(or $(RUNS),5000) --large $(or $(LARGE),20)) --build $(BUILD)
soak: all unit               ## churn, rotation and faults for MINUTES=10; fails on loss or growth
	BUILD=$(BUILD) scripts/soak.sh $(or $(MINUTES),10)
install: all                 ## PREFIX=/usr/local
	install -d $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(PLUGIN_SO) $(DESTDIR)$(PREFIX)/lib/
	ln -sf libnccl-profiler.so $(DESTDIR)$(PREFIX)/lib/libnccl-profiler-lockstep.so
	install -m 755 $(filter %/lockstep %/lockstep-clockd,$(TOOLS)) $(DESTDIR)$(PREFIX)/bin/
	$(if $(HTTP_SO),install -m 755 $(HTTP_SO) $(DESTDIR)$(PREFIX)/lib/)
	install -d $(DESTDIR)$(PREFIX)/include/lockstep $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 include/lockstep/read.h include/lockstep/mark.h $(DESTDIR)$(PREFIX)/include/lockstep/
	install -m 644 $(BUILD)/liblockstep.a $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $(READER_SO) $(DESTDIR)$(PREFIX)/lib/
	ln -sf $(notdir $(READER_SO)) $(DESTDIR)$(PREFIX)/lib/liblockstep.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' reader/lockstep.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/lockstep.pc
	scripts/install_docs.sh $(DESTDIR)$(PREFIX)/share
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	scripts/completion.sh docs/commands >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/lockstep
# For the machine it runs on, or with ARCH=aarch64 for the other one.
wheel:                       ## a Python wheel with the plugin, the command and its server inside, in dist/; ARCH=aarch64
	@$(if $(filter $(MACHINE),$(ARCH)),$(MAKE) --no-print-directory wheel-here,BUILD=$(BUILD) scripts/cross_make.sh --no-print-directory wheel-here)
wheel-here: $(PLUGIN_SO) $(BUILD)/wheel/lockstep $(HTTP_SO)
	python3 -B python/build_wheel.py --version $(VERSION) --arch $(ARCH) --plugin $(PLUGIN_SO) --command $(BUILD)/wheel/lockstep \
	  $(addprefix --server ,$(HTTP_SO))
fresh-root-test:             ## make demo and make test in an empty root (root, minutes)
	FRESH_ROOT=1 test/run hygiene/fresh_root
clean:                       ## remove what was built
	rm -rf $(BUILD)
help:                        ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | sort

.SECONDARY:
-include $(shell [ -d $(BUILD)/obj ] && find $(BUILD)/obj -name '*.d' 2>/dev/null)
