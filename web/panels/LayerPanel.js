// @ts-check
import { absenceOf, absenceText } from "../map/absence.js";
import { element } from "./element.js";
import { catalogRow, shownRow } from "./layerRows.js";

/** The layers tab: the shown layers, and a list of all maps and layers of the server. */
export class LayerPanel {
  content = element("div", { className: "layers" });
  #stack;
  #actions;
  #wanted = "";
  /** Rows of the list by layer. A row stays when the user searches, so its picture is not loaded again. */
  #rows = new Map();
  /** Why the view has no tiles of a shown layer, by the layer's id. */
  #absences = new Map();
  #shown = element("ul", { className: "stack" });
  #nothing = element("p", { className: "hint", text: "No layer is shown. Choose a map or a layer below." });
  #maps = element("ul", { className: "catalog" });
  #layers = element("ul", { className: "catalog" });
  #mapsHead = element("h3", { text: "Maps" });
  #layersHead = element("h3", { text: "Layers" });
  #none = element("p", { className: "hint", text: "No layer matches the search." });

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
      this.#rows.clear();
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
    for (const id of changed) this.#showAbsence(id);
  }

  #showAbsence(id) {
    const absence = this.#absences.get(id) ?? null;
    const text = absence ? absenceText(absence, this.#stack.entries.get(id).document) : "";
    /** @type {NodeListOf<HTMLElement>} */
    const notes = this.content.querySelectorAll(`[data-layer="${id}"] .away`);
    for (const note of notes) {
      note.hidden = absence === null;
      const sentence = note.querySelector("span");
      if (sentence) sentence.textContent = text;
      else note.textContent = "Not here";
    }
  }

  /** Shows or hides a layer's problem. */
  showProblem(layer) {
    /** @type {NodeListOf<HTMLElement>} */
    const rows = this.content.querySelectorAll(`[data-layer="${layer.id}"] .problem`);
    for (const row of rows) {
      row.hidden = !layer.problem;
      row.textContent = layer.problem ?? "";
    }
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
      for (const id of this.#absences.keys()) this.#showAbsence(id);
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
      list.replaceChildren(...layers.map((layer) => this.#row(layer)));
      head.hidden = layers.length === 0;
    };
    fill(this.#maps, this.#mapsHead, found.filter((layer) => layer.isMap));
    fill(this.#layers, this.#layersHead, found.filter((layer) => !layer.isMap));
    this.#none.hidden = found.length > 0;
    this.#showStack();
    for (const id of this.#absences.keys()) this.#showAbsence(id);
  }

  #row(layer) {
    if (!this.#rows.has(layer)) this.#rows.set(layer, catalogRow(layer, this.#stack));
    return this.#rows.get(layer);
  }
}
