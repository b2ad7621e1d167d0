// @ts-check
import { element } from "./element.js";
import { catalogRow, shownRow } from "./layerRows.js";

/** The layers tab: the shown layers, and a searchable list of all maps and layers of the server. */
export class LayerPanel {
  content = element("div", { className: "layers" });
  #stack;
  #actions;
  #search = element("input", {
    type: "search", placeholder: "Search layers", "aria-label": "Search layers", oninput: () => this.#showCatalog(),
  });
  #shown = element("ul", { className: "stack" });
  #nothing = element("p", { className: "hint", text: "No layer is shown. Choose a map or a layer below." });
  #maps = element("ul", { className: "catalog" });
  #layers = element("ul", { className: "catalog" });
  #mapsHead = element("h3", { text: "Maps" });
  #layersHead = element("h3", { text: "Layers" });
  #none = element("p", { className: "hint", text: "No layer matches the search." });

  /** `actions.fit(layer)` shows a layer's bounds, and `actions.use(layer)` shows how programs use the layer. */
  constructor(stack, actions) {
    this.#stack = stack;
    this.#actions = actions;
    this.content.append(
      element("h3", { text: "Shown" }), this.#shown, this.#nothing, this.#search, this.#mapsHead, this.#maps, this.#layersHead,
      this.#layers, this.#none);
    stack.addEventListener("change", () => this.#showStack());
    stack.addEventListener("layers", () => this.#showCatalog());
    this.#showStack();
    this.#showCatalog();
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
    }
    this.#nothing.hidden = shown.length > 0;
    /** @type {NodeListOf<HTMLInputElement>} */
    const boxes = this.content.querySelectorAll("input[data-shows]");
    for (const box of boxes) {
      box.checked = shown.some((layer) => layer.id === box.dataset.shows);
    }
  }

  #showCatalog() {
    const wanted = this.#search.value.trim().toLowerCase();
    const found = [...this.#stack.entries.values()].filter((layer) =>
      layer.id.includes(wanted) || layer.name.toLowerCase().includes(wanted));
    const fill = (list, head, layers) => {
      list.replaceChildren(...layers.map((layer) => catalogRow(layer, this.#stack)));
      head.hidden = layers.length === 0;
    };
    fill(this.#maps, this.#mapsHead, found.filter((layer) => layer.isMap));
    fill(this.#layers, this.#layersHead, found.filter((layer) => !layer.isMap));
    this.#none.hidden = found.length > 0;
    this.#showStack();
  }
}
