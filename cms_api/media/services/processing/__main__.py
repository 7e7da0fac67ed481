"""Runs one task, given as JSON in the first argument, and reports as JSON on standard output.

The task: `source` (a file), `mime_type` (by its first bytes), `into` (a folder), `degrees` (clockwise).
The report: `mime_type`, `width`, `height`, `animated`, `file` and `variants`, or `refused` with a message.
"""

import json
import resource
import sys

from cms_api.core.processes import obey_parent_alone

#: Limits: CPU seconds, bytes of address space, and bytes of any file written.
CPU_SECONDS = 40
MEMORY_BYTES = 1_500_000_000
FILE_BYTES = 130_000_000


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def main() -> None:
    obey_parent_alone()
    limit()
    from .refusal import Refused

    task = json.loads(sys.argv[1])
    try:
        if task["mime_type"] == "image/svg+xml":
            from .drawings import process
        else:
            from .pictures import process
        report = process(**task)
    except Refused as refusal:
        report = {"refused": str(refusal)}
    except MemoryError:
        report = {"refused": "The file needs too much memory to process."}
    except RecursionError:
        report = {"refused": "The file is nested too deeply."}
    json.dump(report, sys.stdout)


main()
