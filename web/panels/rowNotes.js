// @ts-check
import { absenceText } from "../map/absence.js";

/** @typedef {import("../map/absence.js").Absence} Absence */

/**
 * Shows in a layer's row why tiles are not available, and whether the view has none of them. The row of a shown layer in
 * the list leaves the problem to the row of the stack.
 *
 * @param {HTMLElement} row
 * @param {import("../map/MapLayer.js").MapLayer & { problem?: string }} layer
 * @param {Absence | null} absence
 */
export function showNotes(row, layer, absence) {
  /** @type {HTMLElement} */
  const away = row.querySelector(".away");
  away.hidden = absence === null;
  // A row of the stack has space for the reason, beside its button.
  const sentence = away.querySelector("span");
  /** @type {HTMLElement} */
  const problem = row.querySelector(".problem");
  problem.textContent = layer.problem ?? "";
  problem.hidden = !layer.problem || (sentence === null && layer.isVisible);
  if (sentence) sentence.textContent = absence ? absenceText(absence, layer.document) : "";
  else away.textContent = "Not here";
}
