"""`python -m halma.cli`: the `halma` command."""

from halma.cli import main

main()
