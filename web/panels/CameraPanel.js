// @ts-check
import { short } from "../input/hash.js";
import { cameraCodes, pictureLayers, pictureText, staticPath } from "./cameraCode.js";
import { copyButton } from "./copyButton.js";
import { button, element, field } from "./element.js";

/** The camera's numbers: the property, its label, its step and its decimals. */
const parts = [
  ["latitude", "Latitude", 0.01, 6], ["longitude", "Longitude", 0.01, 6], ["zoom", "Zoom", 0.5, 3],
  ["bearing", "Bearing", 15, 2], ["viewingAngle", "Viewing angle", 5, 2],
];

/** The camera tab. The user reads and sets the camera's numbers here, and copies the camera as code or as a request. */
export class CameraPanel {
  content = element("div", { className: "camera" });
  #map;
  #server;
  #stack;
  #own;
  #inputs;
  #codes = [];
  #image = element("img", { className: "preview", alt: "Static image of this camera", hidden: true });
  #picture = element("p", { className: "hint" });
  #show = button("Preview the static image", () => this.#preview());
  #note = element("p", { className: "hint", role: "status" });
  #isOpen = false;

  /**
   * `own()` returns the page's own map or layer, whose rules the static image follows. `others` are further parts of the
   * panel.
   */
  constructor(map, server, stack, own, ...others) {
    [this.#map, this.#server, this.#stack, this.#own] = [map, server, stack, own];
    this.#inputs = parts.map(([key, , step]) => element("input", {
      type: "number", step: "any", onchange: (event) => this.#set(key, event.target),
      onkeydown: (event) => this.#step(event, key, step),
    }));
    this.content.append(
      element("div", { className: "numbers" }, parts.map(([, name], index) => field(name, this.#inputs[index]))),
      element("div", { className: "codes" }, this.#makeCodes()),
      this.#picture, element("div", { className: "actions" }, [this.#show]), this.#note, this.#image, ...others);
    map.addEventListener("move", () => this.#update());
    stack.addEventListener("change", () => this.#update());
    this.#image.addEventListener("load", () => { this.#note.textContent = ""; });
    this.#image.addEventListener("error", () => {
      this.#image.hidden = true;
      this.#note.textContent = "The server cannot draw this image now.";
    });
  }

  /** The panel is updated only while it is open. */
  set isOpen(isOpen) {
    this.#isOpen = isOpen;
    this.#update();
  }

  #makeCodes() {
    const codes = { ...cameraCodes, "Static image": () => this.#address() };
    return Object.entries(codes).map(([name, code]) => {
      const text = element("code", { tabIndex: 0, "aria-label": name });
      this.#codes.push({ text, code });
      const copy = copyButton(() => code(this.#map.camera), name);
      return element("div", { className: "code" }, [
        element("div", { className: "line" }, [element("strong", { text: name }), copy]), text,
      ]);
    });
  }

  #address() {
    const { width, height } = this.#map.view.viewport;
    const scale = Math.min(Math.max(Math.round(this.#map.scale), 1), 4);
    const own = this.#own();
    const layers = own ? pictureLayers(this.#stack.shown, own) : [];
    return layers?.length === 0 ? "" : this.#server.address(staticPath(own.id, this.#map.camera, { width, height, scale }, layers));
  }

  #update() {
    if (!this.#isOpen) return;
    const { camera } = this.#map;
    parts.forEach(([key, , , digits], index) => {
      const input = this.#inputs[index];
      if (document.activeElement !== input) input.value = short(camera[key], digits);
    });
    for (const { text, code } of this.#codes) text.textContent = code(camera);
    this.#picture.textContent = pictureText(this.#stack.shown);
    this.#show.disabled = this.#address() === "";
  }

  #set(key, input) {
    const number = Number(input.value);
    if (input.value !== "" && Number.isFinite(number)) this.#map.camera = { ...this.#map.camera, [key]: number };
    const [, , , digits] = parts.find(([name]) => name === key);
    input.value = short(this.#map.camera[key], digits);
  }

  /** Changes a number by its own step on an arrow key. */
  #step(event, key, step) {
    const change = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (!change) return;
    event.preventDefault();
    event.target.value = Number(event.target.value) + change;
    this.#set(key, event.target);
  }

  #preview() {
    this.#note.textContent = "The server draws …";
    this.#image.hidden = false;
    this.#image.src = this.#address();
  }
}
