# The two commands of a new user are `make demo` and `make test`.
.PHONY: demo build test mpi bench bench-quick python install-python wheel ci clang portable sanitize debug format packages clean

demo: build
	@echo "== solving examples/quickstart.toml"
	build/release/chaosgrad solve examples/quickstart.toml -o runs/quickstart

build: packages
	@echo "== building the program (release)"
	@test -f build/release/build.ninja || cmake --preset release
	cmake --build --preset release --target chaosgrad_cli

test: build mpi
	@scripts/install-packages tests
	@echo "== building tests and benchmarks (release)"
	cmake --build --preset release
	scripts/run-tests

# The program for several processes: mpirun -n 4 build/mpi/chaosgrad solve …
mpi: build
	@scripts/install-packages mpi
	@echo "== building the program on MPI (build/mpi)"
	@grep -q CHAOSGRAD_MPI:BOOL=ON build/release/CMakeCache.txt || cmake --preset release -D CHAOSGRAD_MPI=ON
	cmake --build --preset release --target chaosgrad_mpi

# The Python module: PYTHONPATH=build/release/python finds it.
python: packages
	@echo "== building the Python module (release)"
	@test -f build/release/build.ninja || cmake --preset release
	cmake --build --preset release --target chaosgrad_python_package

# For this user, or with sudo for all; and as a file to install elsewhere, on machines like this one. Debian's pip refuses
# to touch what belongs to Debian unless told so; this package does not.
install-python: python
	/usr/bin/python3 -m pip install --no-build-isolation --no-deps --no-index --break-system-packages .

wheel: python
	/usr/bin/python3 -m pip wheel --no-build-isolation --no-deps --no-index --wheel-dir build/release/wheel .

# The C++ tests in another build: warnings are errors, another compiler, another machine, sanitizers, assertions.
ci clang portable sanitize debug:
	@scripts/install-packages ci
	scripts/run-tests $@

# Everything that is measured as a ratio, in one table: build/bench/bench.md and bench.json. A broken limit is an error.
bench bench-quick: build
	@scripts/install-packages tests
	cmake --build --preset release
	/usr/bin/python3 benchmarks/bench.py $(if $(filter bench-quick,$@),--quick)

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

packages:
	@scripts/install-packages

clean:
	rm -rf build runs
