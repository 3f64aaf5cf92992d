# SPDX-License-Identifier: MIT
"""The recipes of other package managers can be read, and agree with pyproject.toml."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpipp import __version__
from tests.support import ROOT, lacking, need

try:
    import yaml
except ImportError:
    lacking("there is no yaml: run tools/setup.sh")

_PACKAGING = ROOT / "packaging"
_PYTHON = ROOT / ".venv" / "packaging" / "bin" / "python"
_SPACK = _PACKAGING / "spack" / "package.py"
_CONDA = _PACKAGING / "conda" / "recipe.yaml"
_EASYCONFIGS = sorted((_PACKAGING / "easybuild").glob("*.eb"))
_APPTAINER = (_PACKAGING / "apptainer" / "mpipp.def").read_text()
_LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")
_DEVCONTAINER = ROOT / ".devcontainer" / "devcontainer.json"


def project(key: str) -> str:
    """The text of a value in pyproject.toml, which Python 3.9 cannot parse."""
    text = (ROOT / "pyproject.toml").read_text()
    found = re.search(rf"^{key} = (.*)$", text, re.MULTILINE)
    assert found, key
    return found[1]


def dependencies() -> dict[str, str]:
    """The packages that mpipp needs, and their lowest versions."""
    return dict(re.findall(r'"([\w-]+)>=([\d.]+)"', project("dependencies")))


def packaging_python(code: str, *arguments: object) -> str:
    """The output of a program with the tools of other package managers."""
    if not _PYTHON.exists():
        lacking("there is no .venv/packaging: run tools/setup.sh")
    command = [str(_PYTHON), "-c", code, *map(str, arguments)]
    env = {"LMOD_CMD": str(_LMOD), "PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def need_lmod() -> None:
    """Skip the test without Lmod, which reads environment modules."""
    if not _LMOD.exists():
        lacking("there is no lmod: run tools/setup.sh")


# Spack


def calls(function: str) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The arguments of each call of a directive in Spack's package."""
    for node in ast.walk(ast.parse(_SPACK.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            words = [ast.literal_eval(argument) for argument in node.args]
            yield words, {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}


def test_spack_has_this_version_and_its_source() -> None:
    versions = {words[0]: known for words, known in calls("version")}
    assert __version__ in versions
    assert re.fullmatch("[0-9a-f]{64}", versions[__version__]["sha256"])
    (package,) = (n for n in ast.parse(_SPACK.read_text()).body if isinstance(n, ast.ClassDef))
    assert package.name == "Mpipp"
    assert [ast.unparse(base) for base in package.bases] == ["PythonPackage"]
    fields = {ast.unparse(n.targets[0]) for n in package.body if isinstance(n, ast.Assign)}
    assert {"homepage", "url", "git"} <= fields
    assert ast.get_docstring(package)
    assert [words for words, _ in calls("license")] == [["MIT"]]


def test_spack_has_the_dependencies() -> None:
    needed = {words[0] for words, _ in calls("depends_on")}
    assert {f"py-{name}@{lowest}:" for name, lowest in dependencies().items()} <= needed
    lowest = project("requires-python").strip('"').removeprefix(">=")
    assert f"python@{lowest}:" in needed


# conda


def test_rattler_build_renders_the_recipe() -> None:
    output = packaging_python(
        "import json, sys\n"
        "from rattler_build import Stage0Recipe, VariantConfig\n"
        "found = Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig())\n"
        "print(json.dumps([one.recipe.to_dict() for one in found]))",
        _CONDA,
    )
    (recipe,) = json.loads(output)
    assert recipe["package"] == {"name": "mpipp", "version": __version__}
    assert recipe["build"]["noarch"] == "python"
    needed = {f"{name} >={lowest}" for name, lowest in dependencies().items()}
    assert needed <= set(recipe["requirements"]["run"])
    assert f"/v{__version__}/mpipp-{__version__}.tar.gz" in recipe["source"][0]["url"]


def test_the_recipe_has_the_command_of_the_package() -> None:
    recipe = yaml.safe_load(_CONDA.read_text())
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command == f"mpipp = {project('mpipp').strip(chr(34))}"
    assert recipe["context"]["python_min"] in project("requires-python")


# EasyBuild


@pytest.mark.parametrize("path", _EASYCONFIGS, ids=lambda path: path.stem)
def test_easybuild_reads_the_configuration(path: Path) -> None:
    need_lmod()
    output = packaging_python(
        "import json, sys\n"
        "from easybuild.tools.options import set_up_configuration\n"
        "set_up_configuration(args=['--allow-use-as-root-and-accept-consequences'], silent=True)\n"
        "from easybuild.framework.easyconfig.easyconfig import EasyConfig\n"
        "found = EasyConfig(sys.argv[1])\n"
        "print(json.dumps([found.name, found.version, found.get_ref('exts_list'),"
        " [one['name'] for one in found.dependencies()]]))",
        path,
    )
    name, version, extensions, needed = json.loads(output.splitlines()[-1])
    assert (name, version) == ("mpipp", __version__)
    assert [extension[0] for extension in extensions] == ["pyelftools", "mpipp"]
    assert {"Python", "GDB", "hatchling"} <= set(needed)


def test_an_easybuild_configuration_has_its_toolchain_in_its_name() -> None:
    assert _EASYCONFIGS
    for path in _EASYCONFIGS:
        known = {
            ast.unparse(node.targets[0]): node.value
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Assign)
        }
        toolchain = ast.literal_eval(known["toolchain"])
        assert path.stem == f"mpipp-{__version__}-{toolchain['name']}-{toolchain['version']}"


# Environment modules


@pytest.mark.parametrize(("suffix", "name"), [("tcl", __version__), ("lua", f"{__version__}.lua")])
def test_a_module_sets_the_paths(tmp_path: Path, suffix: str, name: str) -> None:
    need_lmod()
    source = (_PACKAGING / "modulefile" / f"mpipp.{suffix}").read_text()
    (tmp_path / "mpipp").mkdir()
    (tmp_path / "mpipp" / name).write_text(source.replace("/sw/mpipp", "/opt/tools"))
    shell = f"eval $({_LMOD} bash load mpipp/{__version__}); echo $PATH; echo $XDG_DATA_DIRS"
    shell += f"; eval $({_LMOD} bash unload mpipp); echo $PATH"
    paths = "/usr/bin:/bin"
    env = {"MODULEPATH": str(tmp_path), "PATH": paths, "HOME": str(tmp_path)}
    done = subprocess.run(
        [need("bash"), "-c", shell], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"/opt/tools/bin:{paths}",
        "/opt/tools/share:/usr/local/share:/usr/share",
        paths,
    ]
    assert f"{__version__}\n" in re.sub('"', "", source)


# Containers


def sections() -> dict[str, str]:
    """The sections of Apptainer's definition."""
    header, *found = re.split(r"^%(\w+)\n", _APPTAINER, flags=re.MULTILINE)
    return {"header": header, **dict(zip(found[::2], found[1::2]))}


def test_apptainer_installs_the_wheel_of_this_version() -> None:
    known = sections()
    assert {"files", "post", "environment", "runscript", "test", "labels", "help"} <= known.keys()
    assert re.search(r"^Bootstrap: docker\nFrom: debian:\w+$", known["header"], re.MULTILINE)
    assert known["arguments"].strip() == f"version={__version__}"
    assert "dist/mpipp-{{ version }}-py3-none-manylinux_2_17_x86_64.whl" in known["files"]


@pytest.mark.parametrize("name", ["post", "environment", "runscript", "test"])
def test_a_script_of_apptainer_is_valid(name: str) -> None:
    script = sections()[name].replace("{{ version }}", __version__)
    subprocess.run([need("sh"), "-n"], input=script, text=True, check=True)


def test_the_devcontainer_prepares_the_repository() -> None:
    known = json.loads(_DEVCONTAINER.read_text())
    assert {"name", "image", "postCreateCommand"} <= known.keys()
    assert known["postCreateCommand"].endswith("make setup")
    # gdb traces processes, and MPI needs shared memory.
    assert "SYS_PTRACE" in known["capAdd"]
    assert "--shm-size=2g" in known["runArgs"]
