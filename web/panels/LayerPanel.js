// @ts-check
import { absenceOf } from "../map/absence.js";
import { element } from "./element.js";
import { catalogRow, shownRow } from "./layerRows.js";
import { showNotes } from "./rowNotes.js";

/** The layers tab: the shown layers, and a list of all maps and layers of the server. */
export class LayerPanel {
  content = element("div", { className: "layers" });
  #stack;
  #actions;
  #wanted = "";
  /**
   * Rows of the list by layer, each with its document as text. A row stays until the document changes, so its picture is
   * not loaded again when the user searches.
   */
  #rows = new Map();
  /** Why the view has no tiles of a shown layer, by the layer's id. */
  #absences = new Map();
  #shown = element("ul", { className: "stack" });
  #nothing = element("p", { className: "hint", text: "No layer is shown. Choose a map or a layer below." });
  #maps = element("ul", { className: "catalog" });
  #layers = element("ul", { className: "catalog" });
  #mapsHead = element("h3", { text: "Maps" });
  #layersHead = element("h3", { text: "Layers" });
  #none = element("p", { className: "hint", text: "No layer has this name." });

  /**
   * `actions.fit(layer)` shows a layer's bounds, `actions.goTo(layer)` moves to a place with tiles of the layer, and
   * `actions.use(layer)` shows how programs use the layer.
   */
  constructor(stack, actions) {
    this.#stack = stack;
    this.#actions = actions;
    this.content.append(
      element("h3", { text: "Shown" }), this.#shown, this.#nothing, this.#mapsHead, this.#maps, this.#layersHead,
      this.#layers, this.#none);
    stack.addEventListener("change", () => this.#showStack());
    stack.addEventListener("layers", () => {
      for (const layer of this.#rows.keys()) if (stack.entries.get(layer.id) !== layer) this.#rows.delete(layer);
      this.#showCatalog();
    });
    this.#showStack();
    this.#showCatalog();
  }

  /** Lists the maps and layers whose id or name contains a text. Returns their number. */
  filter(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted !== this.#wanted) {
      this.#wanted = wanted;
      this.#showCatalog();
      // Many shown layers would push the results out of sight.
      if (wanted !== "") this.content.querySelector(".catalog > li")?.scrollIntoView({ block: "nearest" });
    }
    return this.#maps.children.length + this.#layers.children.length;
  }

  /** Says with each shown layer whether the view has none of its tiles. `plans` are the plans of a frame. */
  showAbsences(plans) {
    const found = new Map(plans.map(({ layer, plan }) => [layer.id, absenceOf(plan)]));
    const changed = new Set([...found.keys(), ...this.#absences.keys()].filter((id) =>
      (found.get(id) ?? null) !== (this.#absences.get(id) ?? null)));
    this.#absences = found;
    for (const id of changed) this.#showNotes(id);
  }

  /** Shows or hides a layer's problem. */
  showProblem(layer) {
    this.#showNotes(layer.id);
  }

  #showNotes(id) {
    const layer = this.#stack.entries.get(id);
    /** @type {NodeListOf<HTMLElement>} */
    const rows = this.content.querySelectorAll(`li[data-layer="${id}"]`);
    for (const row of layer ? rows : []) showNotes(row, layer, this.#absences.get(id) ?? null);
  }

  #showStack() {
    const { shown } = this.#stack;
    // Reuses the rows of remaining layers, so that a slider in use keeps the focus.
    const present = /** @type {HTMLElement[]} */ ([...this.#shown.children]);
    const kept = new Map(present.map((row) => [row.dataset.layer, row]));
    const rowOf = (layer) => {
      const row = kept.get(layer.id);
      return row?.dataset.name === layer.name ? row : shownRow(layer, this.#stack, this.#actions);
    };
    const rows = [...shown].reverse().map(rowOf);
    if (rows.some((row, index) => this.#shown.children[index] !== row) || rows.length !== this.#shown.children.length) {
      const focused = /** @type {HTMLElement} */ (document.activeElement);
      this.#shown.replaceChildren(...rows);
      if (this.#shown.contains(focused)) focused.focus();
      for (const id of new Set([...kept.keys(), ...shown.map((layer) => layer.id)])) this.#showNotes(id);
    }
    this.#nothing.hidden = shown.length > 0;
    /** @type {NodeListOf<HTMLInputElement>} */
    const boxes = this.content.querySelectorAll("input[data-shows]");
    for (const box of boxes) {
      box.checked = shown.some((layer) => layer.id === box.dataset.shows);
    }
  }

  #showCatalog() {
    const found = [...this.#stack.entries.values()].filter((layer) =>
      layer.id.includes(this.#wanted) || layer.name.toLowerCase().includes(this.#wanted));
    const fill = (list, head, layers) => {
      const rows = layers.map((layer) => this.#row(layer));
      // Replacing the same rows would take the focus from them.
      const isSame = rows.length === list.children.length && rows.every((row, index) => row === list.children[index]);
      if (!isSame) list.replaceChildren(...rows);
      head.hidden = layers.length === 0;
    };
    fill(this.#maps, this.#mapsHead, found.filter((layer) => layer.isMap));
    fill(this.#layers, this.#layersHead, found.filter((layer) => !layer.isMap));
    this.#none.hidden = found.length > 0;
    this.#showStack();
  }

  #row(layer) {
    const text = JSON.stringify(layer.document);
    const kept = this.#rows.get(layer);
    const row = kept?.text === text ? kept.row : catalogRow(layer, this.#stack, () => this.#showNotes(layer.id));
    this.#rows.set(layer, { row, text });
    // The notes of a row outside the list are not kept up to date.
    showNotes(row, layer, this.#absences.get(layer.id) ?? null);
    return row;
  }
}
