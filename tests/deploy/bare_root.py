"""A bare Debian in a folder, and the commands of the documents, run there as root runs them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.conftest import ROOT

#: Runs a script in a folder, with its own mounts, which end with it.
ENTER = """
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" /bin/bash -c "$1"
"""
#: How this machine reaches archives and indexes of packages.
_OWN = ("/etc/resolv.conf", "/etc/hosts", "/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d")


class BareRoot:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        mirror, release = _apt("$(REPO_URI)"), _apt("$(CODENAME)")
        subprocess.run(["debootstrap", "--variant=minbase", release, str(folder), mirror], check=True, capture_output=True)
        folder.chmod(0o755)
        self.path("/etc/apt/sources.list").unlink()
        self._copy_own()

    def run(self, script: str) -> str:
        """Run a script as root; return what it writes. Fails with that if it fails."""
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, str(self.folder), script]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, f"{script}\n{done.stdout}"
        return done.stdout

    def start(self, script: str) -> subprocess.Popen[bytes]:
        """Start a script in a session of its own, without waiting for it."""
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, str(self.folder), script]
        return subprocess.Popen(command, env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL)

    def path(self, inside: str) -> Path:
        return self.folder / inside.lstrip("/")

    def _copy_own(self) -> None:
        for name in _OWN:
            if (source := Path(name)).is_dir():
                shutil.copytree(source, self.path(name), dirs_exist_ok=True)
            elif source.exists():
                shutil.copyfile(source, self.path(name))
        for name, value in os.environ.items():
            if name.startswith("PIP_"):
                self.environment[name] = value
                if (source := Path(value)).is_file():
                    # Not where the packages of the bare system have theirs.
                    self.environment[name] = f"/{name}"
                    shutil.copyfile(source, self.path(name))
        if (configured := Path.home() / ".config/pip/pip.conf").exists():
            shutil.copyfile(configured, self.path("/etc/pip.conf"))


def _apt(field: str) -> str:
    command = ["apt-get", "indextargets", "--format", field, "Created-By: Packages"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]


def commands(document: str, heading: str) -> str:
    """The commands of root in a section of a document, without those of systemd, which does not run in a folder."""
    text = (ROOT / "docs" / document).read_text()
    section = text.partition(f"\n{heading}\n")[2]
    section = re.split(r"\n##+ ", section)[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("# ")]
    assert lines, f"{document} has no commands below {heading!r}"
    return "\n".join(
        ["set -eu", "shopt -s expand_aliases", *(line for line in lines if not line.startswith(("systemctl", "curl")))]
    )


def environment_file() -> str:
    """The environment of the documents, with a key and a place for emails."""
    text = (ROOT / "docs/deploy.md").read_text()
    found = re.search(r"```sh\n(DJANGO_SETTINGS_MODULE=.*?)```", text, re.DOTALL)
    assert found
    chosen = {"SECRET_KEY": "0123456789" * 5, "EMAIL_URL": "file:///var/lib/site/sent"}
    return re.sub(
        r"^(\w+)='.*'$", lambda line: f"{line[1]}='{chosen[line[1]]}'" if line[1] in chosen else line[0], found[1], flags=re.M
    )


def unit(name: str) -> list[str]:
    """The commands that a unit runs, as its user, in its folder and with its environment."""
    settings = [line.partition("=") for line in (ROOT / "deploy" / name).read_text().splitlines()]
    given = {key: value for key, _, value in settings}
    enter = f"cd {given['WorkingDirectory']}; umask {given['UMask']}; set -a; . {given['EnvironmentFile']}; set +a"
    run = [value.replace("$$", "$").replace("%%", "%") for key, _, value in settings if key in {"ExecStart", "ExecStartPost"}]
    return [f"{enter}; exec setpriv --reuid {given['User']} --regid {given['Group']} --clear-groups {each}" for each in run]
