"""A folder of src/ uses only the folders before it; the mathematics knows no files, terminal or Python."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ["numeric", "random", "measure", "basis", "expression", "problem", "estimate", "solve", "solution", "io", "report"]

# The layer that each public header belongs to. A new header must be entered here.
HEADERS = {
    "types": 0, "error": 0, "random": 1, "distribution": 2, "measure": 2, "family": 3, "index_set": 3, "basis": 3,
    "expression": 4, "problem": 5, "formula_problem": 5, "coded_problem": 5, "any_problem": 5, "builtin": 5, "gallery": 5, "constants": 6, "schedule": 7, "options": 7, "solver_state": 7,
    "run": 7, "solution": 8, "statistics": 8, "verify": 8, "theory": 8, "check": 8, "version": 8, "chaosgrad": 8, "csv": 9, "problem_file": 9, "run_store": 9, "run_statistics": 9, "export": 9, "chart": 10, "report": 10, "reproduce": 10,
}


def includes(path):
    return re.findall(r'^\s*#include\s+"([^"]+)"', path.read_text(), re.M)


def layer_of(name):
    folder, _, rest = name.partition("/")
    if folder == "chaosgrad":
        return HEADERS[pathlib.PurePath(rest).stem]
    return LAYERS.index(folder)


def violations(path, own_layer):
    return [f"{path.relative_to(ROOT)} includes {name}" for name in includes(path) if layer_of(name) > own_layer]


def test_sources_include_upwards_only():
    found = []
    for index, folder in enumerate(LAYERS):
        for path in sorted((ROOT / "src" / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                found += violations(path, index)
    assert not found, "\n".join(found)


def test_public_headers_include_upwards_only():
    found = []
    for path in sorted((ROOT / "include" / "chaosgrad").glob("*.h")):
        found += violations(path, HEADERS[path.stem])
    assert not found, "\n".join(found)


def test_every_source_folder_is_a_layer():
    assert sorted(p.name for p in (ROOT / "src").iterdir() if any(p.iterdir())) == sorted(
        name for name in LAYERS if (ROOT / "src" / name).is_dir() and any((ROOT / "src" / name).iterdir()))


def test_a_violation_is_found(tmp_path):
    """The check itself: solve/ may not include io/."""
    assert layer_of("io/source.h") > LAYERS.index("solve")
    assert layer_of("chaosgrad/run_store.h") > layer_of("chaosgrad/solution.h")
