// @ts-check
/** From which part of the way to the next zoom on its tiles are seen too. */
export const fade = 0.75;

const measures = [
  (row) => row.across,
  (row) => Math.sqrt(row.across * row.along),
  (row) => row.along,
];

/**
 * Which zooms the rows of a view take their tiles from, as MapRenderer's LevelRule has it.
 *
 * Near rows are of the zoom that follows from the camera's (docs/spec/model.md 3.5). Where a pixel sees more than two
 * texels, tiles of a coarser zoom take over; just before, the two fade into each other.
 */
export class LevelRule {
  /**
   * `zoom` is the deepest, `minZoom` the coarsest there is, `tileSize` the pixels along the edge of a tile; `measure` is
   * what counts as the size of a pixel's image: 0 its shorter side, 1 the mean, 2 the longer side. `reach` is how many zooms
   * coarser than the coarsest the far rows may want it; those that want more stay empty.
   */
  constructor({ zoom, minZoom, tileSize, measure = 0, reach = Infinity }) {
    this.zoom = zoom;
    this.minZoom = minZoom;
    this.tileSize = tileSize;
    this.measure = measure;
    this.reach = reach;
  }

  /** The levels of a row of which `footprint` is known, finest first: {zoom, weight}; the weights add up to 1. */
  levels(footprint) {
    const coarser = Math.max(0, Math.log2(measures[this.measure](footprint) * 2 ** this.zoom * this.tileSize));
    const drop = Math.floor(coarser);
    if (this.zoom - drop - this.minZoom < -this.reach) return [];
    const zoom = Math.max(this.zoom - drop, this.minZoom);
    const next = this.zoom - drop > this.minZoom ? Math.max(0, (coarser - drop - fade) / (1 - fade)) : 0;
    if (next === 0) return [{ zoom, weight: 1 }];
    return [{ zoom, weight: 1 - next }, { zoom: zoom - 1, weight: next }];
  }

  /**
   * The next rule to try where this one needs too many tiles: first the far ones become coarser, then all; where there are
   * no coarser ones, the farthest stay empty. Null after the last.
   */
  get coarser() {
    if (this.measure < 2) return new LevelRule({ ...this, measure: this.measure + 1 });
    if (this.zoom > this.minZoom) return new LevelRule({ ...this, zoom: this.zoom - 1 });
    if (this.reach > 0) return new LevelRule({ ...this, reach: Math.min(this.reach, 9) - 1 });
    return null;
  }
}

/**
 * The whole zoom of tiles for a camera's fractional one: that of tiles of `tileSize` pixels on a screen of `scale` pixels a
 * point, rounded, halves up, or by the rule "floor" the next below (docs/spec/model.md 3.5, Q6).
 */
export function tileZoom(cameraZoom, scale, tileSize, rule = "round") {
  const exact = cameraZoom + Math.log2((256 * scale) / tileSize);
  return Math.min(Math.max(Math.floor(rule === "floor" ? exact : exact + 0.5), 0), 30);
}
