# For people: `make demo` builds Tally and scores the bundled sample, `make check` builds it and runs the tests. Both first
# install what is missing on Debian. The build itself is meson's: see meson.build.

BUILD ?= build
MESON_FLAGS ?=

.PHONY: demo build check check-long check-sanitize fuzz bench install-needs install-test-needs clean

demo: install-needs build
	$(BUILD)/tools/tally score examples/sample_reference.mp4 examples/sample_distorted.mp4 -o demo-report.json
	@echo "The full report is in demo-report.json. Next: $(BUILD)/tools/tally --help"

build: $(BUILD)/build.ninja
	ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	meson setup $(BUILD) $(MESON_FLAGS)

check: install-test-needs build
	scripts/run-tests.py $(BUILD)

# Everything that takes longer than `make check` may: all arguments of log2f, 10^7 of each other function, …
check-long: install-test-needs build
	scripts/run-tests.py $(BUILD) --setup long

check-sanitize: install-test-needs
	test -f $(BUILD)-sanitize/build.ninja || CC=clang meson setup $(BUILD)-sanitize -Db_sanitize=address,undefined \
	    -Db_lundef=false -Doptimization=1 -Dcuda=disabled -Dhip=disabled $(MESON_FLAGS)
	ninja -C $(BUILD)-sanitize --quiet
	UBSAN_OPTIONS=halt_on_error=1 scripts/run-tests.py $(BUILD)-sanitize --suite unit --suite cli --suite levels
	test -f $(BUILD)/build.ninja || meson setup $(BUILD) $(MESON_FLAGS)
	ninja -C $(BUILD) --quiet
	scripts/run-tests.py $(BUILD) --setup valgrind --suite memory

# A minute for each fuzz target.
fuzz: install-test-needs
	test -f $(BUILD)-fuzz/build.ninja || CC=clang meson setup $(BUILD)-fuzz -Dfuzz=true \
	    -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dcuda=disabled -Dhip=disabled $(MESON_FLAGS)
	ninja -C $(BUILD)-fuzz --quiet tests/fuzz_model tests/fuzz_options tests/fuzz_y4m
	scripts/run-fuzz.sh $(BUILD)-fuzz 60

bench: install-needs build
	$(BUILD)/bench/tally-bench

install-needs:
	scripts/install-debian.sh demo

install-test-needs:
	scripts/install-debian.sh check

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-fuzz demo-report.json
