"""Pixels: the same drawing as the SVG."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from random_scenes import scenes
from scenes_by_hand import ALL

from halma.draw.raster import draw_pixels
from halma.draw.svg import draw_svg


@pytest.mark.parametrize("name", ALL)
def test_it_looks_like_the_svg(name):
    """Cairo draws the SVG; only edges and letters differ."""
    cairosvg = pytest.importorskip("cairosvg")
    image = pytest.importorskip("PIL.Image")
    png = cairosvg.svg2png(draw_svg(ALL[name], 300).encode())
    ours = draw_pixels(ALL[name], 300)
    height, width, _ = ours.shape
    # Corners of the SVG are transparent.
    paper = image.new("RGBA", (width, height), "#f8f4ec")
    drawn = image.open(io.BytesIO(png)).convert("RGBA").resize((width, height))
    theirs = np.asarray(image.alpha_composite(paper, drawn).convert("RGB"), float)
    difference = np.abs(ours.astype(float) - theirs).max(axis=2)
    assert (difference > 60).mean() < 0.04, (difference > 60).mean()


@pytest.mark.parametrize("size", [1, 50, 120, 333])
def test_size(size):
    pixels = draw_pixels(ALL["draughts"], size)
    assert (max(pixels.shape[:2]), pixels.dtype) == (size, np.uint8)
    np.testing.assert_array_equal(pixels, draw_pixels(ALL["draughts"], size))


def test_no_size_at_all():
    with pytest.raises(ValueError, match="at least one pixel"):
        draw_pixels(ALL["draughts"], 0)


@settings(max_examples=30, deadline=None)
@given(scenes())
def test_any_scene_can_be_drawn(scene):
    assert draw_pixels(scene, 60).shape[2] == 3
