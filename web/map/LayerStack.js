// @ts-check
/**
 * The layers and maps that the page shows over each other. Events: "change" after a change of the stack or of an
 * opacity, "layers" after a change of the server's layers.
 */
export class LayerStack extends EventTarget {
  /** All layers and maps of the server by id, in the server's order. */
  entries = new Map();
  /** The shown layers, from the lowest up. */
  shown = [];

  /** Takes the server's documents. `make(document)` makes a MapLayer of a new one. */
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

  /** Shows exactly these layers, {id, opacity}, from the lowest up. Ids that the server does not have are skipped. */
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

  /** Shows a layer above all layers with the same zIndex or less. */
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

  /** Moves a layer to another place. Place 0 is the lowest. */
  move(layer, place) {
    const others = this.shown.filter((each) => each !== layer);
    others.splice(Math.min(Math.max(place, 0), others.length), 0, layer);
    this.shown = others;
    this.#changed();
  }

  /** Sets the opacity of a layer, in 0…1. */
  setOpacity(layer, opacity) {
    layer.opacity = opacity;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
