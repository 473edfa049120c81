"""The `halma` command: one verb per file, assembled in `app`."""


def main() -> None:
    """Run the command line."""
    from halma.cli.app import app

    app(prog_name="halma")
