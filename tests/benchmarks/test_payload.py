"""The project of Payload that is measured: how it is installed, and what is committed of it."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.payload import project


def test_its_versions_are_exact_and_its_lock_names_no_registry() -> None:
    package = json.loads((project.SOURCE / "package.json").read_text())
    lock = json.loads((project.SOURCE / "package-lock.json").read_text())
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["dependencies"].values())
    assert lock["packages"][""]["dependencies"] == package["dependencies"]
    assert all("resolved" not in entry for entry in lock["packages"].values())


def test_only_its_own_files_are_there() -> None:
    assert not {"node_modules", ".next", "built"} & {path.name for path in project.SOURCE.iterdir()}


def test_without_npm_it_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(project, "FOLDER", tmp_path / "payload")
    monkeypatch.setattr("sys.argv", ["benchmarks", "--peers"])
    assert command.main() == 2
    assert capsys.readouterr().err == "npm is not installed, so Payload is not measured. Install Node.js 20.9 or newer.\n"


def test_what_is_built_is_built_again_when_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, folder = tmp_path / "source", tmp_path / "built"
    source.mkdir()
    folder.mkdir()
    (source / "package.json").write_text("{}")
    monkeypatch.setattr(project, "SOURCE", source)
    monkeypatch.setattr(project, "FOLDER", folder)
    monkeypatch.setenv("PATH", str(tmp_path))
    (folder / "built").write_text(project.digest())
    project.build()
    (source / "package.json").write_text('{"private": true}')
    with pytest.raises(project.Missing):
        project.build()
