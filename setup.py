"""How pip builds the package: CMake makes it in build/release, the files are taken from there."""
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "release"
VERSION = re.search(r"project\(chaosgrad VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class BuildByCMake(build_py):
    def run(self):
        if not (BUILD / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", str(BUILD), "--target", "chaosgrad_python_package"], cwd=ROOT, check=True)
        shutil.copytree(BUILD / "python" / "chaosgrad", pathlib.Path(self.build_lib) / "chaosgrad", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))


class BinaryDistribution(Distribution):
    def has_ext_modules(self):  # the wheel is for this machine's Python and processor
        return True


BUILD.mkdir(parents=True, exist_ok=True)
setup(version=VERSION, packages=["chaosgrad"], package_dir={"": "python"}, distclass=BinaryDistribution,
      cmdclass={"build_py": BuildByCMake},
      options={"egg_info": {"egg_base": str(ROOT / "build")}, "build": {"build_base": str(ROOT / "build" / "pip")}})
