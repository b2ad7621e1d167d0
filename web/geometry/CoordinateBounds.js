// @ts-check
import { CameraError } from "./CameraError.js";
import { LongitudeArc } from "./LongitudeArc.js";

/** A box of latitudes and longitudes, edges included, that may cross the antimeridian: the SDK's GMSCoordinateBounds. */
export class CoordinateBounds {
  /** `longitudes` is a LongitudeArc; `south` is not above `north`. */
  constructor(south, north, longitudes) {
    this.south = south;
    this.north = north;
    this.longitudes = longitudes;
  }

  /** The box between two corners; an eastern longitude below the western one crosses the antimeridian. */
  static corners(southWest, northEast) {
    if (southWest.latitude > northEast.latitude) throw new CameraError("southAboveNorth");
    const longitudes = LongitudeArc.from(southWest.longitude, northEast.longitude);
    return new CoordinateBounds(southWest.latitude, northEast.latitude, longitudes);
  }

  /** The box with these opposite corners, in any order, that spans the fewer longitudes. */
  static around(first, second) {
    return new CoordinateBounds(
      Math.min(first.latitude, second.latitude), Math.max(first.latitude, second.latitude),
      LongitudeArc.between(first.longitude, second.longitude));
  }

  /** From [west, south, east, north], as TileJSON has them. */
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

  /** Whether both hold a place in common; edges that touch do. */
  intersects(other) {
    return this.south <= other.north && other.south <= this.north && this.longitudes.intersects(other.longitudes);
  }

  /** The narrowest bounds that hold both. */
  including(other) {
    return new CoordinateBounds(
      Math.min(this.south, other.south), Math.max(this.north, other.north), this.longitudes.union(other.longitudes));
  }
}
