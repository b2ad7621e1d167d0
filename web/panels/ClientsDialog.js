// @ts-check
import { ClientLayer } from "../clients/ClientLayer.js";
import { hintsFor } from "../clients/addresses.js";
import { clients, groups, likelyBase } from "../clients/clients.js";
import { copyButton } from "./copyButton.js";
import { button, element, field } from "./element.js";
import * as icons from "./icons.js";

/** Key under which the browser stores the choice, for all layers of this server. */
const remembered = "tileserver.client";

/**
 * A dialog with the text that a program needs to use a layer. The user chooses the program, may change the server's
 * URL, and copies the text.
 */
export class ClientsDialog {
  content = element("dialog", { className: "clients", "aria-labelledby": "clients-title" });
  #server;
  #map;
  #layer = null;
  #title = element("h2", { id: "clients-title" });
  #choice = element("select", { autofocus: true, onchange: () => this.#choose() }, groups.map((group) =>
    element("optgroup", { label: group.name }, group.clients.map(({ id, name }) => element("option", { value: id, text: name })))));
  #address = element("input", { type: "url", autocomplete: "off", spellcheck: false, oninput: () => this.#show() });
  #advice = element("p", { className: "hint" });
  #hints = element("div", { className: "hints", role: "status" });
  #problem = element("p", { className: "problem", role: "status" });
  #text = element("code", { className: "listing", tabIndex: 0, role: "region", "aria-label": "Code to copy" });
  #code;

  /** The text begins at the camera of `map`, a MapCanvas. */
  constructor(server, map) {
    this.#server = server;
    this.#map = map;
    this.#code = element("div", { className: "code" }, [this.#text, copyButton(() => this.#text.textContent, "this text")]);
    this.content.append(
      element("header", {}, [this.#title, button("Close", () => this.content.close(), { icon: icons.close })]),
      field("Program", this.#choice), this.#advice, field("URL of the server for this program", this.#address), this.#problem,
      this.#hints, this.#code);
    // A click beside the content hits the dialog element itself.
    this.content.addEventListener("click", (event) => event.target === this.content && this.content.close());
  }

  /** Opens the dialog for a layer or map. */
  open(layer) {
    this.#layer = layer;
    this.#title.textContent = `Use ${layer.name} in …`;
    const wanted = recall();
    this.#choice.value = clients.some(({ id }) => id === wanted) ? wanted : clients[0].id;
    this.#address.value = likelyBase(layer.document, this.#server.base);
    this.#show();
    this.content.showModal();
  }

  #choose() {
    remember(this.#choice.value);
    this.#show();
  }

  #show() {
    const client = clients.find(({ id }) => id === this.#choice.value);
    const layer = this.#layerAt(this.#address.value.trim());
    // The advice does not depend on the address.
    this.#advice.replaceChildren(...marked(client.fails(layer ?? this.#layerAt(this.#server.base))));
    this.#setHints(layer ? hintsFor(client, new URL(layer.base)) : []);
    this.#problem.textContent = layer ? "" : "Expected a URL that begins with https:// or http://.";
    this.#code.hidden = layer === null;
    if (layer) this.#text.textContent = client.snippet(layer);
  }

  /** Returns the layer for programs that find the server at `base`. Null if `base` is no URL. */
  #layerAt(base) {
    try {
      return new ClientLayer(this.#layer.document, base, this.#map.camera);
    } catch {
      // The user is still typing.
      return null;
    }
  }

  /** Replaces the hints only if they changed, because screen readers read new ones aloud. */
  #setHints(hints) {
    const made = hints.map((text) => element("p", {}, marked(text)));
    const isSame = made.length === this.#hints.children.length
      && made.every((each, index) => each.textContent === this.#hints.children[index].textContent);
    if (!isSame) this.#hints.replaceChildren(...made);
  }
}

/** Returns the nodes of a text with code between backticks. */
function marked(text) {
  return text.split("`").map((part, index) =>
    (index % 2 === 1 ? element("code", { className: "inline", text: part }) : document.createTextNode(part)));
}

function recall() {
  try {
    return localStorage.getItem(remembered);
  } catch {
    // The browser may forbid storage.
    return null;
  }
}

function remember(id) {
  try {
    localStorage.setItem(remembered, id);
  } catch {
    // Then the user chooses again next time.
  }
}
