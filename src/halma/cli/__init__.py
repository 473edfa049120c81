"""The `halma` command: one verb per file, assembled in `app`."""

import os
import sys


def main() -> None:
    """Run the command line."""
    # A thread of torch that waits for another one soon leaves its core to other processes. It is
    # read when torch is loaded, here and in worker processes (docs/performance.md).
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        from halma.interrupt import exit_at_signals

        exit_at_signals()
    except KeyboardInterrupt:
        os._exit(130)
    from halma.streams import protect_streams

    protect_streams()
    from halma.cli.app import app

    try:
        app(prog_name="halma")
    finally:
        sys.stdout.flush()  # its errors have an exit status, which at exit they have not
