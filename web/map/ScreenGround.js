// @ts-check
/** Minimum ratio of the camera's distance to the ground's distance for drawing. Smaller values are at the horizon. */
const leastNearness = 2 ** -20;

/**
 * The ground below the pixels of a view, row by row (docs/spec/model.md 9.1), like MapRenderer's ScreenGround.
 *
 * The camera is not rolled, so the ground along a row is equally far away and is seen in equal steps.
 */
export class ScreenGround {
  /** `scale` is in pixels a point, and need not be whole. */
  constructor(projection, scale) {
    this.projection = projection;
    this.scale = scale;
    this.width = Math.max(1, Math.round(projection.viewport.width * scale));
    this.height = Math.max(1, Math.round(projection.viewport.height * scale));
    /** True if all rows see the ground at the same scale. */
    this.isFlat = projection.tilt.sine === 0;
  }

  /**
   * Returns the size of a pixel's image on the ground, in worlds, `y` pixels below the view's upper edge: across the
   * view, and along it. Null above the horizon, and if a pixel would be wider than the world.
   */
  footprint(y) {
    const nearness = this.nearness(y);
    if (!(nearness > leastNearness)) return null;
    const across = 1 / (nearness * this.scale * this.projection.worldSize);
    return across <= 1 ? { across, along: across / (nearness * this.projection.tilt.cosine) } : null;
  }

  /** Returns the ground at a point in pixels, in worlds from the target. The point must not be above the horizon. */
  offset(x, y) {
    const { projection, scale } = this;
    const nearness = this.nearness(y);
    const right = (x / scale - projection.center.x) / (nearness * projection.worldSize);
    const down = (y / scale - projection.center.y) / (projection.tilt.cosine * nearness * projection.worldSize);
    const { sine, cosine } = projection.bearing;
    return { x: right * cosine - down * sine, y: right * sine + down * cosine };
  }

  /**
   * Returns the camera's distance to the target divided by its distance to the ground: 1 at the target's row, less
   * beyond it.
   */
  nearness(y) {
    const { center, distance, tilt } = this.projection;
    return 1 + ((y / this.scale - center.y) / distance) * (tilt.sine / tilt.cosine);
  }
}
