"""Floods of images and animations."""
import time

from . import crowd


def _crowd(*kinds):
    def flood(site, seconds):
        with crowd.crowd(site.url, *kinds):
            time.sleep(seconds)
    return flood


FLOODS = {
    "large": _crowd((crowd.large, 16, None), (crowd.overlays, 8, None)),
    "stacks": _crowd((crowd.stacks, 16, None)),
    "animations": _crowd((crowd.animation, 16, None)),
    "drawn": _crowd((crowd.relief, 32, None), (crowd.mandelbrot, 32, None)),
}
