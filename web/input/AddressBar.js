// @ts-check
import { readHash, writeHash } from "./hash.js";

/** Milliseconds between the end of a movement and the change of the address. Browsers allow few changes a second. */
const delay = 300;

/** The page's address. Its path names the layer, and its hash contains the camera and the shown layers. */
export class AddressBar {
  /** The shown layers if the hash names none: {id, opacity}, from the lowest up. */
  home = [];
  /**
   * Is called with the ids of the layers that a hash names.
   *
   * @type {(ids: string[]) => void}
   */
  onLayers = () => {};
  #map;
  #stack;
  #timer = 0;
  #written = null;

  constructor(map, stack) {
    [this.#map, this.#stack] = [map, stack];
  }

  /** The last part of the path: the id of a layer or map, or empty. */
  get id() {
    return location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  }

  /** Starts to write changes into the hash, and to follow a hash that the user changes. */
  follow() {
    this.#map.addEventListener("move", () => this.#plan());
    this.#stack.addEventListener("change", () => this.#plan());
    addEventListener("hashchange", () => this.#read());
    // The hash may have another form, or unknown layers.
    if (location.hash !== "") this.#plan();
  }

  #plan() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), delay);
  }

  #write() {
    const shown = this.#stack.shown.map(({ id, opacity }) => ({ id, opacity }));
    const isHome = JSON.stringify(shown) === JSON.stringify(this.home);
    this.#written = writeHash(this.#map.camera, isHome ? null : shown);
    history.replaceState(null, "", this.#written);
  }

  #read() {
    if (location.hash === this.#written) return;
    const { camera, layers } = readHash(location.hash);
    if (camera) this.#map.camera = camera;
    if (camera || layers) this.#stack.setShown(layers ?? this.home);
    if (layers) this.onLayers(layers.map(({ id }) => id));
    this.#plan();
  }
}
