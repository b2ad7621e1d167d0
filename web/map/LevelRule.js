// @ts-check
/** Fraction of the way to the next zoom from which on tiles of that zoom are visible too. */
export const fade = 0.75;

const measures = [
  (row) => row.across,
  (row) => Math.sqrt(row.across * row.along),
  (row) => row.along,
];

/**
 * The rule that gives rows of the view their zooms of tiles, like MapRenderer's LevelRule.
 *
 * Near rows use the zoom that follows from the camera's zoom (docs/spec/model.md 3.5). If a pixel sees more than two
 * texels, the row uses tiles of a coarser zoom. Just before that, both zooms fade into each other.
 */
export class LevelRule {
  /**
   * `zoom` is the finest zoom, `minZoom` the coarsest, and `tileSize` a tile's edge in pixels. `measure` selects the
   * size of a pixel's image on the ground: 0 its shorter side, 1 the mean, 2 the longer side. Far rows may need a zoom
   * coarser than `minZoom`, but by at most `reach` zooms. Rows that need more stay empty.
   */
  constructor({ zoom, minZoom, tileSize, measure = 0, reach = Infinity }) {
    this.zoom = zoom;
    this.minZoom = minZoom;
    this.tileSize = tileSize;
    this.measure = measure;
    this.reach = reach;
  }

  /** Returns the levels of a row with this `footprint`, finest first: {zoom, weight}. The weights add up to 1. */
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
   * The next rule to try if this rule needs too many tiles. First the far rows become coarser, then all rows. At the
   * coarsest zoom, the farthest rows stay empty. Null after the last rule.
   */
  get coarser() {
    if (this.measure < 2) return new LevelRule({ ...this, measure: this.measure + 1 });
    if (this.zoom > this.minZoom) return new LevelRule({ ...this, zoom: this.zoom - 1 });
    if (this.reach > 0) return new LevelRule({ ...this, reach: Math.min(this.reach, 9) - 1 });
    return null;
  }
}

/**
 * Returns the zoom of tiles for a camera's fractional zoom, for tiles of `tileSize` pixels on a screen with `scale`
 * pixels a point. The zoom is rounded, with halves up. The rule "floor" rounds down (docs/spec/model.md 3.5, Q6).
 */
export function tileZoom(cameraZoom, scale, tileSize, rule = "round") {
  const exact = cameraZoom + Math.log2((256 * scale) / tileSize);
  return Math.min(Math.max(Math.floor(rule === "floor" ? exact : exact + 0.5), 0), 30);
}
