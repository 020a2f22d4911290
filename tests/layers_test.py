"""The plan of the house, enforced: a room of src/ uses the rooms before it, and nothing else."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Rooms from the foundation upwards. A room may include itself and the rows before its own; rooms of
# one row do not include each other. A folder that holds sub-folders stands in the list by itself:
# its files are above the sub-folders (basis, solve, solution), below them (expression, problem), or
# between them (io).
ROWS = [
    ["numeric"],
    ["parallel"],
    ["random"],
    ["measure"],
    ["basis/family"],
    ["basis"],
    ["samples"],
    ["constraint"],
    ["expression"],
    ["expression/kernels"],
    ["expression/graph"],
    ["expression/derivatives"],
    ["expression/convexity"],
    ["expression/program"],
    ["expression/formula"],
    ["expression/source"],
    ["problem"],
    ["problem/formula"],
    ["problem/coded"],
    ["curvature"],
    ["estimate"],
    ["solve/pointwise"],
    ["solve/common"],
    ["solve/collocation/curvature", "solve/collocation/design"],
    ["solve/collocation", "solve/sieve", "solve/descent", "solve/nested"],
    ["solve"],
    ["solution/statistics"],
    ["solution/constrained"],
    ["solution"],
    ["io/models"],
    ["io/problem_file"],
    ["io"],
    ["io/store"],
    ["io/export"],
    ["io/export/c", "io/export/python"],
    ["report"],
    ["paper"],
]
ROW = {room: index for index, row in enumerate(ROWS) for room in row}

# The room that each public header speaks for. options.h and solution.h are what the solvers fill
# in, and so stand below them.
HEADERS = {
    "types.h": "numeric",
    "error.h": "numeric",
    "distribution.h": "measure",
    "measure.h": "measure",
    "basis.h": "basis/family",
    "constraints.h": "constraint",
    "lift.h": "constraint",
    "problem.h": "problem",
    "formula.h": "problem",
    "expression.h": "problem",
    "options.h": "estimate",
    "solution.h": "estimate",
    "statistics.h": "solution/statistics",
    "verify.h": "solution",
    "chaosgrad.h": "solution",
    "io.h": "io/problem_file",
}

OUTSIDE_CORE = ("io", "report", "paper")  # targets of their own, which stand on chaosgrad::core
MOST_PAIRS = 15  # x.h and x.cpp are one pair

# Folders of tests/ that mirror no folder of src/.
OTHER_TESTS = {"benchmarks", "browser", "cli", "mpi", "python", "support"}


def sources(root):
    return [path for path in sorted((root / "src").rglob("*")) if path.suffix in (".h", ".cpp")]


def public_headers(root):
    return sorted((root / "include" / "chaosgrad").glob("*.h"))


def included_names(path):
    """What a file includes of ours, the names as written."""
    found = re.findall(r'^\s*#\s*include\s+(?:"([^"]+)"|<(chaosgrad/[^>]+)>)', path.read_text(), re.M)
    return [quoted or angled for quoted, angled in found]


def room_of(root, path):
    return path.parent.relative_to(root / "src").as_posix()


def room_named(name):
    """The room of an included name; None where there is no such room."""
    folder, _, rest = name.rpartition("/")
    room = HEADERS.get(rest) if folder == "chaosgrad" else folder
    return room if room in ROW else None


def said(root, path, name):
    return f"{path.relative_to(root)} includes {name}"


def layer_violations(root):
    """Includes of a room above, beside, or unknown."""
    found = []
    for path in sources(root):
        own = room_of(root, path)
        for name in included_names(path):
            other = room_named(name)
            if own not in ROW or other is None or (other != own and ROW[other] >= ROW[own]):
                found.append(said(root, path, name))
    return found


def header_violations(root):
    """Public headers that include sources, or headers of rooms above."""
    found = []
    for path in public_headers(root):
        own = HEADERS.get(path.name)
        for name in included_names(path):
            other = room_named(name)
            if not name.startswith("chaosgrad/") or own is None or other is None or ROW[other] > ROW[own]:
                found.append(said(root, path, name))
    return found


def core_violations(root):
    """Files of chaosgrad::core that know files, pages or the paper."""
    found = []
    for path in sources(root):
        if room_of(root, path).split("/")[0] in OUTSIDE_CORE:
            continue
        found += [said(root, path, name) for name in included_names(path)
                  if name.split("/")[0] in OUTSIDE_CORE or name == "chaosgrad/io.h"]
    return found


def unknown_rooms(root):
    return sorted({room_of(root, path) for path in sources(root)} - ROW.keys())


def crowded_rooms(root):
    pairs = {}
    for path in sources(root):
        pairs.setdefault(room_of(root, path), set()).add(path.stem)
    return [f"src/{room} has {len(stems)} source pairs" for room, stems in pairs.items() if len(stems) > MOST_PAIRS]


def include_cycles(root):
    """Files that include themselves, directly or through others; each cycle once."""
    edges = {}
    for path in sources(root) + public_headers(root):
        base = root / ("src" if path.is_relative_to(root / "src") else "include")
        edges[path.relative_to(base).as_posix()] = included_names(path)
    cycles, done = set(), set()

    def visit(name, trail):
        if name in trail:
            cycle = trail[trail.index(name):]
            first = cycle.index(min(cycle))
            cycles.add(" -> ".join([*cycle[first:], *cycle[:first], cycle[first]]))
            return
        if name in done or name not in edges:
            return
        for other in edges[name]:
            visit(other, [*trail, name])
        done.add(name)

    for name in edges:
        visit(name, [])
    return sorted(cycles)


def namespace_violations(root):
    """Internal headers whose names are not in chaosgrad::internal."""
    return [str(path.relative_to(root)) for path in sources(root)
            if path.suffix == ".h" and "namespace chaosgrad::internal" not in path.read_text()]


def stray_tests(root):
    """Tests that mirror no folder of src/, and names that two tests share: each names a program or a module.

    At the top of tests/ stand those that look at the whole tree, in Python."""
    found, seen = [], {}
    for path in sorted((root / "tests").rglob("*_test.*")):
        folder = path.parent.relative_to(root / "tests")
        if "node_modules" in folder.parts:
            continue
        if path.name in seen:
            found.append(f"{path.relative_to(root)} has the name of {seen[path.name].relative_to(root)}")
        seen[path.name] = path
        at_home = path.suffix == ".py" if not folder.parts else folder.parts[0] in OTHER_TESTS
        if not at_home and not (folder.parts and (root / "src" / folder).is_dir()):
            found.append(f"{path.relative_to(root)} mirrors no folder of src/")
    return found


CHECKS = [layer_violations, header_violations, core_violations, unknown_rooms, crowded_rooms, include_cycles,
          namespace_violations, stray_tests]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_house_follows_its_plan(check):
    found = check(ROOT)
    assert not found, "\n".join(found)


def test_the_public_headers_are_those_of_the_plan():
    assert [path.name for path in public_headers(ROOT)] == sorted(HEADERS)


def test_every_room_of_the_plan_exists():
    assert [room for room in ROW if not (ROOT / "src" / room).is_dir()] == []


# The checks themselves, on made-up trees: each finds what it is for, and nothing in a good one.

GOOD = {
    "include/chaosgrad/types.h": "#pragma once\n",
    "include/chaosgrad/measure.h": '#include "chaosgrad/types.h"\n',
    "include/chaosgrad/solution.h": '#include "chaosgrad/measure.h"\n',
    "src/random/random.h": '#include "chaosgrad/types.h"\nnamespace chaosgrad::internal {}\n',
    "src/random/random.cpp": '#include "random/random.h"\n#include <vector>\n',
    "src/measure/measure.cpp": '#include "chaosgrad/measure.h"\n#include "random/random.h"\n',
    "src/solve/sieve/sieve.h": '#include "chaosgrad/solution.h"\nnamespace chaosgrad::internal {}\n',
    "src/io/csv.h": '#include "solve/sieve/sieve.h"\nnamespace chaosgrad::internal {}\n',
    "tests/measure/measure_test.cpp": "",
    "tests/cli/solve_test.py": "",
}


def made_up(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_good_tree_passes(tmp_path, check):
    assert check(made_up(tmp_path, GOOD)) == []


@pytest.mark.parametrize("name,text,expected", [
    ("src/random/bad.cpp", '#include "measure/law.h"\n', "src/random/bad.cpp includes measure/law.h"),
    ("src/random/bad.cpp", "#include <chaosgrad/measure.h>\n", "src/random/bad.cpp includes chaosgrad/measure.h"),
    ("src/solve/descent/bad.cpp", '#include "solve/sieve/sieve.h"\n',
     "src/solve/descent/bad.cpp includes solve/sieve/sieve.h"),
    ("src/solve/sieve/bad.cpp", '  #include "solve/run.h"\n', "src/solve/sieve/bad.cpp includes solve/run.h"),
    ("src/basis/family/bad.h", '#include "basis/kernels.h"\n', "src/basis/family/bad.h includes basis/kernels.h"),
    ("src/random/bad.cpp", '#include "nowhere/x.h"\n', "src/random/bad.cpp includes nowhere/x.h"),
    ("src/random/bad.cpp", '#include "chaosgrad/nowhere.h"\n', "src/random/bad.cpp includes chaosgrad/nowhere.h"),
])
def test_an_include_upwards_or_sideways_is_found(tmp_path, name, text, expected):
    assert layer_violations(made_up(tmp_path, GOOD | {name: text})) == [expected]


@pytest.mark.parametrize("text,named", [('#include "random/random.h"\n', "random/random.h"),
                                        ('#include "chaosgrad/solution.h"\n', "chaosgrad/solution.h"),
                                        ('#include "chaosgrad/nowhere.h"\n', "chaosgrad/nowhere.h")])
def test_a_public_header_that_looks_inside_or_upwards_is_found(tmp_path, text, named):
    tree = made_up(tmp_path, GOOD | {"include/chaosgrad/measure.h": text})
    assert header_violations(tree) == [f"include/chaosgrad/measure.h includes {named}"]


@pytest.mark.parametrize("name", ["io/csv.h", "report/page.h", "paper/theory.h", "chaosgrad/io.h"])
def test_a_core_that_knows_files_is_found(tmp_path, name):
    tree = made_up(tmp_path, GOOD | {"src/solution/bad.cpp": f'#include "{name}"\n'})
    assert core_violations(tree) == [f"src/solution/bad.cpp includes {name}"]


def test_an_unknown_room_is_found(tmp_path):
    assert unknown_rooms(made_up(tmp_path, GOOD | {"src/solve/attic/x.cpp": ""})) == ["solve/attic"]


def test_a_crowded_room_is_found(tmp_path):
    full = GOOD | {f"src/numeric/x{i}.{kind}": "namespace chaosgrad::internal {}" for i in range(15) for kind in ("h", "cpp")}
    assert crowded_rooms(made_up(tmp_path, full)) == []
    assert crowded_rooms(made_up(tmp_path, {"src/numeric/one_more.h": ""})) == ["src/numeric has 16 source pairs"]


def test_an_include_cycle_is_found(tmp_path):
    ring = {"src/measure/a.h": '#include "measure/b.h"\n', "src/measure/b.h": '#include "measure/c.h"\n',
            "src/measure/c.h": '#include "measure/a.h"\n#include "measure/a.h"\n',
            "src/measure/d.cpp": '#include "measure/b.h"\n', "src/random/own.h": '#include "random/own.h"\n'}
    assert include_cycles(made_up(tmp_path, GOOD | ring)) == [
        "measure/a.h -> measure/b.h -> measure/c.h -> measure/a.h", "random/own.h -> random/own.h"]


def test_an_internal_header_with_public_names_is_found(tmp_path):
    tree = made_up(tmp_path, GOOD | {"src/random/bad.h": "namespace chaosgrad {}\n"})
    assert namespace_violations(tree) == ["src/random/bad.h"]


def test_a_test_in_the_wrong_place_is_found(tmp_path):
    tree = made_up(tmp_path, GOOD | {"tests/attic/x_test.cpp": "", "tests/random/measure_test.cpp": "",
                                     "tests/y_test.cpp": "", "tests/layers_test.py": ""})
    assert stray_tests(tree) == ["tests/attic/x_test.cpp mirrors no folder of src/",
                                 "tests/random/measure_test.cpp has the name of tests/measure/measure_test.cpp",
                                 "tests/y_test.cpp mirrors no folder of src/"]
