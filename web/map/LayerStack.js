// @ts-check
/**
 * Which layers and maps are shown over one another. Events: "change" when the stack or an opacity is another, "layers" when the
 * server has others.
 */
export class LayerStack extends EventTarget {
  /** All that the server has, by id, in its order. */
  entries = new Map();
  /** What is shown, the lowest first. */
  shown = [];

  /** Takes the server's documents: `make(document)` makes a MapLayer of one that is new. */
  setDocuments(documents, make) {
    const before = this.entries;
    this.entries = new Map(documents.map((document) => {
      const layer = before.get(document.id) ?? make(document);
      layer.update(document);
      return [document.id, layer];
    }));
    for (const [id, layer] of before) {
      if (!this.entries.has(id)) layer.tiles.clear();
    }
    this.shown = this.shown.filter((layer) => this.entries.get(layer.id) === layer);
    this.dispatchEvent(new Event("layers"));
    this.#changed();
  }

  /** Shows exactly these, the lowest first: {id, opacity}. Those that the server does not have are left out. */
  setShown(list) {
    for (const layer of this.shown) layer.isVisible = false;
    this.shown = [];
    for (const { id, opacity } of list) {
      const layer = this.entries.get(id);
      if (!layer || this.shown.includes(layer)) continue;
      Object.assign(layer, { isVisible: true, opacity });
      this.shown.push(layer);
    }
    this.#changed();
  }

  /** Shows a layer above those of its own zIndex and less. */
  show(layer) {
    if (this.shown.includes(layer)) return;
    const zIndex = (each) => each.document.zIndex ?? 0;
    const above = this.shown.findIndex((each) => zIndex(each) > zIndex(layer));
    this.shown.splice(above < 0 ? this.shown.length : above, 0, layer);
    layer.isVisible = true;
    this.#changed();
  }

  hide(layer) {
    this.shown = this.shown.filter((each) => each !== layer);
    layer.isVisible = false;
    this.#changed();
  }

  /** Moves a layer to another place, counted from the lowest. */
  move(layer, place) {
    const others = this.shown.filter((each) => each !== layer);
    others.splice(Math.min(Math.max(place, 0), others.length), 0, layer);
    this.shown = others;
    this.#changed();
  }

  /** `opacity` is in 0…1. */
  setOpacity(layer, opacity) {
    layer.opacity = opacity;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
