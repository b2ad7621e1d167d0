// @ts-check
/** Size of the letters in points. All labels have this size, because neighbours of two sizes look like a mistake. */
export const fontSize = 12;

/** Points of a text line, and points between labels. */
const [lineHeight, gap] = [16, 3];

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box in points */
/** @typedef {{ x: number, y: number, width: number, height: number, lines: string[], isSelected?: boolean }} Label at a tile's middle */
/** @typedef {{ x: number, y: number, spacing: number, lines: string[] }} PlacedLabel */

/**
 * Returns the labels of tiles that can be written without overprinting each other. Labels of wide tiles come first. A
 * label that is higher than its tile, or that would meet another one, is written with its first line alone, and otherwise
 * left out. The label of a selected tile comes before all.
 *
 * @param {Label[]} labels `width` and `height` are the tile's width and mean height in points
 * @param {(text: string) => number} widthOf returns the width of a text in points
 * @param {Box[]} [covered] boxes without labels, such as those of panels over the map
 * @returns {PlacedLabel[]}
 */
export function placeLabels(labels, widthOf, covered = []) {
  const taken = [...covered];
  const order = [...labels].sort((first, second) =>
    Number(second.isSelected ?? false) - Number(first.isSelected ?? false) || second.width - first.width || first.y - second.y || first.x - second.x);
  return order.flatMap(({ x, y, height: space, lines, isSelected }) => {
    for (const count of new Set([lines.length, 1])) {
      const [width, height] = [Math.max(...lines.slice(0, count).map(widthOf)) + gap, lineHeight * count];
      if (height > space && !isSelected) continue;
      const box = { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
      if (taken.some((other) => meet(box, other))) continue;
      taken.push(box);
      return [{ x, y, spacing: lineHeight, lines: lines.slice(0, count) }];
    }
    return [];
  });
}

/** @param {Box} first @param {Box} second */
function meet(first, second) {
  return first.left < second.right && second.left < first.right && first.top < second.bottom && second.top < first.bottom;
}
