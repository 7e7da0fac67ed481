"""docs/deploy.md, followed to the letter on a bare Debian: the site answers, is backed up, and keeps its files to itself."""

import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from benchmarks.servers import free_port
from tests.conftest import ROOT
from tests.serving import START, Site

from .bare_root import BareRoot, commands, environment_file, unit

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("debootstrap"), reason="A bare root needs root and debootstrap."),
]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> BareRoot:
    made = BareRoot(tmp_path_factory.mktemp("bare"))
    subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(made.path("/repository.git"))], check=True)
    return made


def is_open(path: Path) -> bool:
    """Whether others than its owner may read a file or folder."""
    found = path.lstat()
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & 0o077)


def test_it_works(bare: BareRoot) -> None:
    bare.run("apt-get update -qq")
    install = commands("deploy.md", "### Install").replace("REPOSITORY", "/repository.git")
    bare.run(install.replace("apt-get install", "apt-get install -y -qq"))
    bare.path("/etc/site/environment").write_text(environment_file())
    bare.run(commands("deploy.md", "### Configure"))
    created = bare.run(commands("deploy.md", "### Create the site"))
    assert "System check identified no issues" in created
    bare.run(commands("deploy.md", "### Start"))
    assert {path.name for path in bare.path("/etc/systemd/system").glob("site-*")} == {
        path.name for path in (ROOT / "deploy").glob("site-*")
    }
    for command in unit("site-upgrade.service"):
        bare.run(command)

    (serve,) = unit("site-web.service")
    port = free_port()
    site = Site({}, port, bare.start(f"{serve} --port {port} --workers 1"))  # type: ignore[arg-type]
    try:
        site.wait_for("/readyz", 200, patience=START)
        page = site.request("GET", "/", Host="www.example.org", X_Forwarded_Proto="https", X_Forwarded_For="192.0.2.7")
        assert page.status == 200
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
        for inside in ("/admin/login/", "/api/v1/content-items"):
            found = site.request("GET", inside, Host="www.example.org", X_Forwarded_Proto="https")
            assert found.status == (200 if inside.startswith("/admin") else 401)
    finally:
        os.killpg(site.process.pid, signal.SIGTERM)
        site.process.wait(60)

    bare.run(commands("deploy.md", "### Back up"))
    for command in unit("site-backup.service"):
        bare.run(command)
    (backup,) = bare.path("/var/backups/site").iterdir()
    for private in (bare.path("/var/lib/site"), bare.path("/var/backups/site"), backup):
        assert not is_open(private), private
    assert [path for path in bare.path("/var/lib/site").rglob("*") if is_open(path)] == []
