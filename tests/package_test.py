"""find_package(chaosgrad) for programs outside the tree: with core alone neither HDF5 nor toml++ is asked for."""
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["CHAOSGRAD"]).parent

PROGRAM = """
#include <chaosgrad/chaosgrad.h>

#include <cmath>

int main() {
  using namespace chaosgrad;
  const PerSampleProblem problem(1, Measure({Uniform{0, 1}}), 0, [](const Vector& x, const Vector& theta, const Vector&) {
    return Vector::Constant(1, x(0) - std::exp(theta(0)));
  });
  return std::abs(mean(solve(problem, {.tolerance = 1e-4}))(0) - (std::exp(1.0) - 1)) < 1e-3 ? 0 : 1;
}
"""


def project(folder, find, target, languages="CXX"):
    (folder / "main.cpp").write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(own LANGUAGES {languages})\n{find}\n"
        f"add_executable(own main.cpp)\ntarget_link_libraries(own PRIVATE {target})\n")


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def configure(folder, prefix):
    return run(folder, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True, capture_output=True)
    return prefix


def test_core_alone_needs_neither_hdf5_nor_toml(installed, tmp_path):
    project(tmp_path, "find_package(chaosgrad REQUIRED COMPONENTS core)", "chaosgrad::core")
    for done in (configure(tmp_path, installed), run(tmp_path, "cmake", "--build", "build"), run(tmp_path, "build/own")):
        assert done.returncode == 0, done.stdout + done.stderr
    libraries = run(tmp_path, "ldd", "build/own").stdout.lower()
    link = (tmp_path / "build/build.ninja").read_text().lower()
    settings = (tmp_path / "build/CMakeCache.txt").read_text().lower()
    assert "libtbb" in libraries
    for text in (libraries, link, settings):
        assert "hdf5" not in text and "tomlplusplus" not in text


def test_without_components_both_are_there(installed, tmp_path):
    project(tmp_path, "find_package(chaosgrad REQUIRED)", "chaosgrad::core chaosgrad::io chaosgrad::chaosgrad", "C CXX")
    done = configure(tmp_path, installed)
    assert done.returncode == 0, done.stderr


def test_an_unknown_component_is_named(installed, tmp_path):
    project(tmp_path, "find_package(chaosgrad REQUIRED COMPONENTS core mpi)", "chaosgrad::core")
    done = configure(tmp_path, installed)
    assert done.returncode != 0 and "mpi" in done.stderr
