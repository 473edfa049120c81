"""`python -m halma`: the `halma` command."""

from halma.cli import main

main()
