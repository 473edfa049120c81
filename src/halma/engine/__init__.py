"""Halma as an engine of other programs: protocols over standard input and output."""
