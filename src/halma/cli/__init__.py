"""The `halma` command: one verb per file, assembled in `app`."""


def main() -> None:
    """Run the command line."""
    import sys

    from halma.interrupt import handle_termination
    from halma.streams import protect_streams

    protect_streams()
    from halma.cli.app import app

    # Until here SIGTERM ends the program at once.
    handle_termination()
    try:
        app(prog_name="halma")
    finally:
        sys.stdout.flush()  # its errors have an exit status, which at exit they have not
