// @ts-check
import { readHash, writeHash } from "./hash.js";

/** Milliseconds after the camera has come to rest until the address says where: browsers allow few changes a second. */
const delay = 300;

/** The page's address: which layer it is about, and in its hash the camera and what is shown. */
export class AddressBar {
  /** What is shown where the hash says nothing of it: {id, opacity}, the lowest first. */
  home = [];
  #map;
  #stack;
  #timer = 0;
  #written = null;

  constructor(map, stack) {
    [this.#map, this.#stack] = [map, stack];
  }

  /** The last part of the path: a layer's or a map's id, or empty. */
  get id() {
    return location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  }

  /** Writes what changes into the hash from now on, and follows a hash that the user changes. */
  follow() {
    this.#map.addEventListener("move", () => this.#plan());
    this.#stack.addEventListener("change", () => this.#plan());
    addEventListener("hashchange", () => this.#read());
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
  }
}
