// @ts-check
import { pointsPerMetre } from "../geometry/mercator.js";
import { local } from "../text/LocalText.js";

/** Returns the longest round length of at most `most` points at a camera's target: {label, points}. */
export function scaleBar({ latitude, zoom }, most = 110) {
  const scale = pointsPerMetre(latitude) * 2 ** zoom;
  const longest = most / scale;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = [5, 2, 1].find((digit) => digit * power <= longest) * power;
  return { label: label(metres), points: metres * scale };
}

function label(metres) {
  if (metres >= 1000) return `${local.number(Number((metres / 1000).toPrecision(1)))} km`;
  if (metres >= 1) return `${metres} m`;
  return `${Number((metres * 100).toPrecision(1))} cm`;
}
