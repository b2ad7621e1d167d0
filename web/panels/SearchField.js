// @ts-check
import { placesNamed } from "../input/namedPlaces.js";
import { readPlace } from "../input/placeText.js";
import { button, element } from "./element.js";

/** @typedef {import("../input/placeText.js").Place} Place */

/**
 * The field that finds layers by their names, and places by coordinates or by their names. The field offers to go to the
 * places that it finds. A text that is no coordinates also filters the list of layers.
 */
export class SearchField {
  content;
  #actions;
  /** The named places, once the server has sent them. */
  #names = [];
  /** @type {Promise<void> | null} */
  #request = null;
  #input = element("input", {
    type: "search", autocomplete: "off", spellcheck: false, placeholder: "Search places and layers",
    "aria-label": "Search places and layers, or coordinates such as 47.37, 8.54", "aria-describedby": "search-note", oninput: () => this.#typed(),
  });
  #offers = element("div", { className: "offers", hidden: true });
  #note = element("p", { className: "problem", id: "search-note", role: "status" });

  /**
   * `actions.filter(text)` shows the layers whose name contains the text, and returns their number. `actions.go(place)`
   * shows a place. `actions.places()` resolves to the rows of places.json.
   *
   * @param {{ filter(text: string): number, go(place: Place): void, places(): Promise<[string, number, number, number][]> }} actions
   */
  constructor(actions) {
    this.#actions = actions;
    this.content = element("form", { className: "search", role: "search", onsubmit: (event) => this.#submit(event) }, [
      this.#input, this.#offers, this.#note,
    ]);
  }

  /** Removes the note, which describes the text before. The arrival of names keeps the note, because the text is the same. */
  #typed() {
    this.#note.textContent = "";
    this.#read();
  }

  #read() {
    const { places: exact, problem } = readPlace(this.#input.value);
    const places = exact.length > 0 ? exact : placesNamed(this.#names, this.#input.value);
    if (exact.length === 0 && this.#input.value.trim().length > 1) this.#loadNames();
    this.#offers.replaceChildren(...places.map((place) => button(`Go to ${place.label}`, () => this.#go(place))));
    this.#offers.hidden = places.length === 0;
    const found = this.#actions.filter(exact.length > 0 ? "" : this.#input.value);
    // Half a coordinate should not empty the list.
    if (found === 0 && problem) this.#actions.filter("");
    return { places, problem, found };
  }

  async #submit(event) {
    event.preventDefault();
    const text = this.#input.value;
    const { problem, found } = this.#read();
    if (found === 0 && problem === null) {
      // The text may be the name of a place, and the user may press Enter before the names arrive.
      await this.#loadNames();
      if (this.#input.value !== text) return;
    }
    const { places } = this.#read();
    // Half a coordinate is no mistake while the user types, so a problem waits for Enter.
    if (places.length > 0) this.#go(places[0]);
    else this.#note.textContent = found > 0 ? "" : (problem ?? "No place and no layer has this name.");
  }

  /** Requests the named places once, when the user first types a name. Resolves when the names are known. */
  #loadNames() {
    this.#request ??= this.#takeNames();
    return this.#request;
  }

  async #takeNames() {
    this.#names = await this.#actions.places();
    // The user has typed more by now, or has gone to a layer.
    if (this.content.contains(document.activeElement)) this.#read();
  }

  #go(place) {
    this.#note.textContent = Math.abs(place.latitude) > 85.06 ? "The map ends at latitude 85." : "";
    this.#actions.go(place);
  }
}
