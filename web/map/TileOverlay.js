// @ts-check
import { project } from "../geometry/mercator.js";
import { local } from "../text/LocalText.js";
import { originOf } from "./cacheStatus.js";
import { fontSize, placeLabels } from "./tileLabels.js";

/** Minimum width of a tile, in points, for a readable name in it. */
const readable = 70;

/** Draws over a map: the edges of a layer's tiles, their names and origins, and a box. Owns its canvas. */
export class TileOverlay {
  /** The MapLayer whose tiles are marked. */
  layer = null;
  hasGrid = false;
  hasOrigins = false;
  /** CoordinateBounds, or null. */
  box = null;
  /** {z, x, y} of the highlighted tile, or null. */
  selected = null;
  #context;
  #covered;

  /** `covered()` returns the boxes of the elements over the map, under which no name is written. */
  constructor(canvas, map, covered = () => []) {
    this.#context = canvas.getContext("2d");
    this.#covered = covered;
    map.addEventListener("frame", ({ detail }) => this.#draw(detail));
  }

  #draw({ ground, plans }) {
    const { canvas } = this.#context;
    const plan = plans.find((each) => each.layer === this.layer)?.plan;
    const hasTiles = plan && (this.hasGrid || this.hasOrigins || this.selected);
    // Hide an empty canvas, because the browser composes it at full cost.
    canvas.hidden = !hasTiles && !this.box;
    if (canvas.hidden) return;
    if (canvas.width !== ground.width || canvas.height !== ground.height) {
      Object.assign(canvas, { width: ground.width, height: ground.height });
    }
    this.#context.setTransform(ground.scale, 0, 0, ground.scale, 0, 0);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    if (hasTiles) this.#drawTiles(ground, plan);
    if (this.box) this.#drawBox(ground.projection);
  }

  #drawTiles(ground, plan) {
    /** @type {import("./tileLabels.js").Label[]} */
    const labels = [];
    for (const cover of plan.covers) {
      const context = this.#context;
      const [first, last] = cover.rows;
      context.save();
      context.beginPath();
      context.rect(0, first / ground.scale, ground.width / ground.scale, (last + 1 - first) / ground.scale);
      context.clip();
      const [top, bottom] = [first / ground.scale, (last + 1) / ground.scale];
      for (const place of cover.tiles) {
        const label = this.#drawTile(ground.projection, cover, place);
        // Beyond these rows the view shows another tile at the label's place.
        if (label && top <= label.y && label.y <= bottom) labels.push(label);
      }
      context.restore();
    }
    this.#context.font = `${fontSize}px system-ui, sans-serif`;
    const widthOf = (text) => this.#context.measureText(text).width;
    for (const label of placeLabels(labels, widthOf, labels.length > 0 ? this.#covered() : [])) this.#write(label);
  }

  /** Draws a tile's edges and its origin. Returns its label, or null for a tile without one. */
  #drawTile(projection, cover, place) {
    const isSelected = this.selected && ["z", "x", "y"].every((key) => this.selected[key] === place[key]);
    if (!this.hasGrid && !this.hasOrigins && !isSelected) return null;
    const [x, y] = [(place.column - cover.target.x) / cover.span, (place.row - cover.target.y) / cover.span];
    const side = 1 / cover.span;
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([across, down]) =>
      projection.pointAt({ x: x + across * side, y: y + down * side }));
    if (corners.includes(null)) return null;
    const tile = this.layer.tiles.get(place);
    const origin = tile && this.hasOrigins ? originOf(tile) : null;
    this.#trace(corners);
    const context = this.#context;
    if (origin) {
      context.fillStyle = `${origin.color}59`;
      context.fill();
    }
    context.strokeStyle = isSelected ? "#ffb300" : "#20242899";
    context.lineWidth = isSelected ? 3 : 1;
    context.stroke();
    const middle = projection.pointAt({ x: x + side / 2, y: y + side / 2 });
    const width = Math.hypot(corners[1].x - corners[0].x, corners[1].y - corners[0].y);
    const lines = this.#lines(place, tile, origin);
    return middle && width > readable && lines.length > 0 ? { ...middle, width, height: meanHeight(corners), lines, isSelected } : null;
  }

  #lines(place, tile, origin) {
    const lines = this.hasGrid ? [`${place.z}/${place.x}/${place.y}`] : [];
    if (origin) lines.push(origin.name, `${local.number(tile.answer.milliseconds)} ms`);
    return lines;
  }

  /** @param {import("./tileLabels.js").PlacedLabel} label */
  #write({ x, y: middle, spacing, lines }) {
    const context = this.#context;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = "#ffffffd9";
    context.fillStyle = "#14181c";
    lines.forEach((line, index) => {
      const y = middle + (index - (lines.length - 1) / 2) * spacing;
      context.strokeText(line, x, y);
      context.fillText(line, x, y);
    });
  }

  #drawBox(projection) {
    const { west, width } = this.box.longitudes;
    const steps = 16;
    const points = [];
    const add = (longitude, latitude) => points.push(pointNear(projection, longitude, latitude, west + width / 2));
    for (let step = 0; step < steps; step += 1) add(west + (width * step) / steps, this.box.north);
    add(west + width, this.box.north);
    for (let step = steps; step > 0; step -= 1) add(west + (width * step) / steps, this.box.south);
    add(west, this.box.south);
    if (points.includes(null)) return;
    this.#trace(points);
    const context = this.#context;
    context.fillStyle = "#1a73e826";
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = "#1a73e8";
    context.stroke();
  }

  #trace(points) {
    const context = this.#context;
    context.beginPath();
    points.forEach(({ x, y }, index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
  }
}

/** Returns the mean height of a polygon: its area, by the shoelace formula, divided by its width. */
function meanHeight(corners) {
  const columns = corners.map(({ x }) => x);
  const doubled = corners.reduce((sum, { x, y }, index) => {
    const next = corners[(index + 1) % corners.length];
    return sum + x * next.y - next.x * y;
  }, 0);
  return Math.abs(doubled) / 2 / (Math.max(...columns) - Math.min(...columns));
}

/**
 * Returns the point of a place, in the copy of the world in which `middle` is nearest to the target, or null behind the
 * camera.
 */
function pointNear(projection, longitude, latitude, middle) {
  const copies = Math.round(project({ latitude: 0, longitude: middle }).x - projection.target.x);
  const place = project({ latitude, longitude });
  return projection.pointAt({ x: place.x - projection.target.x - copies, y: place.y - projection.target.y });
}
