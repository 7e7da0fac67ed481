"""Looks for known vulnerabilities of the packages in lock files: `python deploy/audit_dependencies.py requirements.lock ...`

It ends with 1 if there are any. Where the database of vulnerabilities cannot be reached, it says that nothing was audited, and
ends with 0: a build on a host without a way out is not broken.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Nothing is installed or resolved: the locks name every package in its version.
COMMAND = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off", "--disable-pip", "--require-hashes"]
#: Seconds for each answer of the database, and for all of it.
ANSWER_SECONDS, AUDIT_SECONDS = 20, 600


def audit(locks: Sequence[Path]) -> str | list[dict[str, Any]]:
    """Return the packages as pip-audit reports them, or why nothing was audited."""
    files = [argument for lock in locks for argument in ("--requirement", str(lock))]
    command = [*COMMAND, f"--timeout={ANSWER_SECONDS}", *files]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=AUDIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "it took too long"
    try:
        found: list[dict[str, Any]] = json.loads(run.stdout)["dependencies"]
    except (ValueError, KeyError):
        return next(reversed(run.stderr.strip().splitlines()), "pip-audit gave no answer")
    return found


def report(found: str | list[dict[str, Any]]) -> tuple[list[str], int]:
    """Return the lines to print, and the exit status."""
    if isinstance(found, str):
        return [f"Nothing was audited: {found}"], 0
    skipped = [each for each in found if "skip_reason" in each]
    if found and len(skipped) == len(found):
        return [f"Nothing was audited: {skipped[0]['skip_reason']}"], 0
    lines = [
        f"{each['name']} {each['version']}: {known['id']}, fixed in {', '.join(known['fix_versions']) or 'no version'}"
        for each in found
        for known in each.get("vulns", ())
    ]
    noted = [f"{len(skipped)} packages could not be audited: {', '.join(each['name'] for each in skipped)}."] if skipped else []
    return [*(lines or ["No package has a known vulnerability."]), *noted], int(bool(lines))


if __name__ == "__main__":
    printed, status = report(audit([Path(name) for name in sys.argv[1:]]))
    print("\n".join(printed))
    sys.exit(status)
