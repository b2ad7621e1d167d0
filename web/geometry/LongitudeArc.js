// @ts-check
import { modulo, wrapLongitude } from "./numbers.js";

/** The longitudes from `west` eastwards to `east`, both included. Both are in degrees within ±180. */
export class LongitudeArc {
  static circle = new LongitudeArc(-180, 180);

  constructor(west, east) {
    this.west = west;
    this.east = east;
  }

  /**
   * Returns the arc from `west` eastwards to `east`, which may be any finite longitudes. It is the whole circle if they
   * are 360° or more apart.
   */
  static from(west, east) {
    if (east - west >= 360) return LongitudeArc.circle;
    return new LongitudeArc(wrapLongitude(west), wrapLongitude(east));
  }

  /**
   * Returns the shorter of the two arcs between two longitudes. If both have the same length, it goes east from the
   * first.
   */
  static between(first, second) {
    const [from, to] = [wrapLongitude(first), wrapLongitude(second)];
    const eastwards = modulo(to - from, 360);
    // −180 and 180 are the same meridian, so this is not the whole circle.
    if (eastwards === 0) return new LongitudeArc(from, from);
    return eastwards <= 180 ? new LongitudeArc(from, to) : new LongitudeArc(to, from);
  }

  /** Width in degrees, in [0, 360]. */
  get width() {
    return this.east < this.west ? this.east - this.west + 360 : this.east - this.west;
  }

  /** Returns the degrees from `west` eastwards to a longitude, in [0, 360). */
  offset(longitude) {
    return modulo(wrapLongitude(longitude) - this.west, 360);
  }

  contains(longitude) {
    return this.offset(longitude) <= this.width;
  }

  holds(other) {
    if (this.width >= 360) return true;
    if (other.width >= 360) return false;
    const [start, end] = [this.offset(other.west), this.offset(other.east)];
    return start <= end && end <= this.width;
  }

  intersects(other) {
    return this.contains(other.west) || other.contains(this.west);
  }

  /**
   * Returns the narrowest arc that contains both. If two have the same width, the arc that extends this one eastwards
   * wins (docs/spec/model.md ruling 10).
   */
  union(other) {
    const candidates = [
      this, other, new LongitudeArc(this.west, other.east), new LongitudeArc(other.west, this.east),
    ];
    return candidates
      .filter((candidate) => candidate.holds(this) && candidate.holds(other))
      .reduce((best, candidate) => (candidate.width < best.width ? candidate : best), LongitudeArc.circle);
  }

  /**
   * Returns a longitude of the arc unchanged, otherwise the nearer end of the arc. If both are equally near, the
   * eastern end.
   */
  nearest(longitude) {
    const offset = this.offset(longitude);
    if (offset <= this.width) return longitude;
    return offset - this.width <= 360 - offset ? this.east : this.west;
  }
}
