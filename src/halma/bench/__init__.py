"""Benchmarks: measurements beside their goals, and beside peers measured in the same run."""
