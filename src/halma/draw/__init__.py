"""Drawing: a position as text and as SVG."""
