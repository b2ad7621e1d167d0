// @ts-check
import { modulo, wrapLongitude } from "./numbers.js";

/** The longitudes from `west` eastwards to `east`, both included, in degrees within ±180. */
export class LongitudeArc {
  static circle = new LongitudeArc(-180, 180);

  constructor(west, east) {
    this.west = west;
    this.east = east;
  }

  /** From `west` eastwards to `east`, any finite longitudes: the whole circle if they are 360° or more apart. */
  static from(west, east) {
    if (east - west >= 360) return LongitudeArc.circle;
    return new LongitudeArc(wrapLongitude(west), wrapLongitude(east));
  }

  /** The shorter of the two arcs between two longitudes; of two equally long the one that goes east from the first. */
  static between(first, second) {
    const [from, to] = [wrapLongitude(first), wrapLongitude(second)];
    const eastwards = modulo(to - from, 360);
    // Both ±180: the same meridian, not the circle.
    if (eastwards === 0) return new LongitudeArc(from, from);
    return eastwards <= 180 ? new LongitudeArc(from, to) : new LongitudeArc(to, from);
  }

  /** Degrees, in [0, 360]. */
  get width() {
    return this.east < this.west ? this.east - this.west + 360 : this.east - this.west;
  }

  /** Degrees from `west` eastwards to a longitude, in [0, 360). */
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

  /** The narrowest arc that holds both; of two equally wide the one that grows eastwards (docs/spec/model.md ruling 10). */
  union(other) {
    const candidates = [
      this, other, new LongitudeArc(this.west, other.east), new LongitudeArc(other.west, this.east),
    ];
    return candidates
      .filter((candidate) => candidate.holds(this) && candidate.holds(other))
      .reduce((best, candidate) => (candidate.width < best.width ? candidate : best), LongitudeArc.circle);
  }

  /** A longitude itself where the arc holds it, else the nearer end; the eastern one of two equally near. */
  nearest(longitude) {
    const offset = this.offset(longitude);
    if (offset <= this.width) return longitude;
    return offset - this.width <= 360 - offset ? this.east : this.west;
  }
}
