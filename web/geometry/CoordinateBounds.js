// @ts-check
import { CameraError } from "./CameraError.js";
import { LongitudeArc } from "./LongitudeArc.js";

/**
 * A box of latitudes and longitudes with its edges, which may cross the antimeridian, like the SDK's
 * GMSCoordinateBounds.
 */
export class CoordinateBounds {
  /** `longitudes` is a LongitudeArc. `south` must not be above `north`. */
  constructor(south, north, longitudes) {
    this.south = south;
    this.north = north;
    this.longitudes = longitudes;
  }

  /**
   * Returns the box between two corners. It crosses the antimeridian if the eastern longitude is below the western one.
   */
  static corners(southWest, northEast) {
    if (southWest.latitude > northEast.latitude) throw new CameraError("southAboveNorth");
    const longitudes = LongitudeArc.from(southWest.longitude, northEast.longitude);
    return new CoordinateBounds(southWest.latitude, northEast.latitude, longitudes);
  }

  /** Returns the box with these opposite corners, in any order. Of the two possible boxes, it is the narrower one. */
  static around(first, second) {
    return new CoordinateBounds(
      Math.min(first.latitude, second.latitude), Math.max(first.latitude, second.latitude),
      LongitudeArc.between(first.longitude, second.longitude));
  }

  /** Returns the box of [west, south, east, north], as in TileJSON. */
  static box([west, south, east, north]) {
    return new CoordinateBounds(south, north, LongitudeArc.from(west, east));
  }

  get southWest() {
    return { latitude: this.south, longitude: this.longitudes.west };
  }

  get northEast() {
    return { latitude: this.north, longitude: this.longitudes.east };
  }

  contains({ latitude, longitude }) {
    return this.south <= latitude && latitude <= this.north && this.longitudes.contains(longitude);
  }

  /** Reports whether the boxes have a common point. Touching edges count. */
  intersects(other) {
    return this.south <= other.north && other.south <= this.north && this.longitudes.intersects(other.longitudes);
  }

  /** Returns the narrowest box that contains both. */
  including(other) {
    return new CoordinateBounds(
      Math.min(this.south, other.south), Math.max(this.north, other.north), this.longitudes.union(other.longitudes));
  }
}
