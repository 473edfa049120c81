"""Drawing: scenes as text and as SVG, charts and HTML pages.

A game describes a position as a `scene`; `text` and `svg` draw it with the colours of `palette`.
"""
