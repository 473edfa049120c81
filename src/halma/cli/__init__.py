"""The `halma` command: one verb per file, assembled in `app`."""


def main() -> None:
    """Run the command line."""
    from halma.interrupt import exit_at_sigint

    exit_at_sigint()
    from halma.cli.app import app

    app(prog_name="halma")
