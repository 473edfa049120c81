"""The `halma` command: one verb per file, assembled in `app`."""


def main() -> None:
    """Run the command line."""
    import sys

    from halma.interrupt import exit_at_signals
    from halma.streams import protect_streams

    exit_at_signals()
    protect_streams()
    from halma.cli.app import app

    try:
        app(prog_name="halma")
    finally:
        sys.stdout.flush()  # its errors have an exit status, which at exit they have not
