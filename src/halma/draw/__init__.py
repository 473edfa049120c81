"""Drawing: a position as text and as SVG.

`scene` says what there is to see, `text` and `svg` draw it, `palette` holds the colours.
"""
