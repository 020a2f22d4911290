# The two commands of a new user are `make demo` and `make test`.
.PHONY: demo build test ci clang portable sanitize debug format packages clean

demo: build
	@echo "== solving examples/quickstart.toml"
	build/release/chaosgrad solve examples/quickstart.toml -o runs/quickstart

build: packages
	@echo "== building the program (release)"
	@test -f build/release/build.ninja || cmake --preset release
	cmake --build --preset release --target chaosgrad_cli

test: build
	@scripts/install-packages tests
	@echo "== building tests and benchmarks (release)"
	cmake --build --preset release
	scripts/run-tests

# The C++ tests in another build: warnings are errors, another compiler, another machine, sanitizers, assertions.
ci clang portable sanitize debug:
	@scripts/install-packages ci
	scripts/run-tests $@

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

packages:
	@scripts/install-packages

clean:
	rm -rf build runs
