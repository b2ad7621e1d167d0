// @ts-check
import { curves } from "../geometry/CameraFlight.js";
import { cameraText } from "../input/hash.js";
import { local } from "../text/LocalText.js";
import { cameraJSON, imageSize } from "./cameraCode.js";
import { button, element, field } from "./element.js";

/** Frames a second of a saved flight, and the server's limits for frames and pixels. */
const [fps, mostFrames, mostPixels] = [20, 240, 67_108_864];

/** A flight between two cameras. The user sets and plays it, and saves it as an animated PNG. */
export class FlightPanel {
  content = element("details", {}, [element("summary", { text: "Flight" })]);
  #map;
  #motion;
  #server;
  #pictured;
  #start = null;
  #end = null;
  #names = [element("output", { text: "not set" }), element("output", { text: "not set" })];
  #duration = element("input", { type: "number", min: "0.5", max: "60", step: "0.5", value: "3" });
  #curve = element("select", {}, curves.map((name) => element("option", { text: name, value: name })));
  #subject = element("p", { className: "hint" });
  #note = element("p", { className: "hint", role: "status" });
  #save = button("Save as APNG", () => this.#store());

  /** `pictured()` returns the map or layer of the saved animation, because the server animates one. */
  constructor(map, motion, server, stack, pictured) {
    [this.#map, this.#motion, this.#server, this.#pictured] = [map, motion, server, pictured];
    stack.addEventListener("change", () => this.#showSubject());
    this.#curve.value = "easeInOut";
    this.content.append(
      element("div", { className: "line" }, [button("From here", () => this.#set(0)), this.#names[0]]),
      element("div", { className: "line" }, [button("To here", () => this.#set(1)), this.#names[1]]),
      element("div", { className: "numbers" }, [field("Seconds", this.#duration), field("Curve", this.#curve)]),
      element("div", { className: "actions" }, [button("Play", () => this.#play()), this.#save]), this.#subject, this.#note);
    this.#showSubject();
  }

  #showSubject() {
    this.#subject.textContent = `The animation shows only ${this.#pictured()?.name ?? "one map"}.`;
  }

  #set(index) {
    const { camera } = this.#map;
    if (index === 0) this.#start = camera;
    else this.#end = camera;
    this.#names[index].textContent = cameraText(camera);
  }

  get #isReady() {
    const isReady = this.#start !== null && this.#end !== null;
    this.#note.textContent = isReady ? "" : "First set the start and the end of the flight.";
    return isReady;
  }

  /** Duration in seconds, in the form that the server accepts. */
  get #seconds() {
    return Math.min(Math.max(Number(this.#duration.value) || 0, 0.5), 60);
  }

  #play() {
    if (!this.#isReady) return;
    this.#motion.stop();
    this.#map.camera = this.#start;
    this.#motion.flyTo(this.#end, { duration: this.#seconds * 1000, curve: this.#curve.value, isPlayed: true });
  }

  async #store() {
    if (!this.#isReady) return;
    this.#save.disabled = true;
    this.#note.textContent = "The server draws the flight …";
    try {
      const { id } = this.#pictured();
      const blob = await this.#server.animation(id, this.#body());
      download(blob, `${id}-flight.png`);
      this.#note.textContent = `Saved, ${local.size(blob.size)}.`;
    } catch (error) {
      this.#note.textContent = error.message;
    } finally {
      this.#save.disabled = false;
    }
  }

  #body() {
    const { width, height } = this.#map.view.viewport;
    const rate = Math.min(fps, (mostFrames - 1) / this.#seconds);
    const frames = Math.round(this.#seconds * rate) + 1;
    const [across, down] = imageSize(width, height, 1);
    const shrinking = Math.min(1, 640 / across, Math.sqrt(mostPixels / frames / (across * down)));
    return {
      camera: cameraJSON(this.#start), update: { type: "setCamera", camera: cameraJSON(this.#end) },
      view: { width: Math.floor(across * shrinking), height: Math.floor(down * shrinking) },
      duration: this.#seconds, fps: rate, curve: this.#curve.value,
    };
  }
}

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
