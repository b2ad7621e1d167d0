// @ts-check
import { short } from "../input/hash.js";
import { cameraCodes, staticPath } from "./cameraCode.js";
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
  #mapID;
  #inputs;
  #codes = [];
  #preview = element("img", { className: "preview", alt: "Static image of this camera", hidden: true });
  #note = element("p", { className: "hint", role: "status" });
  #isOpen = false;

  /** `mapID()` returns the map or layer of the static image. `flight` and `boxes` are parts of the panel. */
  constructor(map, server, mapID, ...others) {
    this.#map = map;
    this.#server = server;
    this.#mapID = mapID;
    this.#inputs = parts.map(([key, , step]) => element("input", {
      type: "number", step: "any", onchange: (event) => this.#set(key, event.target),
      onkeydown: (event) => this.#step(event, key, step),
    }));
    this.content.append(
      element("div", { className: "numbers" }, parts.map(([, name], index) => field(name, this.#inputs[index]))),
      element("div", { className: "codes" }, this.#makeCodes()),
      element("div", { className: "actions" }, [button("Preview the static image", () => this.#show())]),
      this.#note, this.#preview, ...others);
    map.addEventListener("move", () => this.#update());
    this.#preview.addEventListener("load", () => { this.#note.textContent = ""; });
    this.#preview.addEventListener("error", () => {
      this.#preview.hidden = true;
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
    return this.#server.address(staticPath(this.#mapID(), this.#map.camera, { width, height, scale }));
  }

  #update() {
    if (!this.#isOpen) return;
    const { camera } = this.#map;
    parts.forEach(([key, , , digits], index) => {
      const input = this.#inputs[index];
      if (document.activeElement !== input) input.value = short(camera[key], digits);
    });
    for (const { text, code } of this.#codes) text.textContent = code(camera);
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

  #show() {
    this.#note.textContent = "The server draws …";
    this.#preview.hidden = false;
    this.#preview.src = this.#address();
  }
}
