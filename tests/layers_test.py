"""A folder of src/ uses only the folders before it; the mathematics knows no files, terminal or Python."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ["random", "measure", "basis", "expression", "problem", "estimate", "solve", "solution", "io", "report"]

# The layer that each public header belongs to. A new header must be entered here.
HEADERS = {
    "types": -1, "error": -1, "random": 0, "distribution": 1, "measure": 1, "family": 2, "index_set": 2, "basis": 2,
    "expression": 3, "problem": 4, "formula_problem": 4, "coded_problem": 4, "any_problem": 4, "builtin": 4, "gallery": 4, "constants": 5, "schedule": 6, "options": 6, "solver_state": 6,
    "run": 6, "solution": 7, "statistics": 7, "verify": 7, "theory": 7, "check": 7, "version": 7, "chaosgrad": 7, "csv": 8, "problem_file": 8, "run_store": 8, "run_statistics": 8, "export": 8, "chart": 9, "report": 9, "reproduce": 9,
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
