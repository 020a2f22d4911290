"""The package as a whole: documentation that runs, types, examples, a notebook, wheels."""
import doctest
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import zipfile

import pytest

import chaosgrad

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODULES = [name for _, name, _ in pkgutil.iter_modules(chaosgrad.__path__) if name != "_core"]


def run(command, folder, **environment):
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=500,
                          env={**os.environ, "MPLBACKEND": "Agg", **environment})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_examples_of_docstrings(name):
    module = chaosgrad if name == "__init__" else importlib.import_module(f"chaosgrad.{name}")
    assert doctest.testmod(module).failed == 0


def test_what_is_public_is_documented_and_exists():
    for name in chaosgrad.__all__:
        assert hasattr(chaosgrad, name), name
    for name in ("solve", "solve_file", "load", "gallery", "from_torch", "from_jax", "Solution", "Linear", "Convex"):
        assert getattr(chaosgrad, name).__doc__, name
    for name, member in inspect.getmembers(chaosgrad.Solution):
        if not name.startswith("_") and name not in ("title", "seconds"):
            assert getattr(member, "__doc__", None), name


def test_types(tmp_path):
    run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path], ROOT)
    (tmp_path / "own.py").write_text(
        "import chaosgrad as cg\n"
        "sol = cg.solve(lambda x, t: x - t, variables=['x'], parameters={'t': cg.Uniform(0, 1)})\n"
        "wrong: str = sol.error\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "own.py"], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    assert "own.py:3" in done.stdout and "own.py:2" not in done.stdout, done.stdout  # the hints reach users


def test_the_stub_names_what_the_core_has():
    from chaosgrad import _core
    stub = (ROOT / "python" / "chaosgrad" / "_core.pyi").read_text()
    for name in vars(_core):
        if not name.startswith("__"):
            assert re.search(rf"\b(class|def) {name}\b|^{name}:", stub, re.M), name
    for name in vars(_core.Run):
        if not name.startswith("_"):
            assert f"def {name}(self" in stub, name


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_snippets_of_the_pages_run(tmp_path, page):
    text = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S))
    assert "cg.solve" in text
    (tmp_path / "page.py").write_text(text)
    run([sys.executable, "page.py"], tmp_path)


def test_examples(tmp_path):
    out = run([sys.executable, ROOT / "examples" / "python" / "portfolio.py"], tmp_path)
    assert float(out.split("closed form:")[1]) < 1e-4 and (tmp_path / "portfolio.png").exists()
    out = run([sys.executable, ROOT / "examples" / "python" / "regularization_path.py"], tmp_path)
    assert float(re.search(r"closed form (\S+)", out)[1]) < 1e-3 and "logistic: converged" in out


def test_regularization_path_has_the_closed_form(monkeypatch):
    import numpy as np
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "python"))
    from regularization_path import RegularizationPath
    generator = np.random.default_rng(5)
    X, y = generator.normal(size=(60, 4)), generator.normal(size=60)
    path = RegularizationPath("ridge", lower=0.1, upper=50, tolerance=1e-6).fit(X, y)
    weights = np.exp(generator.uniform(np.log(0.1), np.log(50), 400))
    exact = np.array([np.linalg.solve(X.T @ X + weight * np.eye(4), X.T @ y) for weight in weights])
    distance = np.sqrt(np.mean(np.sum((path.coef_(weights) - exact)**2, axis=1)))
    assert distance < 2 * path.error_ and path.error_ < 1e-6
    step = 1e-4
    assert np.allclose(path.slope_(2.0), (path.coef_(2 + step) - path.coef_(2 - step)) / (2 * step), atol=1e-5)


def test_notebook(tmp_path):
    """Executed by nbconvert: every cell runs, and the solution shows itself."""
    run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", tmp_path,
         ROOT / "examples" / "python" / "quickstart.ipynb"], tmp_path, MPLBACKEND="module://matplotlib_inline.backend_inline",
        JUPYTER_DATA_DIR=str(tmp_path), IPYTHONDIR=str(tmp_path))
    done = json.loads((tmp_path / "quickstart.ipynb").read_text())
    outputs = [output for cell in done["cells"] if cell["cell_type"] == "code" for output in cell["outputs"]]
    shown = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    assert any("<svg" in text and "converged" in text for text in shown)
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_wheel_and_offline_installation(tmp_path):
    """Made in the source tree by pip without any network, installed elsewhere, and used from there."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", tmp_path, "."], ROOT)
    wheel, = tmp_path.glob("chaosgrad-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"chaosgrad/__init__.py", "chaosgrad/py.typed", "chaosgrad/_core.pyi"} <= set(names)
    assert any(re.match(r"chaosgrad/_core\..*\.so", name) for name in names) and not any("__pycache__" in name for name in names)
    run([*pip, "install", "--no-build-isolation", "--no-deps", "--no-index", "--target", tmp_path / "there", "."], ROOT)
    code = ("import chaosgrad as cg; print(cg.__file__, cg.__version__);"
            "assert cg.solve(lambda x, t: x - t, variables=['x'], parameters={'t': cg.Uniform(0, 1)}).ok")
    out = run([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(tmp_path / "there"))
    assert str(tmp_path / "there") in out
