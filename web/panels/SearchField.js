// @ts-check
import { readPlace } from "../input/placeText.js";
import { button, element } from "./element.js";

/** @typedef {import("../input/placeText.js").Place} Place */

/**
 * The field that finds layers by their names, and places by coordinates. While the text is a place, the field offers to
 * go there. Otherwise the text filters the list of layers.
 */
export class SearchField {
  content;
  #actions;
  #input = element("input", {
    type: "search", autocomplete: "off", spellcheck: false, placeholder: "Search layers, or 47.37, 8.54",
    "aria-label": "Search layers, or go to coordinates", "aria-describedby": "search-note", oninput: () => this.#read(),
  });
  #offers = element("div", { className: "offers", hidden: true });
  #note = element("p", { className: "problem", id: "search-note", role: "status" });

  /**
   * `actions.filter(text)` shows the layers whose name contains the text, and returns their number. `actions.go(place)`
   * shows a place.
   *
   * @param {{ filter(text: string): number, go(place: Place): void }} actions
   */
  constructor(actions) {
    this.#actions = actions;
    this.content = element("form", { className: "search", role: "search", onsubmit: (event) => this.#submit(event) }, [
      this.#input, this.#offers, this.#note,
    ]);
  }

  #read() {
    const { places, problem } = readPlace(this.#input.value);
    this.#note.textContent = "";
    this.#offers.replaceChildren(...places.map((place) => button(`Go to ${place.label}`, () => this.#go(place))));
    this.#offers.hidden = places.length === 0;
    const found = this.#actions.filter(places.length > 0 ? "" : this.#input.value);
    // Half a coordinate should not empty the list.
    if (found === 0 && problem) this.#actions.filter("");
    return { places, problem, found };
  }

  #submit(event) {
    event.preventDefault();
    const { places, problem, found } = this.#read();
    // Half a coordinate is no mistake while the user types, so a problem waits for Enter.
    if (places.length > 0) this.#go(places[0]);
    else this.#note.textContent = found > 0 ? "" : (problem ?? "No layer has this name.");
  }

  #go(place) {
    this.#note.textContent = Math.abs(place.latitude) > 85.06 ? "The map ends at latitude 85." : "";
    this.#actions.go(place);
  }
}
