import { MapView, standardRules } from "../geometry/MapView.js";
import { Viewport } from "../geometry/Viewport.js";
import { project, unproject } from "../geometry/mercator.js";
import { tileZoom } from "../map/LevelRule.js";

/** Pixels from the centre of a compared square to its edge, and the maximum shift of the square in pixels. */
const [reach, most] = [8, 1.5];

/** Returns the points of tile corners near a camera's target in a view, without points near the view's edges. */
export function crossings(camera, width, height) {
  const view = new MapView(standardRules, new Viewport(width, height));
  const projection = view.projection(camera);
  const span = 2 ** tileZoom(camera.zoom, 1, 256);
  const target = project(camera);
  const steps = [-3, -2, -1, 0, 1, 2, 3, 4];
  const margin = reach + most + 1;
  return steps.flatMap((column) => steps.map((row) => {
    const corner = { x: (Math.floor(target.x * span) + column) / span, y: (Math.floor(target.y * span) + row) / span };
    return projection.pointFor(unproject(corner));
  })).filter((point) => point && point.x > margin && point.x < width - margin && point.y > margin && point.y < height - margin);
}

/**
 * Returns the number of pixels by which the surroundings of each point in one image must be shifted to look like
 * another image: the maximum, and the number of points with visible surroundings.
 */
export function greatestShift(first, second, points) {
  let [shift, count] = [0, 0];
  for (const { x, y } of points) {
    const [middleX, middleY] = [Math.round(x), Math.round(y)];
    let best = { unlikeness: Infinity };
    for (let right = -most; right <= most; right += 0.25) {
      for (let down = -most; down <= most; down += 0.25) {
        const unlikeness = unlike(first, second, middleX, middleY, right, down);
        if (unlikeness < best.unlikeness) best = { unlikeness, distance: Math.hypot(right, down) };
      }
    }
    // Without any content every shift is equally good.
    if (unlike(first, second, middleX, middleY, most, most) < best.unlikeness + 1000) continue;
    count += 1;
    shift = Math.max(shift, best.distance);
  }
  return { shift, count };
}

function unlike(first, second, middleX, middleY, right, down) {
  let sum = 0;
  for (let y = middleY - reach; y <= middleY + reach; y += 1) {
    for (let x = middleX - reach; x <= middleX + reach; x += 1) {
      sum += (level(first, x, y) - between(second, x + right, y + down)) ** 2;
    }
  }
  return sum;
}

/** Returns the green of a pixel. The grid's red lines are dark in green. */
function level({ width, pixels }, x, y) {
  return pixels[(y * width + x) * 3 + 1];
}

function between(image, x, y) {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [across, down] = [x - left, y - top];
  const row = (at) => level(image, left, at) * (1 - across) + level(image, left + 1, at) * across;
  return row(top) * (1 - down) + row(top + 1) * down;
}
