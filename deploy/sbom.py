"""Prints the packages of a lock file as a software bill of materials (CycloneDX 1.6): `python deploy/sbom.py requirements.lock`

The same lock gives the same document, so that a release can be checked against its sources.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

#: A package of a lock: name, version, the systems that it is for, and its hashes.
_PACKAGE = re.compile(
    r"^([a-z0-9][a-z0-9.-]*)==([^\s;\\]+)(?:\s*;\s*([^\\\n]+?))?\s*\\?\n((?:    --hash=sha256:\S+.*\n)+)", re.MULTILINE
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def document(lock: str) -> dict[str, Any]:
    """Return the document for the text of a lock."""
    project = tomllib.loads(_PROJECT.read_text())["project"]
    root = f"pkg:pypi/{project['name']}@{project['version']}"
    components = list(_components(lock))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root + lock)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": [each["bom-ref"] for each in components]}],
    }


def _components(lock: str) -> Iterator[dict[str, Any]]:
    for name, version, systems, hashes in _PACKAGE.findall(lock):
        address = f"pkg:pypi/{name}@{version}"
        yield {
            "type": "library",
            "bom-ref": address,
            "name": name,
            "version": version,
            "purl": address,
            "scope": "optional" if systems else "required",
            **_licence(name),
            # Each is that of one of the files in which a package comes, which a component cannot tell apart.
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{name}/{version}/",
                    "hashes": [{"alg": "SHA-256", "content": each} for each in _HASH.findall(hashes)],
                }
            ],
        }


def _licence(name: str) -> dict[str, Any]:
    """Return the licence that an installed package declares, in the words of SPDX or its own."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return {}
    if expression := found.get("License-Expression"):
        return {"licenses": [{"expression": expression}]}
    named = found.get("License", "").strip().partition("\n")[0]
    classified = [each.rpartition(" :: ")[2] for each in found.get_all("Classifier", []) if each.startswith("License :: ")]
    texts = classified or [named[:200]] * bool(named)
    return {"licenses": [{"license": {"name": text}} for text in texts]} if texts else {}


if __name__ == "__main__":
    print(json.dumps(document(Path(sys.argv[1]).read_text()), indent=2, ensure_ascii=False))
