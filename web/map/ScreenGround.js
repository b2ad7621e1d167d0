// @ts-check
/** The least part of the camera's distance over that of the ground that is drawn; beyond it lies the horizon. */
const leastNearness = 2 ** -20;

/**
 * The ground as the rows of pixels of a view see it (docs/spec/model.md 9.1), as MapRenderer's ScreenGround has it.
 *
 * The camera is not rolled, so that all of a row is equally far away: along a row the ground goes by in equal steps.
 */
export class ScreenGround {
  /** `scale` is pixels a point, which need not be whole. */
  constructor(projection, scale) {
    this.projection = projection;
    this.scale = scale;
    this.width = Math.max(1, Math.round(projection.viewport.width * scale));
    this.height = Math.max(1, Math.round(projection.viewport.height * scale));
    /** Where all rows see the ground at the same scale. */
    this.isFlat = projection.tilt.sine === 0;
  }

  /**
   * How long the image of a pixel on the ground is, in worlds, `y` pixels below the view's upper edge: across the view, and
   * along it. Null above the horizon, and where a pixel would be wider than the world.
   */
  footprint(y) {
    const nearness = this.nearness(y);
    if (!(nearness > leastNearness)) return null;
    const across = 1 / (nearness * this.scale * this.projection.worldSize);
    return across <= 1 ? { across, along: across / (nearness * this.projection.tilt.cosine) } : null;
  }

  /** The ground at a point in pixels, in worlds from the target; the point is not above the horizon. */
  offset(x, y) {
    const { projection, scale } = this;
    const nearness = this.nearness(y);
    const right = (x / scale - projection.center.x) / (nearness * projection.worldSize);
    const down = (y / scale - projection.center.y) / (projection.tilt.cosine * nearness * projection.worldSize);
    const { sine, cosine } = projection.bearing;
    return { x: right * cosine - down * sine, y: right * sine + down * cosine };
  }

  /** The camera's distance over that of the ground: 1 at the target's row, less beyond it. */
  nearness(y) {
    const { center, distance, tilt } = this.projection;
    return 1 + ((y / this.scale - center.y) / distance) * (tilt.sine / tilt.cosine);
  }
}
