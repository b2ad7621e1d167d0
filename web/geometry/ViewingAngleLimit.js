// @ts-check
/**
 * Maximum viewing angle of a camera by its zoom. It is linear between knots, and constant before the first and after
 * the last knot (docs/spec/model.md 5.1, Q2).
 */
export class ViewingAngleLimit {
  /** 30° up to zoom 10, 65° from zoom 16. */
  static sdk = new ViewingAngleLimit([[10, 30], [16, 65]]);

  /** `knots` are [zoom, degrees] in ascending order of zooms, at least one, as in a map's TileJSON. */
  constructor(knots) {
    this.knots = knots;
  }

  /** Returns the limit at `zoom` in degrees. */
  angleAt(zoom) {
    const next = this.knots.findIndex((knot) => knot[0] > zoom);
    if (next < 0) return this.knots.at(-1)[1];
    if (next === 0) return this.knots[0][1];
    const [low, high] = [this.knots[next - 1], this.knots[next]];
    return low[1] + (high[1] - low[1]) * ((zoom - low[0]) / (high[0] - low[0]));
  }
}
