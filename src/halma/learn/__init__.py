"""Learning: what a network is, where it is kept, and how it gets better."""
