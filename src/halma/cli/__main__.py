"""Lets `python -m halma.cli` stand for the `halma` command."""

from halma.cli import main

main()
