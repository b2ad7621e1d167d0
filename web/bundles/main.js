// Made by web/bundle.js of 110 modules. Change these, not this.
// geometry/numbers.js
const module0 = (() => {
function modulo(number, modulus) {
  const remainder = number % modulus;
  const positive = remainder < 0 ? remainder + modulus : remainder + 0;
  return positive < modulus ? positive : 0;
}

function clamp(number, low, high) {
  return Math.min(Math.max(number, low), high);
}

function wrapLongitude(longitude) {
  if (Math.abs(longitude) <= 180) return longitude;
  const wrapped = modulo(longitude, 360);
  return wrapped >= 180 ? wrapped - 360 : wrapped;
}

function wrapToHalfWorld(difference) {
  return difference - Math.floor(difference + 0.5);
}

function radians(degrees) {
  return (degrees * Math.PI) / 180;
}

function direction(degrees) {
  switch (degrees) {
    case 0: return { sine: 0, cosine: 1 };
    case 90: return { sine: 1, cosine: 0 };
    case 180: return { sine: 0, cosine: -1 };
    case 270: return { sine: -1, cosine: 0 };
    default: return { sine: Math.sin(radians(degrees)), cosine: Math.cos(radians(degrees)) };
  }
}
return { modulo, clamp, wrapLongitude, wrapToHalfWorld, radians, direction };
})();
// geometry/mercator.js
const module1 = (() => {

const { clamp, radians } = module0;

const tilePoints = 256;

const deepestZoom = 30;

const maxLatitude = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

const earthRadius = 6_371_009;

function project({ latitude, longitude }) {
  return { x: (longitude + 180) / 360, y: worldY(latitude) };
}

function worldY(latitude) {
  if (Math.abs(latitude) >= maxLatitude) return latitude > 0 ? 0 : 1;
  return 0.5 - Math.asinh(Math.tan(radians(latitude))) / (2 * Math.PI);
}

function unproject({ x, y }) {
  return { latitude: latitudeAt(y), longitude: 360 * x - 180 };
}

function unprojectWrapped({ x, y }) {
  const inside = x - Math.floor(x);
  return unproject({ x: inside < 1 ? inside : 0, y: clamp(y, 0, 1) });
}

function latitudeAt(y) {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

function worldSize(zoom) {
  return tilePoints * 2 ** zoom;
}

function pointsPerMetre(latitude) {
  const inside = clamp(latitude, -maxLatitude, maxLatitude);
  return tilePoints / (2 * Math.PI * earthRadius * Math.cos(radians(inside)));
}

function zoomAt(latitude, metres, points) {
  return Math.log2(points) - Math.log2(metres) - Math.log2(pointsPerMetre(latitude));
}

function tileAt(coordinate, z) {
  const point = project(coordinate);
  const span = 2 ** z;
  return {
    z,
    x: Math.min(Math.floor((point.x - Math.floor(point.x)) * span), span - 1),
    y: Math.min(Math.floor(point.y * span), span - 1),
  };
}

function tileBounds({ z, x, y }) {
  const span = 2 ** z;
  return {
    north: latitudeAt(y / span), south: latitudeAt((y + 1) / span),
    west: (360 * x) / span - 180, east: (360 * (x + 1)) / span - 180,
  };
}
return { tilePoints, deepestZoom, maxLatitude, earthRadius, project, unproject, unprojectWrapped, latitudeAt, worldSize, pointsPerMetre, zoomAt, tileAt, tileBounds };
})();
// events/affected.js
const module2 = (() => {
const { project } = module1;

function isAffected(event, tile, scale = 1) {
  const isMeant = (place) => contains(event, place);
  if (isMeant(tile)) return true;
  const { z, x, y } = tile;
  if (scale > 1) {
    const parts = [[0, 0], [1, 0], [0, 1], [1, 1]];
    if (parts.some(([column, row]) => isMeant({ z: z + 1, x: 2 * x + column, y: 2 * y + row }))) return true;
  }
  const source = Number(tile.answer?.sourceZoom ?? z);
  const count = 2 ** (z - source);
  return count > 1 && isMeant({ z: source, x: Math.floor(x / count), y: Math.floor(y / count) });
}

function contains({ tile, bbox, zoom }, { z, x, y }) {
  if (tile) return tile[0] === z && tile[1] === x && tile[2] === y;
  if (zoom && (z < zoom[0] || z > zoom[1])) return false;
  if (!bbox) return true;
  const [west, south, east, north] = bbox;
  const count = 2 ** z;
  const inside = (number) => Math.min(Math.max(number, 0), count - 1);
  const first = (position) => inside(Math.floor(position * count));
  const last = (position) => inside(Math.ceil(position * count) - 1);
  const [northWest, southEast] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
  if (y < first(northWest.y) || y > last(southEast.y)) return false;
  const [from, to] = [first(northWest.x), last(southEast.x)];
  if (northWest.x <= southEast.x) return from <= x && x <= to;
  return from <= to || x >= from || x <= to;
}
return { isAffected };
})();
// events/stream.js
const module3 = (() => {
const [firstPause, longestPause] = [5000, 60_000];

function listen(address, receive, refusals = 0) {
  const source = new EventSource(address);
  let count = refusals;
  source.onopen = () => {
    if (count > 0) receive({ type: "reset" });
    count = 0;
  };
  source.onmessage = ({ data }) => receive(JSON.parse(data));
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(address, receive, count + 1), Math.min(firstPause * 2 ** count, longestPause));
  };
}
return { listen };
})();
// events/subscribe.js
const module4 = (() => {
const { listen } = module3;

function subscribe(server, receive) {
  if (typeof SharedWorker === "undefined") {
    listen(server.address("events"), receive);
  } else {
    share(server, receive);
  }
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) receive({ type: "reset" });
  });
}

function share(server, receive) {
  const worker = new SharedWorker(new URL("events/worker.js", import.meta.url), { type: "module", name: "events" });
  worker.port.onmessage = ({ data }) => receive(data);
  worker.addEventListener("error", () => listen(server.address("events"), receive), { once: true });
  addEventListener("pagehide", () => worker.port.postMessage("leave"));
  addEventListener("pageshow", () => worker.port.postMessage("join"));
}
return { subscribe };
})();
// events/ServerNews.js
const module5 = (() => {
const { isAffected } = module2;
const { subscribe } = module4;

class ServerNews {
  #viewer;
  #server;
  #changed = new Map();
  #isReading = false;

  constructor(viewer, server) {
    [this.#viewer, this.#server] = [viewer, server];
  }

  start() {
    subscribe(this.#server, (event) => this.take(event));
  }

  take(event) {
    if (event.type === "clear") return this.#clear(event);
    if (event.type === "layer") this.#readLayers(event.layer, event.change);
    if (event.type === "reset") {
      this.#readLayers("*");
      return this.#expire({ layer: "*" }, "all tiles may have changed");
    }
    return 0;
  }

  #clear(event) {
    return this.#expire(event, `${event.layer === "*" ? "all layers" : event.layer}: ${partOf(event)} ${event.soft ? "stale" : "cleared"}`);
  }

  #expire(event, text) {
    const { stack, map, cachePanel } = this.#viewer;
    let count = 0;
    for (const layer of stack.entries.values()) {
      if (event.layer !== "*" && event.layer !== layer.id) continue;
      count += layer.tiles.expire((tile) => isAffected(event, tile, layer.scale));
    }
    cachePanel.note(`${text}, ${count} reloaded`);
    map.invalidate();
    return count;
  }

  async #readLayers(layer, change) {
    this.#changed.set(layer, change);
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#changed.size > 0) {
        const changed = [...this.#changed];
        this.#changed.clear();
        this.#viewer.setDocuments(await this.#server.documents());
        for (const [id, what] of changed) if (id !== "*") this.#expire({ layer: id }, `${id}: ${what ?? "changed"}`);
      }
    } catch {
    } finally {
      this.#isReading = false;
    }
  }
}

function partOf({ tile, bbox, zoom }) {
  if (tile) return `tile ${tile.join("/")}`;
  const zooms = zoom ? ` of zoom ${zoom[0] === zoom[1] ? zoom[0] : zoom.join("–")}` : "";
  return (bbox ? `box ${bbox.map((edge) => Number(edge.toFixed(4))).join(", ")}` : "all tiles") + zooms;
}
return { ServerNews, partOf };
})();
// geometry/CameraError.js
const module6 = (() => {
class CameraError extends Error {
  constructor(reason) {
    super(reason);
    this.name = "CameraError";
    this.reason = reason;
  }
}
return { CameraError };
})();
// geometry/LongitudeArc.js
const module7 = (() => {
const { modulo, wrapLongitude } = module0;

class LongitudeArc {
  static circle = new LongitudeArc(-180, 180);

  constructor(west, east) {
    this.west = west;
    this.east = east;
  }

  static from(west, east) {
    if (east - west >= 360) return LongitudeArc.circle;
    return new LongitudeArc(wrapLongitude(west), wrapLongitude(east));
  }

  static between(first, second) {
    const [from, to] = [wrapLongitude(first), wrapLongitude(second)];
    const eastwards = modulo(to - from, 360);
    if (eastwards === 0) return new LongitudeArc(from, from);
    return eastwards <= 180 ? new LongitudeArc(from, to) : new LongitudeArc(to, from);
  }

  get width() {
    return this.east < this.west ? this.east - this.west + 360 : this.east - this.west;
  }

  offset(longitude) {
    return modulo(wrapLongitude(longitude) - this.west, 360);
  }

  contains(longitude) {
    return this.offset(longitude) <= this.width;
  }

  holds(other) {
    if (this.width >= 360) return true;
    if (other.width >= 360) return false;
    const [start, end] = [this.offset(other.west), this.offset(other.east)];
    return start <= end && end <= this.width;
  }

  intersects(other) {
    return this.contains(other.west) || other.contains(this.west);
  }

  union(other) {
    const candidates = [
      this, other, new LongitudeArc(this.west, other.east), new LongitudeArc(other.west, this.east),
    ];
    return candidates
      .filter((candidate) => candidate.holds(this) && candidate.holds(other))
      .reduce((best, candidate) => (candidate.width < best.width ? candidate : best), LongitudeArc.circle);
  }

  nearest(longitude) {
    const offset = this.offset(longitude);
    if (offset <= this.width) return longitude;
    return offset - this.width <= 360 - offset ? this.east : this.west;
  }
}
return { LongitudeArc };
})();
// geometry/CoordinateBounds.js
const module8 = (() => {
const { CameraError } = module6;
const { LongitudeArc } = module7;

class CoordinateBounds {
  constructor(south, north, longitudes) {
    this.south = south;
    this.north = north;
    this.longitudes = longitudes;
  }

  static corners(southWest, northEast) {
    if (southWest.latitude > northEast.latitude) throw new CameraError("southAboveNorth");
    const longitudes = LongitudeArc.from(southWest.longitude, northEast.longitude);
    return new CoordinateBounds(southWest.latitude, northEast.latitude, longitudes);
  }

  static around(first, second) {
    return new CoordinateBounds(
      Math.min(first.latitude, second.latitude), Math.max(first.latitude, second.latitude),
      LongitudeArc.between(first.longitude, second.longitude));
  }

  static box([west, south, east, north]) {
    return new CoordinateBounds(south, north, LongitudeArc.from(west, east));
  }

  get southWest() {
    return { latitude: this.south, longitude: this.longitudes.west };
  }

  get northEast() {
    return { latitude: this.north, longitude: this.longitudes.east };
  }

  contains({ latitude, longitude }) {
    return this.south <= latitude && latitude <= this.north && this.longitudes.contains(longitude);
  }

  intersects(other) {
    return this.south <= other.north && other.south <= this.north && this.longitudes.intersects(other.longitudes);
  }

  including(other) {
    return new CoordinateBounds(
      Math.min(this.south, other.south), Math.max(this.north, other.north), this.longitudes.union(other.longitudes));
  }
}
return { CoordinateBounds };
})();
// input/BoxTool.js
const module9 = (() => {
const { CoordinateBounds } = module8;

const least = 4;

class BoxTool {
  #map;
  #overlay;
  #element;
  #onDone = null;
  #start = null;

  constructor(target, map, overlay) {
    [this.#element, this.#map, this.#overlay] = [target, map, overlay];
    target.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    target.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
    target.addEventListener("pointerup", (event) => this.#up(event), { capture: true });
    target.addEventListener("pointercancel", () => this.#finish(null), { capture: true });
    target.addEventListener("keydown", (event) => event.key === "Escape" && this.#finish(null));
  }

  draw() {
    this.#finish(null);
    this.#element.classList.add("boxing");
    return new Promise((resolve) => { this.#onDone = resolve; });
  }

  get seen() {
    try {
      const { nearLeft, nearRight, farLeft, farRight } = this.#map.projection.visibleRegion;
      return [nearRight, farLeft, farRight].reduce(
        (box, place) => box.including(CoordinateBounds.around(place, place)), CoordinateBounds.around(nearLeft, nearLeft));
    } catch {
      return null;
    }
  }

  #down(event) {
    if (!this.#onDone || event.button !== 0) return;
    event.preventDefault();
    this.#element.setPointerCapture(event.pointerId);
    this.#start = this.#point(event);
  }

  #move(event) {
    if (!this.#start) return;
    this.#overlay.box = this.#box(this.#point(event)) ?? this.#overlay.box;
    this.#map.invalidate();
  }

  #up(event) {
    if (!this.#start) return;
    const end = this.#point(event);
    const isMeant = Math.abs(end.x - this.#start.x) > least && Math.abs(end.y - this.#start.y) > least;
    this.#finish(isMeant ? this.#box(end) : null);
  }

  #finish(box) {
    this.#element.classList.remove("boxing");
    this.#start = null;
    this.#onDone?.(box);
    this.#onDone = null;
  }

  #box(end) {
    try {
      const { projection } = this.#map;
      return CoordinateBounds.around(projection.coordinateAt(this.#start), projection.coordinateAt(end));
    } catch {
      return null;
    }
  }

  #point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
return { BoxTool };
})();
// input/BoxZoom.js
const module10 = (() => {

const least = 5;

function cameraForBox(view, camera, box, free) {
  const size = ({ left, top, right, bottom }) => [right - left, bottom - top];
  const [[width, height], [across, down]] = [size(box), size(free)];
  if (!(width >= least && height >= least && across > 0 && down > 0)) return null;
  const zoom = camera.zoom + Math.log2(Math.min(across / width, down / height));
  try {
    return view.changedAt(camera, { zoom }, middle(free), middle(box));
  } catch {
    return null;
  }
}

function middle({ left, top, right, bottom }) {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

class BoxZoom {
  #element;
  #map;
  #motion;
  #covered;
  #frame;
  #start = null;

  constructor(element, map, motion, covered) {
    [this.#element, this.#map, this.#motion, this.#covered] = [element, map, motion, covered];
    this.#frame = document.createElement("div");
    this.#frame.className = "rubber";
    this.#frame.hidden = true;
    element.append(this.#frame);
    element.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#end());
    element.addEventListener("keydown", ({ key }) => key === "Escape" && this.#end());
  }

  #down(event) {
    const isMeant = event.shiftKey && !event.ctrlKey && event.button === 0 && event.pointerType !== "touch";
    if (!isMeant || event.defaultPrevented) return;
    event.preventDefault();
    this.#motion.stop();
    this.#element.setPointerCapture(event.pointerId);
    this.#element.focus({ preventScroll: true });
    this.#start = this.#point(event);
  }

  #move(event) {
    if (!this.#start) return;
    const { left, top, right, bottom } = this.#box(event);
    this.#frame.hidden = false;
    this.#element.classList.add("boxing");
    const [width, height] = [right - left, bottom - top];
    Object.entries({ left, top, width, height }).forEach(([name, value]) => { this.#frame.style[name] = `${value}px`; });
  }

  #up(event) {
    if (!this.#start) return;
    const { view, camera } = this.#map;
    const { width, height, padding } = view.viewport;
    const free = {
      left: Math.max(this.#covered(), padding.left), top: padding.top, right: width - padding.right, bottom: height - padding.bottom,
    };
    const end = cameraForBox(view, camera, this.#box(event), free);
    this.#end();
    if (end) this.#motion.flyTo(end, { duration: 500, curve: "easeInOut" });
  }

  #end() {
    if (!this.#start) return;
    this.#start = null;
    this.#frame.hidden = true;
    this.#element.classList.remove("boxing");
  }

  #box(event) {
    const [start, end] = [/** @type {Point} */ (this.#start), this.#point(event)];
    return {
      left: Math.min(start.x, end.x), top: Math.min(start.y, end.y), right: Math.max(start.x, end.x), bottom: Math.max(start.y, end.y),
    };
  }

  #point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
return { cameraForBox, BoxZoom };
})();
// geometry/CameraFlight.js
const module11 = (() => {
const { project, unprojectWrapped } = module1;
const { modulo, wrapLongitude } = module0;

const curves = Object.freeze(["linear", "easeIn", "easeOut", "easeInOut"]);

function progress(curve, time) {
  if (!(time > 0)) return 0;
  if (time >= 1) return 1;
  if (curve === "linear") return time;
  const firstX = curve === "easeOut" ? 0 : 0.42;
  const secondX = curve === "easeIn" ? 1 : 0.58;
  let [low, high] = [0, 1];
  for (let step = 0; step < 54; step += 1) {
    const middle = (low + high) / 2;
    if (cubic(middle, firstX, secondX) < time) low = middle;
    else high = middle;
  }
  return cubic((low + high) / 2, 0, 1);
}

function cubic(t, first, second) {
  const rest = 1 - t;
  return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t;
}

class CameraFlight {
  constructor(start, end, view, curve = "linear") {
    this.view = view;
    this.start = view.normalized(start);
    this.end = view.normalized(end);
    this.curve = curve;
  }

  cameraAt(time) {
    const part = progress(this.curve, time);
    if (part <= 0) return this.start;
    if (part >= 1) return this.end;
    const { start, end } = this;
    const between = (from, to) => from + (to - from) * part;
    const turn = modulo(end.bearing - start.bearing + 540, 360) - 180;
    return this.view.normalized({
      ...interpolate(start, end, part), zoom: between(start.zoom, end.zoom),
      bearing: start.bearing + turn * part, viewingAngle: between(start.viewingAngle, end.viewingAngle),
    });
  }
}

function interpolate(first, last, part) {
  const wrapped = ({ latitude, longitude }) => project({ latitude, longitude: wrapLongitude(longitude) });
  const [from, to] = [wrapped(first), wrapped(last)];
  let across = to.x - from.x;
  if (across > 0.5) across -= 1;
  else if (across < -0.5) across += 1;
  return unprojectWrapped({ x: from.x + across * part, y: from.y + (to.y - from.y) * part });
}
return { curves, progress, CameraFlight, interpolate };
})();
// input/CameraMotion.js
const module12 = (() => {
const { CameraFlight, progress } = module11;

function isStill() {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

class CameraMotion {
  #map;
  #frame = 0;
  #goal = null;
  #done = null;

  constructor(map) {
    this.#map = map;
  }

  get goal() {
    return this.#goal ?? this.#map.camera;
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#goal = null;
    this.#done?.(false);
    this.#done = null;
  }

  flyTo(end, { duration = 300, curve = "easeOut", isPlayed = false } = {}) {
    const flight = new CameraFlight(this.#map.camera, end, this.#map.view, curve);
    return this.#run(isStill() && !isPlayed ? 0 : duration, flight.end, (time) => flight.cameraAt(time));
  }

  zoomAt(delta, point, duration = 300) {
    const { view, camera } = this.#map;
    const left = this.goal.zoom + delta - camera.zoom;
    const step = (part) => zoomed(view, camera, left * part, point);
    return this.#run(isStill() ? 0 : duration, step(1), (time) => step(progress("easeOut", time)));
  }

  drive(step) {
    this.stop();
    this.#repeat(step);
  }

  #repeat(step) {
    let last = performance.now();
    const frame = (now) => {
      const elapsed = Math.max(now - last, 0);
      last = now;
      this.#frame = step(elapsed) ? requestAnimationFrame(frame) : 0;
    };
    this.#frame = requestAnimationFrame(frame);
  }

  #run(duration, goal, cameraAt) {
    this.stop();
    if (duration === 0) {
      this.#map.camera = goal;
      return Promise.resolve(true);
    }
    this.#goal = goal;
    return new Promise((resolve) => {
      this.#done = resolve;
      let spent = 0;
      this.#repeat((elapsed) => {
        spent += elapsed;
        this.#map.camera = spent >= duration ? goal : cameraAt(spent / duration);
        if (spent < duration) return true;
        this.#goal = null;
        this.#done = null;
        resolve(true);
        return false;
      });
    });
  }
}

function zoomed(view, camera, delta, point) {
  try {
    return view.zoomedAt(camera, delta, point);
  } catch {
    return view.zoomed(camera, camera.zoom + delta);
  }
}
return { CameraMotion, zoomed };
})();
// input/Velocity.js
const module13 = (() => {
const [memory, slowing] = [80, 325];

class Velocity {
  #places = [];

  add(x, y, time) {
    this.#places.push({ x, y, time });
    while (this.#places[0].time < time - memory) this.#places.shift();
  }

  at(time) {
    const places = this.#places.filter((place) => place.time >= time - memory);
    if (places.length < 2) return null;
    const [first, last] = [places[0], places.at(-1)];
    const span = Math.max(last.time - first.time, 1);
    const [x, y] = [(last.x - first.x) / span, (last.y - first.y) / span];
    return Math.hypot(x, y) > 0.1 ? { x, y } : null;
  }
}

function glide(velocity, elapsed) {
  const rest = Math.exp(-elapsed / slowing);
  const way = slowing * (1 - rest);
  const next = { x: velocity.x * rest, y: velocity.y * rest };
  return {
    x: velocity.x * way, y: velocity.y * way, velocity: Math.hypot(next.x, next.y) > 0.01 ? next : null,
  };
}
return { Velocity, glide };
})();
// input/pinch.js
const module14 = (() => {
const [tiltStart, turnStart] = [10, 8];

const lonely = 12;

function pinch(from, to) {
  const moved = from.map((point, index) => ({ x: to[index].x - point.x, y: to[index].y - point.y }));
  const ways = moved.map(({ x, y }) => Math.hypot(x, y));
  if (Math.min(...ways) < 1 && Math.max(...ways) < lonely) return { kind: "none" };
  const [before, after] = [between(from), between(to)];
  const zoom = Math.log2(Math.max(after.length, 1) / Math.max(before.length, 1));
  const turn = ((((after.angle - before.angle + 180) % 360) + 360) % 360) - 180;
  const isParallel = moved[0].y * moved[1].y > 0 && Math.abs(zoom) < 0.2 && Math.abs(turn) < turnStart;
  const isSideBySide = Math.abs(before.x) > Math.abs(before.y);
  const down = (moved[0].y + moved[1].y) / 2;
  const across = (moved[0].x + moved[1].x) / 2;
  if (isParallel && isSideBySide && Math.abs(down) > 2 * Math.abs(across)) {
    return Math.abs(down) > tiltStart ? { kind: "tilt", angle: -down / 2 } : { kind: "none" };
  }
  const turned = Math.abs(turn) > turnStart ? turn - Math.sign(turn) * turnStart : 0;
  return { kind: "pinch", zoom, turn: turned, from: middle(from), to: middle(to) };
}

function between([first, second]) {
  const [x, y] = [second.x - first.x, second.y - first.y];
  return { x, y, length: Math.hypot(x, y), angle: (Math.atan2(y, x) * 180) / Math.PI };
}

function middle([first, second]) {
  return { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
}
return { pinch };
})();
// input/PointerGestures.js
const module15 = (() => {
const { Velocity, glide } = module13;
const { pinch } = module14;

const [clickReach, tapTime, tapReach] = [5, 300, 40];

class PointerGestures {
  #element;
  #map;
  #motion;
  #onClick;
  #pointers = new Map();
  #start = null;
  #velocity = null;
  #lastTap = null;
  #kind = "none";

  constructor(element, map, motion, onClick = () => {}) {
    this.#element = element;
    this.#map = map;
    this.#motion = motion;
    this.#onClick = onClick;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => this.#up(event, true));
    element.addEventListener("dblclick", (event) => this.#doubleClick(event));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (event.defaultPrevented || (event.pointerType === "mouse" && event.button > 2)) return;
    this.#motion.stop();
    this.#element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.point(event));
    this.#map.isHeld = true;
    if (this.#pointers.size === 1) {
      this.#kind = event.button === 2 || event.ctrlKey ? "turn" : "click";
      const isSecond = event.pointerType === "touch" && this.#isSecondTap(event);
      if (isSecond) this.#kind = "secondTap";
    } else {
      this.#kind = "pinch";
    }
    this.#begin(event);
  }

  #begin(event) {
    this.#start = { camera: this.#map.camera, points: [...this.#pointers.values()], time: event.timeStamp, last: null };
    this.#velocity = new Velocity();
  }

  #move(event) {
    if (!this.#pointers.has(event.pointerId)) return;
    const point = this.point(event);
    const before = this.#pointers.get(event.pointerId);
    this.#pointers.set(event.pointerId, point);
    if (this.#pointers.size === 2) return this.#pinch();
    if (this.#pointers.size > 2) return undefined;
    const [start] = this.#start.points;
    const isFar = Math.hypot(point.x - start.x, point.y - start.y) > clickReach;
    if (this.#kind === "click" && isFar) this.#kind = "drag";
    if (this.#kind === "secondTap" && isFar) this.#kind = "zoom";
    if (this.#kind === "turn") this.#turn(point.x - before.x, point.y - before.y);
    if (this.#kind === "zoom") this.#zoom((point.y - before.y) / 100, start);
    if (this.#kind !== "drag") return undefined;
    this.#element.classList.add("dragged");
    this.#velocity.add(point.x, point.y, event.timeStamp);
    return this.#pull(before, point);
  }

  #pull(from, to, changes = {}) {
    try {
      this.#map.camera = this.#map.view.changedAt(this.#map.camera, changes, to, from);
    } catch {
    }
  }

  #turn(right, down) {
    const { camera } = this.#map;
    this.#map.camera = {
      ...camera, bearing: camera.bearing + right / 2, viewingAngle: Math.max(camera.viewingAngle - down / 2, 0),
    };
  }

  #zoom(delta, point) {
    this.#pull(point, point, { zoom: this.#map.camera.zoom + delta });
  }

  #pinch() {
    const { camera, points } = this.#start;
    const now = pinch(points, [...this.#pointers.values()]);
    if (this.#kind === "pinch" && now.kind === "tilt") this.#kind = "tilt";
    if (this.#kind === "tilt") {
      const angle = now.kind === "tilt" ? now.angle : 0;
      this.#map.camera = { ...camera, viewingAngle: Math.max(camera.viewingAngle + angle, 0) };
      return;
    }
    if (now.kind !== "pinch") return;
    this.#kind = "pinched";
    try {
      const changes = { zoom: camera.zoom + now.zoom, bearing: camera.bearing - now.turn };
      this.#map.camera = this.#map.view.changedAt(camera, changes, now.to, now.from);
    } catch {
    }
  }

  #up(event, isCancelled = false) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const point = this.point(event);
    this.#element.classList.remove("dragged");
    if (this.#pointers.size > 0) {
      const isTap = this.#kind === "pinch" && event.timeStamp - this.#start.time < tapTime;
      if (isTap) this.#motion.zoomAt(-1, point);
      this.#kind = isTap ? "none" : "drag";
      return this.#begin(event);
    }
    this.#map.isHeld = false;
    const kind = this.#kind;
    this.#kind = "none";
    if (isCancelled) return undefined;
    if (kind === "drag") return this.#glide(event.timeStamp);
    if (kind === "secondTap") return void this.#motion.zoomAt(1, point);
    if (kind !== "click") return undefined;
    if (event.pointerType === "touch") this.#lastTap = { ...point, time: event.timeStamp };
    return this.#onClick(point, event);
  }

  #isSecondTap(event) {
    const [last, point] = [this.#lastTap, this.point(event)];
    this.#lastTap = null;
    return last && event.timeStamp - last.time < tapTime && Math.hypot(point.x - last.x, point.y - last.y) < tapReach;
  }

  #doubleClick(event) {
    event.preventDefault();
    if (event.pointerType === "touch" || event.sourceCapabilities?.firesTouchEvents) return;
    this.#motion.zoomAt(event.shiftKey ? -1 : 1, this.point(event));
  }

  #glide(time) {
    let velocity = this.#velocity.at(time);
    if (!velocity || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#motion.drive((elapsed) => {
      const step = glide(velocity, elapsed);
      const { center } = this.#map.projection;
      this.#pull(center, { x: center.x + step.x, y: center.y + step.y });
      velocity = step.velocity;
      return velocity !== null;
    });
  }
}
return { PointerGestures };
})();
// geometry/Projection.js
const module16 = (() => {
const { CameraError } = module6;
const { project, unprojectWrapped, worldSize } = module1;
const { direction, wrapLongitude, wrapToHalfWorld } = module0;

class Projection {
  constructor(camera, viewport) {
    this.camera = camera;
    this.viewport = viewport;
    this.target = project(camera);
    this.worldSize = worldSize(camera.zoom);
    this.distance = 1.5 * viewport.height;
    this.center = viewport.center;
    this.bearing = direction(camera.bearing);
    this.tilt = direction(camera.viewingAngle);
  }

  groundAt(offset) {
    const [east, south] = [offset.x * this.worldSize, offset.y * this.worldSize];
    return {
      right: east * this.bearing.cosine + south * this.bearing.sine,
      down: south * this.bearing.cosine - east * this.bearing.sine,
    };
  }

  depth(down) {
    return this.distance - down * this.tilt.sine;
  }

  pointAt(offset) {
    const { right, down } = this.groundAt(offset);
    const depth = this.depth(down);
    if (!(depth > 0)) return null;
    const x = this.center.x + (right * this.distance) / depth;
    const y = this.center.y + (down * this.tilt.cosine * this.distance) / depth;
    return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null;
  }

  pointFor({ latitude, longitude }) {
    const place = project({ latitude, longitude: wrapLongitude(longitude) });
    return this.pointAt({ x: wrapToHalfWorld(place.x - this.target.x), y: place.y - this.target.y });
  }

  offsetAt(point) {
    const [across, along] = [point.x - this.center.x, point.y - this.center.y];
    const nearness = this.distance * this.tilt.cosine + along * this.tilt.sine;
    if (!(nearness > 0)) return null;
    const right = (across * ((this.distance * this.tilt.cosine) / nearness)) / this.worldSize;
    const down = (along * (this.distance / nearness)) / this.worldSize;
    return {
      x: right * this.bearing.cosine - down * this.bearing.sine,
      y: right * this.bearing.sine + down * this.bearing.cosine,
    };
  }

  worldPointAt(point) {
    const offset = this.offsetAt(point);
    return offset && { x: this.target.x + offset.x, y: this.target.y + offset.y };
  }

  coordinateAt(point) {
    const world = this.worldPointAt(point);
    if (!world) throw new CameraError("aboveHorizon");
    return unprojectWrapped(world);
  }

  get visibleRegion() {
    const { width, height, padding } = this.viewport;
    const [left, right, top, bottom] = [padding.left, width - padding.right, padding.top, height - padding.bottom];
    return {
      nearLeft: this.coordinateAt({ x: left, y: bottom }), nearRight: this.coordinateAt({ x: right, y: bottom }),
      farLeft: this.coordinateAt({ x: left, y: top }), farRight: this.coordinateAt({ x: right, y: top }),
    };
  }
}
return { Projection };
})();
// geometry/ViewingAngleLimit.js
const module17 = (() => {
class ViewingAngleLimit {
  static sdk = new ViewingAngleLimit([[10, 30], [16, 65]]);

  constructor(knots) {
    this.knots = knots;
  }

  angleAt(zoom) {
    const next = this.knots.findIndex((knot) => knot[0] > zoom);
    if (next < 0) return this.knots.at(-1)[1];
    if (next === 0) return this.knots[0][1];
    const [low, high] = [this.knots[next - 1], this.knots[next]];
    return low[1] + (high[1] - low[1]) * ((zoom - low[0]) / (high[0] - low[0]));
  }
}
return { ViewingAngleLimit };
})();
// geometry/Viewport.js
const module18 = (() => {
const { CameraError } = module6;

const noInsets = Object.freeze({ top: 0, left: 0, bottom: 0, right: 0 });

class Viewport {
  constructor(width, height, padding = noInsets) {
    if (padding.left + padding.right >= width || padding.top + padding.bottom >= height) {
      throw new CameraError("paddingFillsView");
    }
    this.width = width;
    this.height = height;
    this.padding = padding;
  }

  static fitting(width, height, padding) {
    const fits = padding.left + padding.right < width && padding.top + padding.bottom < height;
    return new Viewport(width, height, fits ? padding : noInsets);
  }

  get center() {
    const { top, left, bottom, right } = this.padding;
    return { x: (left + this.width - right) / 2, y: (top + this.height - bottom) / 2 };
  }
}
return { noInsets, Viewport };
})();
// geometry/MapView.js
const module19 = (() => {
const { CameraError } = module6;
const { Projection } = module16;
const { ViewingAngleLimit } = module17;
const { project, tilePoints, unprojectWrapped, worldSize } = module1;
const { noInsets } = module18;
const { clamp, modulo, wrapLongitude } = module0;

const cameraLatitude = 85;

const standardRules = Object.freeze({
  minZoom: 0, maxZoom: 21, fillsViewport: false, viewingAngleLimit: ViewingAngleLimit.sdk,
  targetBounds: null, isStrict: false,
});

class MapView {
  constructor(rules, viewport) {
    this.rules = rules;
    this.viewport = viewport;
  }

  get minZoom() {
    const { minZoom, maxZoom, fillsViewport } = this.rules;
    if (!fillsViewport) return minZoom;
    return Math.min(Math.max(minZoom, Math.log2(this.viewport.height / tilePoints)), maxZoom);
  }

  get maxZoom() {
    return this.rules.maxZoom;
  }

  normalized(camera, { afterGesture = false } = {}) {
    const zoom = clamp(camera.zoom, this.minZoom, this.maxZoom);
    const resolved = {
      latitude: clamp(camera.latitude, -cameraLatitude, cameraLatitude),
      longitude: wrapLongitude(camera.longitude), zoom,
      bearing: modulo(camera.bearing ?? 0, 360),
      viewingAngle: clamp(camera.viewingAngle ?? 0, 0, this.rules.viewingAngleLimit.angleAt(zoom)),
    };
    const { targetBounds, isStrict } = this.rules;
    if (!targetBounds || !(isStrict || afterGesture)) return resolved;
    const [south, north] = [targetBounds.south, targetBounds.north].map((edge) =>
      clamp(edge, -cameraLatitude, cameraLatitude));
    resolved.latitude = clamp(resolved.latitude, south, north);
    resolved.longitude = targetBounds.longitudes.nearest(resolved.longitude);
    return resolved;
  }

  projection(camera) {
    return new Projection(this.normalized(camera), this.viewport);
  }

  scrolled(camera, x, y) {
    const projection = this.projection(camera);
    const target = projection.coordinateAt({ x: projection.center.x + x, y: projection.center.y + y });
    return this.normalized({ ...projection.camera, ...target }, { afterGesture: true });
  }

  zoomed(camera, zoom) {
    return this.normalized({ ...this.normalized(camera), zoom }, { afterGesture: true });
  }

  zoomedAt(camera, delta, point) {
    const start = this.normalized(camera);
    return this.changedAt(start, { zoom: start.zoom + delta }, point);
  }

  changedAt(camera, changes, point, from = point) {
    const before = this.projection(camera);
    const wanted = { ...before.camera, ...changes };
    const after = this.projection(wanted);
    const [world, offset] = [before.worldPointAt(from), after.offsetAt(point)];
    if (!world || !offset) throw new CameraError("aboveHorizon");
    const target = unprojectWrapped({ x: world.x - offset.x, y: world.y - offset.y });
    return this.normalized({ ...wanted, ...target }, { afterGesture: true });
  }

  fitted(bounds, insets = noInsets) {
    const { width, height, padding } = this.viewport;
    const northWest = project({ latitude: bounds.north, longitude: bounds.longitudes.west });
    const spanX = bounds.longitudes.width / 360;
    const spanY = project({ latitude: bounds.south, longitude: 0 }).y - northWest.y;
    const center = { x: northWest.x + spanX / 2, y: northWest.y + spanY / 2 };
    const across = width - insets.left - insets.right - padding.left - padding.right;
    const down = height - insets.top - insets.bottom - padding.top - padding.bottom;
    if (across <= 0 || down <= 0) return this.normalized(over(center, this.minZoom));
    const fitting = (points, span) => (span > 0 ? Math.log2(points / (tilePoints * span)) : Infinity);
    const zoom = clamp(Math.min(fitting(across, spanX), fitting(down, spanY)), this.minZoom, this.maxZoom);
    center.x -= (insets.left - insets.right) / 2 / worldSize(zoom);
    center.y -= (insets.top - insets.bottom) / 2 / worldSize(zoom);
    return this.normalized(over(center, zoom));
  }
}

function over(point, zoom) {
  return { ...unprojectWrapped(point), zoom, bearing: 0, viewingAngle: 0 };
}
return { cameraLatitude, standardRules, MapView };
})();
// map/mapRules.js
const module20 = (() => {
const { CoordinateBounds } = module8;
const { standardRules } = module19;
const { ViewingAngleLimit } = module17;

function rulesOf(document) {
  const [minZoom, maxZoom] = document.cameraZoom ?? [standardRules.minZoom, standardRules.maxZoom];
  return {
    minZoom, maxZoom, fillsViewport: document.fillViewport ?? false,
    viewingAngleLimit: document.maxTiltKnots ? new ViewingAngleLimit(document.maxTiltKnots) : ViewingAngleLimit.sdk,
    targetBounds: document.targetBounds ? CoordinateBounds.box(document.targetBounds) : null,
    isStrict: document.targetBoundsMode === "strict",
  };
}

function paddingOf(document) {
  const [top, left, bottom, right] = document.padding ?? [0, 0, 0, 0];
  return { top, left, bottom, right };
}

const [lightGround, darkGround] = ["#e5e3df", "#15181b"];

function backgroundOf({ background = lightGround }, isDark = false) {
  const color = background === "transparent" ? "#00000000" : background;
  const text = isDark && color === lightGround ? darkGround : color;
  const parts = text.slice(1).match(/../g) ?? [];
  const numbers = parts.map((part) => Number.parseInt(part, 16) / 255);
  return numbers.length === 4 ? numbers : [...numbers, 1];
}

function cameraFrom({ lat, lng, zoom, bearing = 0, viewingAngle = 0 }) {
  return { latitude: lat, longitude: lng, zoom, bearing, viewingAngle };
}

function aside(covered) {
  return { top: 64, left: 64 + covered, bottom: 64, right: 64 };
}

function firstCamera(document, view, covered = 0) {
  if (document.camera) return view.normalized(cameraFrom(document.camera));
  const [west, south, east, north] = document.bounds ?? [-180, -85, 180, 85];
  if (east - west >= 360) return view.normalized({ latitude: 20, longitude: 0, zoom: 2, bearing: 0, viewingAngle: 0 });
  const camera = view.fitted(CoordinateBounds.box([west, south, east, north]), aside(covered));
  return camera.zoom < document.minzoom ? view.zoomed(camera, document.minzoom) : camera;
}
return { rulesOf, paddingOf, backgroundOf, cameraFrom, aside, firstCamera };
})();
// map/absence.js
const module21 = (() => {
const { CoordinateBounds } = module8;
const { firstCamera } = module20;


function absenceOf(plan) {
  if (plan.rule === null) return "zoom";
  return plan.tiles.length === 0 ? "bounds" : null;
}

function absenceText(absence, { minzoom }) {
  return absence === "zoom" ? `Not here: the layer begins at zoom ${minzoom}.` : "Not here: the layer covers another area.";
}

function cameraToward({ document, kind }, camera, view, { scale, covered }) {
  const least = kind.minZoom - Math.log2((256 * scale) / kind.tileSize);
  const box = document.bounds ? CoordinateBounds.box(document.bounds) : null;
  if (!box || box.contains(camera)) return view.normalized({ ...camera, zoom: Math.max(camera.zoom, least) });
  const end = firstCamera({ bounds: document.bounds, minzoom: least }, view, covered);
  return view.normalized({ ...end, zoom: Math.max(end.zoom, least) });
}
return { absenceOf, absenceText, cameraToward };
})();
// input/Destinations.js
const module22 = (() => {
const { cameraToward } = module21;
const { firstCamera } = module20;

const placeZoom = 10;

const flight = /** @type {const} */ ({ duration: 900, curve: "easeInOut" });

class Destinations {
  #map;
  #motion;
  #covered;

  constructor(map, motion, covered) {
    [this.#map, this.#motion, this.#covered] = [map, motion, covered];
  }

  fit({ document }) {
    const bounds = document.bounds ?? [-180, -85, 180, 85];
    const end = firstCamera({ bounds, minzoom: document.minzoom }, this.#map.view, this.#covered());
    this.#motion.flyTo({ ...end, zoom: Math.max(end.zoom, document.minzoom ?? 0) }, flight);
  }

  goTo(layer) {
    const { camera, view, scale } = this.#map;
    this.#motion.flyTo(cameraToward(layer, camera, view, { scale, covered: this.#covered() }), flight);
  }

  goToPlace({ latitude, longitude, zoom, ...turned }) {
    const { camera } = this.#map;
    const { bearing = camera.bearing, viewingAngle = camera.viewingAngle } = turned;
    this.#motion.flyTo({ latitude, longitude, zoom: zoom ?? Math.max(camera.zoom, placeZoom), bearing, viewingAngle }, flight);
  }
}
return { Destinations };
})();
// input/WheelZoom.js
const module23 = (() => {
const { zoomed } = module12;

const [linePoints, pagePoints] = [20, 400];
const [zoomPoints, pinchPoints, smoothing] = [300, 100, 60];

function wheelZoom({ deltaY, deltaMode, ctrlKey }) {
  const points = deltaY * [1, linePoints, pagePoints][deltaMode];
  const zoom = -points / (ctrlKey ? pinchPoints : zoomPoints);
  return Math.min(Math.max(zoom, -1), 1);
}

class WheelZoom {
  #map;
  #motion;
  #left = 0;

  constructor(element, map, motion) {
    this.#map = map;
    this.#motion = motion;
    element.addEventListener("wheel", (event) => this.#turn(event, element), { passive: false });
  }

  #turn(event, element) {
    event.preventDefault();
    const box = element.getBoundingClientRect();
    const point = { x: event.clientX - box.left, y: event.clientY - box.top };
    this.#left += wheelZoom(event);
    this.#motion.drive((elapsed) => {
      const part = this.#left * (1 - Math.exp(-elapsed / smoothing));
      const step = Math.abs(this.#left) < 0.002 ? this.#left : part;
      this.#left -= step;
      this.#map.camera = zoomed(this.#map.view, this.#map.camera, step, point);
      return this.#left !== 0;
    });
  }
}
return { wheelZoom, WheelZoom };
})();
// input/keyboard.js
const module24 = (() => {
const [step, turn, tilt] = [120, 15, 5];

function northUp(camera) {
  return { ...camera, bearing: 0, viewingAngle: 0 };
}

function cameraForKey({ key, shiftKey }, camera, view, home) {
  switch (key) {
    case "ArrowLeft": return shiftKey ? { ...camera, bearing: camera.bearing - turn } : view.scrolled(camera, -step, 0);
    case "ArrowRight": return shiftKey ? { ...camera, bearing: camera.bearing + turn } : view.scrolled(camera, step, 0);
    case "ArrowUp":
      return shiftKey ? { ...camera, viewingAngle: camera.viewingAngle + tilt } : view.scrolled(camera, 0, -step);
    case "ArrowDown":
      return shiftKey
        ? { ...camera, viewingAngle: Math.max(camera.viewingAngle - tilt, 0) } : view.scrolled(camera, 0, step);
    case "+": case "=": return view.zoomed(camera, camera.zoom + 1);
    case "-": case "_": return view.zoomed(camera, camera.zoom - 1);
    case "n": case "N": return northUp(camera);
    case "Home": return home;
    default: return null;
  }
}

function listenToKeys(element, map, motion, home) {
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey || event.target !== element) return;
    const end = cameraForKey(event, motion.goal, map.view, home());
    if (!end) return;
    event.preventDefault();
    motion.flyTo(end);
  });
}
return { northUp, cameraForKey, listenToKeys };
})();
// input/hash.js
const module25 = (() => {

function cameraText({ latitude, longitude, zoom, bearing, viewingAngle }) {
  const digits = Math.min(Math.max(Math.ceil(Math.log10((256 * 2 ** zoom * 4) / 360)), 1), 9);
  const place = `${short(longitude, digits)},${short(latitude, digits)},${short(zoom, 3)}`;
  const [turned, tilted] = [short(bearing, 2), short(viewingAngle, 2)];
  if (tilted !== "0") return `${place}@${turned},${tilted}`;
  return turned === "0" ? place : `${place}@${turned}`;
}

function short(number, digits) {
  return String(Number(number.toFixed(digits)) + 0);
}

function cameraOf(text) {
  const match = /^(-?[\d.]+),(-?[\d.]+),([\d.]+)(?:@(-?[\d.]+)(?:,([\d.]+))?)?$/.exec(text);
  if (!match) return null;
  const [longitude, latitude, zoom, bearing, viewingAngle] = match.slice(1).map((part) => Number(part ?? 0));
  const camera = { latitude, longitude, zoom, bearing, viewingAngle };
  return Object.values(camera).every(Number.isFinite) ? camera : null;
}

function slashCameraOf(text) {
  const match = /^(?:map=)?([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)(?:\/(-?[\d.]+)(?:\/([\d.]+))?)?$/.exec(text);
  if (!match) return null;
  const [zoom, latitude, longitude, bearing, viewingAngle] = match.slice(1).map((part) => Number(part ?? 0));
  const camera = { latitude, longitude, zoom, bearing, viewingAngle };
  return Object.values(camera).every(Number.isFinite) && Math.abs(latitude) <= 90 && zoom <= 30 ? camera : null;
}

function readHash(hash) {
  const found = { camera: null, layers: null, token: null, code: null };
  for (const part of hash.replace(/^#/, "").split("&")) {
    if (/^layers=[A-Z]+$/.test(part)) continue;
    if (part.startsWith("layers=")) found.layers = part.slice(7).split(",").filter(Boolean).map(shown);
    else if (part.startsWith("token=")) found.token = decoded(part.slice(6));
    else if (part.startsWith("code=")) found.code = decoded(part.slice(5));
    else found.camera = cameraOf(part) ?? slashCameraOf(part) ?? found.camera;
  }
  return found;
}

function shown(text) {
  const [id, opacity] = text.split(":");
  const number = Number(opacity ?? 1);
  return { id, opacity: number >= 0 && number <= 1 ? number : 1 };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writeHash(camera, layers) {
  const text = `#${cameraText(camera)}`;
  if (!layers) return text;
  return `${text}&layers=${layersText(layers)}`;
}

function layersText(layers) {
  return layers.map(({ id, opacity }) => (opacity === 1 ? id : `${id}:${short(opacity, 2)}`)).join(",");
}
return { cameraText, short, cameraOf, slashCameraOf, readHash, writeHash, layersText };
})();
// input/AddressBar.js
const module26 = (() => {
const { readHash, writeHash } = module25;

const delay = 300;

class AddressBar {
  home = [];
  onLayers = () => {};
  #map;
  #stack;
  #timer = 0;
  #written = null;

  constructor(map, stack) {
    [this.#map, this.#stack] = [map, stack];
  }

  get id() {
    return location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  }

  follow() {
    this.#map.addEventListener("move", () => this.#plan());
    this.#stack.addEventListener("change", () => this.#plan());
    addEventListener("hashchange", () => this.#read());
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
return { AddressBar };
})();
// input/unknownLayers.js
const module27 = (() => {

function nearestLayer(text, layers) {
  const wanted = text.toLowerCase();
  let [best, least] = [/** @type {Layer | null} */ (null), Infinity];
  for (const layer of layers) {
    for (const word of [layer.id, layer.name.toLowerCase()]) {
      const steps = distance(wanted, word);
      const isClose = steps <= Math.max(1, Math.floor(Math.max(wanted.length, word.length) / 3));
      const isPart = Math.min(wanted.length, word.length) >= 3 && (word.startsWith(wanted) || wanted.startsWith(word));
      if ((isClose || isPart) && steps < least) [best, least] = [layer, steps];
    }
  }
  return best;
}

function distance(first, second) {
  const rows = [Array.from({ length: second.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= first.length; row += 1) {
    const [above, line] = [rows[row - 1], [row]];
    for (let at = 1; at <= second.length; at += 1) {
      const isSame = first[row - 1] === second[at - 1];
      line[at] = Math.min(above[at] + 1, line[at - 1] + 1, above[at - 1] + (isSame ? 0 : 1));
      const isExchanged = row > 1 && at > 1 && first[row - 1] === second[at - 2] && first[row - 2] === second[at - 1];
      if (isExchanged) line[at] = Math.min(line[at], rows[row - 2][at - 2] + 1);
    }
    rows.push(line);
  }
  return rows[first.length][second.length];
}

function unknownLayers(ids, entries) {
  const unknown = [...new Set(ids)].filter((id) => !entries.has(id));
  if (unknown.length === 0) return null;
  const near = [...new Set(unknown.map((id) => nearestLayer(id, entries.values())).filter((layer) => layer !== null))];
  const shown = unknown.slice(0, 3).map((id) => `"${id}"`);
  const names = unknown.length > 3 ? shown.join(", ") : oneOf(shown);
  const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : "";
  const [plural, hint] = [unknown.length === 1 ? "" : "s", oneOf(near.map(({ id }) => `"${id}"`))];
  const text = `The server has no layer${plural} ${names}${more}, which the page's address names.`;
  return { text: hint ? `${text} Did you mean ${hint}?` : text, near };
}

function oneOf(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
return { nearestLayer, unknownLayers };
})();
// map/LayerStack.js
const module28 = (() => {
class LayerStack extends EventTarget {
  entries = new Map();
  shown = [];

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

  move(layer, place) {
    const others = this.shown.filter((each) => each !== layer);
    others.splice(Math.min(Math.max(place, 0), others.length), 0, layer);
    this.shown = others;
    this.#changed();
  }

  setOpacity(layer, opacity) {
    layer.opacity = opacity;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
return { LayerStack };
})();
// map/FramePace.js
const module29 = (() => {
const [tooLong, enough] = [34, 4];
const [leastRest, mostRest] = [120, 2000];
const [longest, memory] = [5000, 20_000];

class FramePace {
  isHeld = false;
  #last = -Infinity;
  #interval = 0;
  #slow = 0;
  #slowUntil = 0;
  #timer = 0;
  #hasMoved = false;

  get isMoving() {
    return this.#timer !== 0;
  }

  move(onRest) {
    clearTimeout(this.#timer);
    this.#hasMoved = true;
    const rest = Math.min(Math.max(3 * this.#interval, leastRest), mostRest);
    this.#timer = setTimeout(() => this.#rest(onRest), rest);
  }

  #rest(onRest) {
    this.#timer = 0;
    if (this.isHeld) this.#timer = setTimeout(() => this.#rest(onRest), leastRest);
    else onRest();
  }

  isDraft(now, isSlow = false) {
    const interval = now - this.#last;
    this.#last = now;
    const isMoving = this.#hasMoved || this.isMoving;
    this.#hasMoved = false;
    if (isMoving && interval < longest) {
      this.#interval = interval;
      this.#slow = interval > tooLong ? this.#slow + 1 : 0;
      if (this.#slow >= enough) this.#slowUntil = now + memory;
    }
    return isMoving && (isSlow || now <= this.#slowUntil);
  }
}
return { FramePace };
})();
// map/resize.js
const module30 = (() => {
function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
return { resize };
})();
// map/FlatSurface.js
const module31 = (() => {
const { resize } = module30;

class FlatSurface {
  canTilt = false;
  isSlow = false;
  #context;
  #layer = null;

  static on(canvas) {
    return new FlatSurface(canvas.getContext("2d"));
  }

  constructor(context) {
    this.#context = context;
  }

  has(tile) {
    return tile.image !== null;
  }

  isFresh(tile) {
    return tile.image !== null;
  }

  upload() {}

  release() {}

  resize(width, height) {
    resize(this.#context.canvas, width, height);
  }

  draw(ground, layers, background, isDraft = false) {
    const context = this.#context;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.globalCompositeOperation = "copy";
    const [red, green, blue, alpha] = background;
    context.fillStyle = `rgb(${red * 255} ${green * 255} ${blue * 255} / ${alpha})`;
    context.fillRect(0, 0, width, height);
    context.globalCompositeOperation = "source-over";
    for (const layer of layers) this.#drawLayer(ground, layer, isDraft);
  }

  #drawLayer(ground, { opacity, covers }, isDraft) {
    const isSummed = !isDraft && covers.some((part) => part.isFading);
    const { canvas } = this.#context;
    const target = isSummed ? this.#emptyLayer(canvas.width, canvas.height) : this.#context;
    target.globalCompositeOperation = isSummed ? "lighter" : "source-over";
    for (const { pieces } of covers) drawPieces(target, ground, pieces, isSummed ? 1 : opacity);
    if (!isSummed) return;
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.globalAlpha = opacity;
    this.#context.drawImage(target.canvas, 0, 0);
  }

  #emptyLayer(width, height) {
    this.#layer ??= document.createElement("canvas").getContext("2d");
    resize(this.#layer.canvas, width, height);
    this.#layer.setTransform(1, 0, 0, 1, 0, 0);
    this.#layer.clearRect(0, 0, width, height);
    return this.#layer;
  }
}

function drawPieces(context, { projection, scale }, pieces, opacity) {
  const { center, bearing, worldSize } = projection;
  const { sine, cosine } = bearing;
  context.setTransform(cosine, -sine, sine, cosine, center.x * scale, center.y * scale);
  const pixels = worldSize * scale;
  const [snapX, snapY] = sine === 0 && cosine === 1
    ? [(x) => Math.round(x + center.x * scale) - center.x * scale, (y) => Math.round(y + center.y * scale) - center.y * scale]
    : [(x) => x, (y) => y];
  const overlap = sine === 0 && cosine === 1 ? 0 : 0.5;
  for (const { tile, west, north, side, part, weight } of pieces) {
    const [left, top] = [snapX(west * pixels), snapY(north * pixels)];
    const [right, bottom] = [snapX((west + side) * pixels), snapY((north + side) * pixels)];
    const { width, height } = tile.image;
    context.globalAlpha = opacity * weight;
    context.drawImage(
      tile.image, part.x * width, part.y * height, part.size * width, part.size * height,
      left, top, right - left + overlap, bottom - top + overlap);
  }
}
return { FlatSurface };
})();
// map/pieces.js
const module32 = (() => {
const fadeTime = 200;

function piecesOf(cover, find, opacityOf) {
  const pieces = [];
  const whole = new Map();
  let isFading = false;
  for (const slot of cover.tiles) {
    const square = {
      west: (slot.column - cover.target.x) / cover.span, north: (slot.row - cover.target.y) / cover.span,
      side: 1 / cover.span,
    };
    const tile = find(slot);
    if (tile === "none") continue;
    const opacity = tile ? opacityOf(tile) : 0;
    if (opacity < 1) {
      const others = standIns(slot, square, find);
      for (const piece of others) pieces.push({ ...piece, weight: 1 - opacity, joins: alone });
      if (opacity > 0 && others.length > 0) isFading = true;
    }
    if (opacity === 0) continue;
    const piece = { tile, ...square, part: { x: 0, y: 0, size: 1 }, weight: opacity, joins: alone };
    pieces.push(piece);
    if (opacity === 1) whole.set(`${slot.column}/${slot.row}`, { piece, slot });
  }
  for (const { piece, slot: { column, row } } of whole.values()) {
    const sides = [[column - 1, row], [column, row - 1], [column + 1, row], [column, row + 1]];
    piece.joins = sides.map(([x, y]) => (whole.has(`${x}/${y}`) ? 1 : 0));
  }
  return { pieces, isFading };
}

const alone = [0, 0, 0, 0];

function standIns(slot, square, find) {
  const children = descendants(slot, square, find, 2);
  if (children.isWhole) return children.pieces;
  const above = ancestor(slot, square, find);
  return above ? [above] : children.pieces;
}

function ancestor(slot, square, find) {
  for (let levels = 1; levels <= slot.z; levels += 1) {
    const count = 2 ** levels;
    const tile = find({ z: slot.z - levels, x: Math.floor(slot.x / count), y: Math.floor(slot.y / count) });
    if (tile === "none" || !tile) continue;
    const part = { x: (slot.x % count) / count, y: (slot.y % count) / count, size: 1 / count };
    return { tile, ...square, part };
  }
  return null;
}

function descendants(slot, square, find, depth) {
  const pieces = [];
  let isWhole = true;
  for (const [column, row] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
    const child = { z: slot.z + 1, x: 2 * slot.x + column, y: 2 * slot.y + row };
    const side = square.side / 2;
    const part = { west: square.west + column * side, north: square.north + row * side, side };
    const tile = find(child);
    if (tile === "none") continue;
    if (tile) {
      pieces.push({ tile, ...part, part: { x: 0, y: 0, size: 1 } });
    } else if (depth > 1) {
      const below = descendants(child, part, find, depth - 1);
      pieces.push(...below.pieces);
      isWhole &&= below.isWhole;
    } else {
      isWhole = false;
    }
  }
  return { pieces, isWhole };
}
return { fadeTime, piecesOf };
})();
// map/ScreenGround.js
const module33 = (() => {
const leastNearness = 2 ** -20;

class ScreenGround {
  constructor(projection, scale) {
    this.projection = projection;
    this.scale = scale;
    this.width = Math.max(1, Math.round(projection.viewport.width * scale));
    this.height = Math.max(1, Math.round(projection.viewport.height * scale));
    this.isFlat = projection.tilt.sine === 0;
  }

  footprint(y) {
    const nearness = this.nearness(y);
    if (!(nearness > leastNearness)) return null;
    const across = 1 / (nearness * this.scale * this.projection.worldSize);
    return across <= 1 ? { across, along: across / (nearness * this.projection.tilt.cosine) } : null;
  }

  offset(x, y) {
    const { projection, scale } = this;
    const nearness = this.nearness(y);
    const right = (x / scale - projection.center.x) / (nearness * projection.worldSize);
    const down = (y / scale - projection.center.y) / (projection.tilt.cosine * nearness * projection.worldSize);
    const { sine, cosine } = projection.bearing;
    return { x: right * cosine - down * sine, y: right * sine + down * cosine };
  }

  nearness(y) {
    const { center, distance, tilt } = this.projection;
    return 1 + ((y / this.scale - center.y) / distance) * (tilt.sine / tilt.cosine);
  }
}
return { ScreenGround };
})();
// map/requestLimit.js
const module34 = (() => {
const fewest = 6;

const most = 64;

const mostAborts = 100;

function requestLimit(protocol) {
  if (protocol === "h2" || protocol === "h3") return most;
  return protocol.startsWith("http/") ? fewest : null;
}

function observeRequestLimit(setLimit, Observer = globalThis.PerformanceObserver) {
  const observer = new Observer((list) => {
    for (const entry of list.getEntries()) {
      const limit = requestLimit(/** @type {PerformanceResourceTiming} */ (entry).nextHopProtocol);
      if (limit !== null) setLimit(limit);
    }
  });
  observer.observe({ type: "resource", buffered: true });
}
return { fewest, most, mostAborts, requestLimit, observeRequestLimit };
})();
// map/LevelCover.js
const module35 = (() => {
const { project, tileBounds } = module1;
const { CoordinateBounds } = module8;

const touch = 1e-9;

class LevelCover {
  constructor(zoom, target) {
    this.zoom = zoom;
    this.span = 2 ** zoom;
    const [x, y] = [target.x * this.span, target.y * this.span];
    this.origin = { column: Math.floor(x), row: Math.min(Math.floor(y), this.span - 1) };
    this.target = { x: x - this.origin.column, y: y - this.origin.row };
    this.tiles = [];
    this.rows = null;
  }

  add(corners, bounds, reach, limit) {
    const shape = corners.map((corner) => ({
      x: this.target.x + corner.x * this.span, y: this.target.y + corner.y * this.span,
    }));
    const ys = shape.map((corner) => corner.y);
    const [north, south] = this.#rows(bounds, reach);
    const first = Math.floor(Math.max(Math.min(...ys) + touch, north - this.origin.row));
    const last = Math.floor(Math.min(Math.max(...ys) - touch, south + 1 - this.origin.row - 0.5));
    if (first > last) return true;
    if (last - first >= limit) return false;
    for (let row = first; row <= last; row += 1) {
      const columns = this.#columns(row, shape, limit);
      if (!columns) return false;
      for (let column = columns[0]; column <= columns[1]; column += 1) this.#add(column, row, bounds, reach);
      if (this.tiles.length > limit) return false;
    }
    return true;
  }

  #add(column, row, bounds, reach) {
    const x = (((this.origin.column + column) % this.span) + this.span) % this.span;
    const tile = { z: this.zoom, x, y: this.origin.row + row, column, row };
    if (tile.y < 0 || tile.y >= this.span) return;
    if (bounds && !bounds.intersects(boundsOf(tile, reach))) return;
    tile.distance = Math.hypot(column + 0.5 - this.target.x, row + 0.5 - this.target.y) / this.span;
    this.tiles.push(tile);
  }

  #columns(row, shape, limit) {
    let [west, east] = [Infinity, -Infinity];
    shape.forEach((end, index) => {
      const start = shape[(index + shape.length - 1) % shape.length];
      const [upper, lower] = start.y <= end.y ? [start, end] : [end, start];
      if (upper.y > row + 1 || lower.y < row) return;
      for (const y of [Math.max(upper.y, row), Math.min(lower.y, row + 1)]) {
        const slope = lower.y > upper.y ? (y - upper.y) / (lower.y - upper.y) : null;
        const xs = slope === null ? [upper.x, lower.x] : [upper.x + (lower.x - upper.x) * slope];
        west = Math.min(west, ...xs);
        east = Math.max(east, ...xs);
      }
    });
    const [first, last] = [Math.floor(west + touch), Math.floor(east - touch)];
    if (first > last) return [0, -1];
    return last - first < limit ? [first, last] : null;
  }

  #rows(bounds, reach) {
    if (!bounds) return [0, this.span - 1];
    const row = (latitude) => Math.floor(project({ latitude, longitude: 0 }).y * this.span);
    return [Math.max(row(bounds.north) - reach, 0), Math.min(row(bounds.south) + reach, this.span - 1)];
  }
}

function boundsOf({ z, x, y }, reach) {
  const span = 2 ** z;
  if (2 * reach + 1 >= span) return CoordinateBounds.box([-180, -90, 180, 90]);
  const northWest = tileBounds({ z, x: (x - reach + span) % span, y: Math.max(y - reach, 0) });
  const southEast = tileBounds({ z, x: (x + reach) % span, y: Math.min(y + reach, span - 1) });
  return CoordinateBounds.box([northWest.west, southEast.south, southEast.east, northWest.north]);
}
return { LevelCover };
})();
// map/LevelRule.js
const module36 = (() => {
const fade = 0.75;

const measures = [
  (row) => row.across,
  (row) => Math.sqrt(row.across * row.along),
  (row) => row.along,
];

class LevelRule {
  constructor({ zoom, minZoom, tileSize, measure = 0, reach = Infinity }) {
    this.zoom = zoom;
    this.minZoom = minZoom;
    this.tileSize = tileSize;
    this.measure = measure;
    this.reach = reach;
  }

  levels(footprint) {
    const coarser = Math.max(0, Math.log2(measures[this.measure](footprint) * 2 ** this.zoom * this.tileSize));
    const drop = Math.floor(coarser);
    if (this.zoom - drop - this.minZoom < -this.reach) return [];
    const zoom = Math.max(this.zoom - drop, this.minZoom);
    const next = this.zoom - drop > this.minZoom ? Math.max(0, (coarser - drop - fade) / (1 - fade)) : 0;
    if (next === 0) return [{ zoom, weight: 1 }];
    return [{ zoom, weight: 1 - next }, { zoom: zoom - 1, weight: next }];
  }

  get coarser() {
    if (this.measure < 2) return new LevelRule({ ...this, measure: this.measure + 1 });
    if (this.zoom > this.minZoom) return new LevelRule({ ...this, zoom: this.zoom - 1 });
    if (this.reach > 0) return new LevelRule({ ...this, reach: Math.min(this.reach, 9) - 1 });
    return null;
  }
}

function tileZoom(cameraZoom, scale, tileSize, rule = "round") {
  const exact = cameraZoom + Math.log2((256 * scale) / tileSize);
  return Math.min(Math.max(Math.floor(rule === "floor" ? exact : exact + 0.5), 0), 30);
}
return { fade, LevelRule, tileZoom };
})();
// map/TilePlan.js
const module37 = (() => {
const { LevelCover } = module35;
const { LevelRule, tileZoom } = module36;

const tileLimit = 256;

const most = 2 ** 18;

function planTiles(ground, layer, limit = tileLimit) {
  const { projection, scale } = ground;
  const zoom = Math.min(tileZoom(projection.camera.zoom, scale, layer.tileSize, layer.zoomRule), layer.maxZoom);
  if (zoom < layer.minZoom) return { covers: [], rule: null, tiles: [] };
  let rule = new LevelRule({ zoom, minZoom: layer.minZoom, tileSize: layer.tileSize });
  for (;;) {
    const coarser = rule.coarser;
    const { covers, isWhole } = find(ground, rule, layer, coarser ? limit : most);
    const tiles = nearest(covers);
    if ((isWhole && tiles.length <= limit) || !coarser) return { covers, rule, tiles: tiles.slice(0, limit) };
    rule = coarser;
  }
}

function find(ground, rule, { bounds, reach }, limit) {
  const covers = [];
  for (const part of parts(ground, rule)) {
    const cover = new LevelCover(part.zoom, ground.projection.target);
    cover.rows = part.rows;
    covers.push(cover);
    if (!cover.add(corners(ground, part.rows), bounds, reach ?? 0, limit)) return { covers, isWhole: false };
  }
  return { covers, isWhole: true };
}

function parts(ground, rule) {
  const found = new Map();
  const add = (index, footprint) => {
    for (const { zoom } of rule.levels(footprint)) {
      const part = found.get(zoom);
      if (part) part.rows[1] = index;
      else found.set(zoom, { zoom, rows: [index, index] });
    }
  };
  if (ground.isFlat) {
    const footprint = ground.footprint(0.5);
    if (footprint) [0, ground.height - 1].forEach((index) => add(index, footprint));
  } else {
    for (let index = 0; index < ground.height; index += 1) {
      const footprint = ground.footprint(index + 0.5);
      if (footprint) add(index, footprint);
    }
  }
  return [...found.values()].sort((first, second) => second.zoom - first.zoom);
}

function corners(ground, [first, last]) {
  const far = ground.footprint(first) ? first : first + 0.5;
  return [
    ground.offset(0, far), ground.offset(ground.width, far), ground.offset(ground.width, last + 1),
    ground.offset(0, last + 1),
  ];
}

function nearest(covers) {
  const found = new Map();
  for (const cover of covers) {
    for (const tile of cover.tiles) {
      const key = tileKey(tile);
      if (!(found.get(key)?.distance <= tile.distance)) found.set(key, tile);
    }
  }
  return [...found.values()].sort((first, second) => first.distance - second.distance || first.z - second.z);
}

function tileKey({ z, x, y }) {
  return `${z}/${x}/${y}`;
}
return { tileLimit, planTiles, tileKey };
})();
// map/TileQueue.js
const module38 = (() => {
const { fewest, mostAborts } = module34;

class TileQueue {
  #limit;
  #waiting = [];
  #running = new Map();
  #aborts = mostAborts;
  #countedAt;
  #now;

  constructor(limit = fewest, now = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#countedAt = now();
  }

  get count() {
    return this.#waiting.length + this.#running.size;
  }

  get limit() {
    return this.#limit;
  }

  set limit(limit) {
    this.#limit = limit;
    this.#start();
  }

  replace(jobs) {
    const wanted = new Map(jobs.map((job) => [job.key, job]));
    for (const [key, controller] of this.#running) {
      if (wanted.delete(key) || !this.#takeAbort()) continue;
      this.#running.delete(key);
      controller.abort();
    }
    this.#waiting = [...wanted.values()].sort((first, second) => second.priority - first.priority);
    this.#start();
  }

  #takeAbort() {
    if (this.#limit <= fewest) return true;
    const now = this.#now();
    this.#aborts = Math.min(mostAborts, this.#aborts + (mostAborts * (now - this.#countedAt)) / 10_000);
    this.#countedAt = now;
    if (this.#aborts < 1) return false;
    this.#aborts -= 1;
    return true;
  }

  #start() {
    while (this.#running.size < this.#limit && this.#waiting.length > 0) {
      const job = this.#waiting.pop();
      const controller = new AbortController();
      this.#running.set(job.key, controller);
      job.run(controller.signal).catch(() => {}).finally(() => {
        if (this.#running.get(job.key) === controller) this.#running.delete(job.key);
        this.#start();
      });
    }
  }
}
return { TileQueue };
})();
// map/Program.js
const module39 = (() => {
class Program {
  constructor(gl, vertices, fragments, uniforms) {
    this.handle = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.handle, shader);
      gl.deleteShader(shader);
    }
    gl.bindAttribLocation(this.handle, 0, "corner");
    gl.bindAttribLocation(this.handle, 1, "inside");
    gl.linkProgram(this.handle);
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`the shaders cannot be used: ${gl.getProgramInfoLog(this.handle)}`);
    }
    for (const name of uniforms) this[name] = gl.getUniformLocation(this.handle, name);
  }
}
return { Program };
})();
// map/shaders.js
const module40 = (() => {

const squareVertices = `#version 300 es
in vec3 corner;
in vec2 inside;
out vec2 place;
void main() {
  gl_Position = vec4(corner.xy, 0.0, corner.z);
  place = inside;
}`;

const plainFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform vec3 part;      // which part of the image the square shows: corner, size
uniform float opacity;
in vec2 place;
out vec4 color;
void main() {
  color = texture(image, part.xy + place * part.z) * opacity;
}`;

const groundFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform vec4 view;      // where the target is drawn, in pixels; pixels a point; the height in pixels
uniform vec4 camera;    // sine and cosine of the bearing, 1 / cosine of the tilt, loss of nearness a point downwards
uniform vec3 square;    // where the target is in the square, in its sides; sides a point
uniform vec3 part;      // which part of the image the square shows: corner, size
uniform vec3 texels;    // texels a point; how often the image can be halved; texels along the square
uniform vec4 joins;     // whether the image goes on in another to the west, north, east, south
uniform vec4 level;     // texels a point at the finest zoom; zooms above it; how many there are; the rule's measure, or -1
uniform float opacity;
out vec4 color;

float weight(float across, float along) {
  if (level.w < 0.0) return 1.0;
  float size = level.w < 0.5 ? across : level.w < 1.5 ? sqrt(across * along) : along;
  float coarser = max(0.0, log2(size * level.x));
  float whole = floor(coarser);
  float next = max(0.0, (coarser - whole - 0.75) / 0.25);
  if (level.y >= level.z) return whole >= level.y ? 1.0 : whole == level.y - 1.0 ? next : 0.0;
  return whole == level.y ? 1.0 - next : whole == level.y - 1.0 ? next : 0.0;
}

vec4 sampled(vec2 pixel, float halvings) {
  vec2 point = (pixel - view.xy) / view.z;
  float nearness = 1.0 + point.y * camera.w;
  vec2 ground = vec2(point.x, point.y * camera.z) / nearness;
  vec2 offset = vec2(ground.x * camera.y - ground.y * camera.x, ground.x * camera.x + ground.y * camera.y);
  vec2 inside = square.xy + offset * square.z;
  float count = texels.z * exp2(-halvings);
  vec2 low = mix(vec2(1.0), clamp(inside * count + 0.5, 0.0, 1.0), joins.xy);
  vec2 high = mix(vec2(1.0), clamp((1.0 - inside) * count + 0.5, 0.0, 1.0), joins.zw);
  return textureLod(image, part.xy + inside * part.z, halvings) * (low.x * low.y * high.x * high.y);
}

void main() {
  vec2 pixel = vec2(gl_FragCoord.x, view.w - gl_FragCoord.y);
  float nearness = 1.0 + (pixel.y - view.y) / view.z * camera.w;
  float across = 1.0 / (nearness * view.z);
  float along = across * camera.z / nearness;
  float share = weight(across, along) * opacity;
  across *= texels.x;
  along *= texels.x;
  float halvings = 0.0;
  while (halvings < texels.y && (across >= 2.0 || along > 20.0)) {
    across *= 0.5;
    along *= 0.5;
    halvings += 1.0;
  }
  int columns = int(clamp(ceil(across / 1.25 - 1e-4), 1.0, 2.0));
  int rows = int(clamp(ceil(along / 1.25 - 1e-4), 1.0, 16.0));
  if (columns == 1 && rows == 1) {
    color = sampled(pixel, halvings) * share;
    return;
  }
  vec2 corner = pixel - 0.5;
  vec4 sum = vec4(0.0);
  for (int row = 0; row < rows; row += 1) {
    for (int column = 0; column < columns; column += 1) {
      vec2 inside = (vec2(float(column), float(row)) + 0.5) / vec2(float(columns), float(rows));
      sum += sampled(corner + inside, halvings);
    }
  }
  color = sum * (share / float(rows * columns));
}`;

const wholeVertices = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const layerFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform float opacity;
out vec4 color;
void main() {
  color = texelFetch(image, ivec2(gl_FragCoord.xy), 0) * opacity;
}`;
return { squareVertices, plainFragments, groundFragments, wholeVertices, layerFragments };
})();
// map/squareCorners.js
const module41 = (() => {
const cornerSize = 5;

function squareCorners(pieces, projection, size, seen, reach) {
  const corners = new Float32Array(pieces.length * 6 * cornerSize);
  let index = 0;
  for (const piece of pieces) {
    const [toWest, toNorth, toEast, toSouth] = piece.joins;
    const west = Math.max(piece.west - toWest * reach, seen.west);
    const north = Math.max(piece.north - toNorth * reach, seen.north);
    const east = Math.min(piece.west + piece.side + toEast * reach, seen.east);
    const south = Math.min(piece.north + piece.side + toSouth * reach, seen.south);
    const square = east > west && south > north;
    for (const [x, y] of [[west, north], [east, north], [west, south], [west, south], [east, north], [east, south]]) {
      if (square) {
        corners.set(clip(projection, size, { x, y }), index);
        corners[index + 3] = (x - piece.west) / piece.side;
        corners[index + 4] = (y - piece.north) / piece.side;
      }
      index += cornerSize;
    }
  }
  return corners;
}

function clip(projection, { width, height }, offset) {
  const { center, distance, tilt } = projection;
  const { right, down } = projection.groundAt(offset);
  const depth = projection.depth(down) / distance;
  return [
    (2 * (center.x * depth + right)) / width - depth, depth - (2 * (center.y * depth + down * tilt.cosine)) / height, depth,
  ];
}

function seenBox(ground, [first, last]) {
  const top = ground.footprint(first) ? first : first + 0.5;
  const corners = [[0, top], [ground.width, top], [ground.width, last + 1], [0, last + 1]].map(([x, y]) =>
    ground.offset(x, y));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const margin = 0.01 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  return {
    west: Math.min(...xs) - margin, east: Math.max(...xs) + margin,
    north: Math.min(...ys) - margin, south: Math.max(...ys) + margin,
  };
}
return { cornerSize, squareCorners, clip, seenBox };
})();
// map/LayerTarget.js
const module42 = (() => {
class LayerTarget {
  #gl;
  #frame;
  #texture = null;
  #size = [0, 0];

  constructor(gl) {
    this.#gl = gl;
    this.#frame = gl.createFramebuffer();
  }

  begin() {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
    if (this.#size[0] !== width || this.#size[1] !== height) this.#resize(width, height);
    gl.scissor(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  bindTexture() {
    this.#gl.bindTexture(this.#gl.TEXTURE_2D, this.#texture);
  }

  #resize(width, height) {
    const gl = this.#gl;
    gl.deleteTexture(this.#texture);
    this.#texture = gl.createTexture();
    this.#size = [width, height];
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#texture, 0);
  }
}
return { LayerTarget };
})();
// map/TileTextures.js
const module43 = (() => {
class TileTextures {
  #gl;
  #takesImages;
  #textures = new Map();
  #halvingsLeft = Infinity;

  constructor(gl, takesImages) {
    this.#gl = gl;
    this.#takesImages = takesImages;
  }

  get(tile) {
    return this.#textures.get(tile);
  }

  has(tile) {
    return this.#textures.has(tile);
  }

  isFresh(tile) {
    return this.#textures.get(tile)?.image === tile.image;
  }

  upload(tile) {
    const gl = this.#gl;
    this.release(tile);
    const handle = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, handle);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, tile.image);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.#textures.set(tile, { handle, image: tile.image, width: tile.image.width, isHalved: false });
    if (this.#takesImages) tile.image.close();
  }

  release(tile) {
    const texture = this.#textures.get(tile);
    if (!texture) return;
    this.#gl.deleteTexture(texture.handle);
    this.#textures.delete(tile);
  }

  clear() {
    this.#textures.clear();
  }

  allowHalvings(count) {
    this.#halvingsLeft = count;
  }

  halvings(texture, footprint, density) {
    if (!texture.isHalved) {
      const isDense = footprint && (footprint.across * density >= 2 || footprint.along * density > 20);
      if (!isDense || this.#halvingsLeft === 0) return 0;
      this.#halvingsLeft -= 1;
      const gl = this.#gl;
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
      texture.isHalved = true;
    }
    return Math.floor(Math.log2(texture.width));
  }
}
return { TileTextures };
})();
// map/SoftwareSurface.js
const module44 = (() => {
const { FlatSurface } = module31;

class SoftwareSurface {
  canTilt = true;
  isSlow = true;
  #ground;
  #flat;
  #canvas;
  #isFlat = true;

  constructor(canvas, surface) {
    this.#ground = surface;
    this.#canvas = document.createElement("canvas");
    this.#canvas.setAttribute("aria-hidden", "true");
    canvas.after(this.#canvas);
    this.#flat = FlatSurface.on(this.#canvas);
  }

  has(tile) {
    return this.#current.has(tile);
  }

  isFresh(tile) {
    return this.#current.isFresh(tile);
  }

  upload(tile) {
    this.#current.upload(tile);
  }

  get #current() {
    return this.#isFlat ? this.#flat : this.#ground;
  }

  release(tile) {
    this.#ground.release(tile);
  }

  resize(width, height) {
    this.#flat.resize(width, height);
    this.#ground.resize(width, height);
  }

  draw(ground, layers, background, isMoving) {
    const { sine, cosine } = ground.projection.bearing;
    this.#isFlat = ground.isFlat && sine === 0 && cosine === 1;
    this.#canvas.hidden = !this.#isFlat;
    if (this.#isFlat) {
      this.#flat.draw(ground, layers, background, isMoving);
      return;
    }
    for (const { tile } of layers.flatMap(({ covers }) => covers.flatMap(({ pieces }) => pieces))) {
      if (!this.#ground.isFresh(tile)) this.#ground.upload(tile);
    }
    this.#ground.draw(ground, layers, background, isMoving, 2);
  }
}
return { SoftwareSurface };
})();
// map/WebGLSurface.js
const module45 = (() => {
const { Program } = module39;
const { groundFragments, layerFragments, plainFragments, squareVertices, wholeVertices } = module40;
const { cornerSize, seenBox, squareCorners } = module41;
const { LayerTarget } = module42;
const { TileTextures } = module43;
const { ScreenGround } = module33;
const { SoftwareSurface } = module44;
const { resize } = module30;

const draftHalvings = 2;

class WebGLSurface {
  canTilt = true;
  isSlow = false;
  #gl;
  #ground;
  #plain;
  #whole;
  #corners;
  #target;
  #textures;
  #size = [1, 1];

  static on(canvas, onLoss) {
    const options = { alpha: true, antialias: false, depth: false, premultipliedAlpha: true };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) return null;
    if (!isSoftware(gl)) return new WebGLSurface(canvas, gl, onLoss);
    return new SoftwareSurface(canvas, new WebGLSurface(canvas, gl, onLoss, false));
  }

  constructor(canvas, gl, onLoss, takesImages = true) {
    this.#gl = gl;
    this.#textures = new TileTextures(gl, takesImages);
    this.#prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.#textures.clear();
      this.#prepare();
      onLoss();
    });
  }

  #prepare() {
    const gl = this.#gl;
    const uniforms = ["image", "view", "camera", "square", "part", "texels", "joins", "level", "opacity"];
    this.#ground = new Program(gl, squareVertices, groundFragments, uniforms);
    this.#plain = new Program(gl, squareVertices, plainFragments, ["image", "part", "opacity"]);
    this.#whole = new Program(gl, wholeVertices, layerFragments, ["image", "opacity"]);
    this.#corners = gl.createBuffer();
    this.#target = new LayerTarget(gl);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#corners);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, cornerSize * 4, 0);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, cornerSize * 4, 12);
    gl.enable(gl.BLEND);
    gl.enable(gl.SCISSOR_TEST);
  }

  has(tile) {
    return this.#textures.has(tile);
  }

  isFresh(tile) {
    return this.#textures.isFresh(tile);
  }

  upload(tile) {
    this.#textures.upload(tile);
  }

  release(tile) {
    this.#textures.release(tile);
  }

  resize(width, height) {
    this.#size = [width, height];
    resize(this.#gl.canvas, width, height);
  }

  draw(ground, layers, background, isDraft = false, coarseness = 1) {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const pixels = isDraft ? coarseness : 1;
    this.#textures.allowHalvings(isDraft ? draftHalvings : Infinity);
    resize(gl.canvas, ...this.#size.map((side) => Math.ceil(side / pixels)));
    const { width, height } = gl.canvas;
    gl.viewport(0, 0, width, height);
    gl.scissor(0, 0, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const [red, green, blue, alpha] = background;
    gl.clearColor(red * alpha, green * alpha, blue * alpha, alpha);
    gl.clear(gl.COLOR_BUFFER_BIT);
    for (const layer of layers) {
      if (isDraft) this.#draftLayer(new ScreenGround(ground.projection, ground.scale / pixels), layer, pixels);
      else this.#drawLayer(ground, layer);
    }
  }

  #draftLayer(ground, { opacity, covers }, pixels) {
    const gl = this.#gl;
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    let last = ground.height - 1;
    for (const { cover, pieces } of covers) {
      const first = Math.floor(cover.rows[0] / pixels);
      if (first <= last) this.#drawPlain(ground, pieces, [first, last], opacity);
      last = Math.min(last, first - 1);
    }
  }

  #drawLayer(ground, { opacity, plan, covers }) {
    const gl = this.#gl;
    const isUpright = ground.isFlat && ground.projection.bearing.sine === 0;
    const isSummed = !isUpright || covers.length > 1 || covers.some((part) => part.isFading);
    if (isSummed) {
      this.#target.begin();
      gl.blendFunc(gl.ONE, gl.ONE);
    } else {
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    }
    for (const part of covers) {
      const level = levelOf(ground, plan.rule, part.cover, covers.length > 1);
      this.#drawCover(ground, part, level, isSummed, isSummed ? 1 : opacity);
    }
    if (!isSummed) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.scissor(0, 0, gl.canvas.width, gl.canvas.height);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.#whole.handle);
    gl.uniform1f(this.#whole.opacity, opacity);
    this.#target.bindTexture();
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  #drawCover(ground, { cover, pieces }, level, isSummed, opacity) {
    if (pieces.length === 0) return;
    if (!isSummed && ground.isFlat && density(ground, pieces, this.#textures) <= 1.25) {
      this.#drawPlain(ground, pieces, cover.rows, opacity);
      return;
    }
    const gl = this.#gl;
    const program = this.#ground;
    const { projection, scale } = ground;
    const joined = isSummed ? pieces : pieces.map(apart);
    this.#placeCorners(ground, joined, cover.rows, reach(ground, cover));
    gl.useProgram(program.handle);
    const { center, bearing, tilt, distance, worldSize } = projection;
    gl.uniform4f(program.view, center.x * scale, center.y * scale, scale, gl.canvas.height);
    gl.uniform4f(program.camera, bearing.sine, bearing.cosine, 1 / tilt.cosine, tilt.sine / tilt.cosine / distance);
    gl.uniform4f(program.level, ...level);
    joined.forEach((piece, index) => {
      const texture = this.#textures.get(piece.tile);
      const sides = 1 / (piece.side * worldSize);
      const texels = texture.width * piece.part.size * sides;
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      const halvings = this.#textures.halvings(texture, ground.footprint(cover.rows[0] + 0.5), worldSize * texels);
      gl.uniform3f(program.square, -piece.west / piece.side, -piece.north / piece.side, sides);
      gl.uniform3f(program.part, piece.part.x, piece.part.y, piece.part.size);
      gl.uniform3f(program.texels, texels, halvings, texture.width * piece.part.size);
      gl.uniform4f(program.joins, ...piece.joins);
      gl.uniform1f(program.opacity, opacity * piece.weight);
      gl.drawArrays(gl.TRIANGLES, index * 6, 6);
    });
  }

  #drawPlain(ground, pieces, rows, opacity) {
    if (pieces.length === 0) return;
    const gl = this.#gl;
    const program = this.#plain;
    this.#placeCorners(ground, pieces.map(apart), rows, 0);
    gl.useProgram(program.handle);
    const footprint = ground.footprint(rows[0] + 0.5);
    pieces.forEach((piece, index) => {
      const texture = this.#textures.get(piece.tile);
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      this.#textures.halvings(texture, footprint, (texture.width * piece.part.size) / piece.side);
      gl.uniform3f(program.part, piece.part.x, piece.part.y, piece.part.size);
      gl.uniform1f(program.opacity, opacity * piece.weight);
      gl.drawArrays(gl.TRIANGLES, index * 6, 6);
    });
  }

  #placeCorners(ground, pieces, [first, last], reach) {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    const size = { width: width / ground.scale, height: height / ground.scale };
    const corners = squareCorners(pieces, ground.projection, size, seenBox(ground, [first, last]), reach);
    gl.scissor(0, height - 1 - last, width, last - first + 1);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STREAM_DRAW);
  }
}

function isSoftware(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(renderer);
}

function apart(piece) {
  return { ...piece, joins: [0, 0, 0, 0] };
}

function density({ projection, scale }, pieces, textures) {
  return pieces.reduce((most, { tile, part, side }) =>
    Math.max(most, (textures.get(tile).width * part.size) / (side * projection.worldSize * scale)), 0);
}

function levelOf(ground, rule, cover, isOneOfSeveral) {
  if (!isOneOfSeveral) return [1, 0, 0, -1];
  const texels = (2 ** rule.zoom * rule.tileSize) / ground.projection.worldSize;
  return [texels, rule.zoom - cover.zoom, rule.zoom - rule.minZoom, rule.measure];
}

function reach(ground, cover) {
  const size = ground.footprint(cover.rows[0] + 0.5);
  return size ? 1.5 * Math.max(size.along, 2 / (256 * cover.span)) : 0;
}
return { WebGLSurface };
})();
// map/MapCanvas.js
const module46 = (() => {
const { MapView } = module19;
const { ViewingAngleLimit } = module17;
const { Viewport } = module18;
const { FramePace } = module29;
const { FlatSurface } = module31;
const { fadeTime, piecesOf } = module32;
const { backgroundOf, paddingOf, rulesOf } = module20;
const { ScreenGround } = module33;
const { observeRequestLimit } = module34;
const { planTiles, tileKey } = module37;
const { TileQueue } = module38;
const { WebGLSurface } = module45;

const [mostTiles, uploadTime] = [400, 6];

class MapCanvas extends EventTarget {
  layers = [];
  #canvas;
  #surface;
  #width = 1;
  #queue = new TileQueue();
  #document = {};
  #camera = { latitude: 0, longitude: 0, zoom: 0, bearing: 0, viewingAngle: 0 };
  #frame = 0;
  #retry = 0;
  #retryAt = Infinity;
  #pace = new FramePace();
  #darkScheme = matchMedia("(prefers-color-scheme: dark)");

  constructor(canvas, { isFlat = false } = {}) {
    super();
    this.#canvas = canvas;
    const onLoss = () => this.#forget();
    this.#surface = (!isFlat && WebGLSurface.on(canvas, onLoss)) || FlatSurface.on(canvas);
    this.view = new MapView(this.#rules(), new Viewport(1, 1));
    observeRequestLimit((limit) => { this.#queue.limit = limit; });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.#darkScheme.addEventListener("change", () => this.invalidate());
    this.resize();
  }

  get canTilt() {
    return this.#surface.canTilt;
  }

  release = (tile) => this.#surface.release(tile);

  setDocument(document) {
    this.#document = document;
    this.resize();
  }

  get camera() {
    return this.#camera;
  }

  set camera(position) {
    const camera = this.view.normalized(position);
    const isSame = Object.keys(camera).every((key) => camera[key] === this.#camera[key]);
    this.#camera = camera;
    if (isSame) return;
    this.#pace.move(() => this.invalidate());
    this.invalidate();
    this.dispatchEvent(new Event("move"));
  }

  set isHeld(isHeld) {
    this.#pace.isHeld = isHeld;
  }

  get projection() {
    return this.view.projection(this.#camera);
  }

  get requestLimit() {
    return this.#queue.limit;
  }

  get retryAt() {
    return this.#retryAt;
  }

  get isLoading() {
    return this.#queue.count > 0;
  }

  get scale() {
    return this.#width / this.view.viewport.width;
  }

  resize() {
    const width = Math.max(this.#canvas.clientWidth, 1);
    const height = Math.max(this.#canvas.clientHeight, 1);
    const pixels = globalThis.devicePixelRatio || 1;
    this.#width = Math.round(width * pixels);
    this.#surface.resize(this.#width, Math.round(height * pixels));
    this.view = new MapView(this.#rules(), Viewport.fitting(width, height, paddingOf(this.#document)));
    this.camera = this.#camera;
    this.invalidate();
  }

  #rules() {
    const rules = rulesOf(this.#document);
    return this.canTilt ? rules : { ...rules, viewingAngleLimit: new ViewingAngleLimit([[0, 0]]) };
  }

  invalidate() {
    this.#frame ||= requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#draw(now);
    });
  }

  #draw(now) {
    const ground = new ScreenGround(this.projection, this.scale);
    const plans = this.#plans(ground);
    const deadline = performance.now() + uploadTime;
    let isFading = false;
    const drawn = plans.map(({ layer, plan }) => {
      for (const place of plan.tiles) isFading = this.#upload(layer.tiles.get(place), now, deadline) || isFading;
      const opacityOf = (tile) => {
        const opacity = layer.document.fadeIn === false ? 1 : Math.min(1, (now - tile.shownAt) / fadeTime);
        isFading ||= opacity < 1;
        return Math.max(opacity, 0);
      };
      const find = (place) => this.#find(layer, place, now);
      const covers = plan.covers.map((cover) => ({ cover, ...piecesOf(cover, find, opacityOf) }));
      return { opacity: layer.opacity, plan, covers };
    });
    const isDark = this.#darkScheme.matches && plans.every(({ plan }) => plan.tiles.length === 0);
    this.#surface.draw(ground, drawn, backgroundOf(this.#document, isDark), this.#pace.isDraft(now, this.#surface.isSlow));
    this.#load(plans, ground);
    for (const layer of this.layers) layer.tiles.trim(mostTiles, now);
    if (isFading) this.invalidate();
    this.dispatchEvent(new CustomEvent("frame", { detail: { ground, plans } }));
  }

  #plans(ground) {
    const known = new Map();
    const plans = [];
    for (const layer of this.layers) {
      if (!layer.isVisible || layer.opacity === 0) continue;
      layer.setPixels(this.scale);
      const key = JSON.stringify(layer.kind);
      if (!known.has(key)) known.set(key, planTiles(ground, layer.kind));
      plans.push({ layer, plan: known.get(key) });
    }
    return plans;
  }

  #upload(tile, now, deadline) {
    if (!tile?.image) return false;
    if (!this.#surface.isFresh(tile)) {
      if (performance.now() > deadline) return true;
      this.#surface.upload(tile);
    }
    tile.shownAt ??= matchMedia("(prefers-reduced-motion: reduce)").matches ? -Infinity : now;
    return false;
  }

  #find(layer, place, now) {
    const tile = layer.tiles.get(place);
    if (!tile) return undefined;
    tile.usedAt = now;
    if (this.#surface.has(tile)) return tile;
    return tile.kind === "none" ? "none" : undefined;
  }

  #load(plans, ground) {
    const now = performance.now();
    const jobs = [];
    let retryAt = Infinity;
    plans.forEach(({ layer, plan }, index) => {
      const asked = layer.tiles.isDown ? plan.tiles.slice(0, 1) : plan.tiles;
      for (const tile of asked) {
        if (!layer.tiles.isWanted(tile, now)) continue;
        const priority = tile.distance * ground.projection.worldSize + index;
        jobs.push({ key: `${layer.id}:${tileKey(tile)}`, priority, run: (signal) => this.#ask(layer, tile, signal) });
      }
      retryAt = Math.min(retryAt, layer.tiles.retryTime(asked));
    });
    this.#queue.replace(jobs);
    this.#retryAt = retryAt;
    clearTimeout(this.#retry);
    if (retryAt < Infinity) this.#retry = setTimeout(() => this.invalidate(), Math.max(retryAt - now, 0) + 20);
  }

  async #ask(layer, place, signal) {
    await layer.tiles.load(place, signal);
    this.invalidate();
    this.dispatchEvent(new CustomEvent("tile", { detail: { layer, tile: layer.tiles.get(place) } }));
  }

  get isComplete() {
    return this.#queue.count === 0 && this.#frame === 0 && !this.#pace.isMoving;
  }

  #forget() {
    for (const layer of this.layers) layer.tiles.clear();
    this.invalidate();
  }
}
return { MapCanvas };
})();
// map/requestTile.js
const module47 = (() => {
function backoff(failures) {
  return Math.min(2 ** (failures - 1), 64);
}

async function requestTile(url, { signal, isReload = false, fetch = globalThis.fetch, decode = decodeImage }) {
  const began = performance.now();
  let response;
  try {
    response = await fetch(url, { signal, cache: isReload ? "reload" : "no-cache", credentials: "same-origin" });
    const answer = described(response, began);
    const kind = kindOf(response);
    if (kind === "image") {
      const image = await decode(await response.blob());
      answer.milliseconds = performance.now() - began;
      return { kind, image, answer, retryAfter: null };
    }
    if (kind !== "none") Object.assign(answer, await problem(response, signal));
    return { kind, image: null, answer, retryAfter: seconds(response.headers.get("Retry-After")) };
  } catch (error) {
    if (signal?.aborted) throw error;
    const answer = response ? described(response, began) : { status: 0, milliseconds: performance.now() - began };
    answer.title = response ? "The image cannot be decoded." : "The server cannot be reached.";
    return { kind: "failed", image: null, answer, retryAfter: null };
  }
}

function kindOf(response) {
  const isEmpty = response.headers.get("X-Tile-Status") === "no-tile";
  if (response.status === 204 || isEmpty) return "none";
  if (response.status === 200) return "image";
  return response.status >= 500 || response.status === 429 ? "failed" : "refused";
}

function described(response, began) {
  const field = (name) => response.headers.get(name);
  return {
    status: response.status, tileStatus: field("X-Tile-Status"), cacheStatus: field("Cache-Status"),
    age: field("Age") === null ? null : Number(field("Age")), milliseconds: performance.now() - began,
    fill: field("Server-Timing"), degraded: field("X-Tile-Degraded"), upscaled: field("X-Tile-Upscaled"),
    sourceZoom: field("X-Tile-Source-Zoom"), requestId: field("X-Request-Id"), date: field("Date"),
    code: field("X-Problem"),
  };
}

async function problem(response, signal) {
  try {
    const { code = response.headers.get("X-Problem"), title } = await response.json();
    return { code, title };
  } catch (error) {
    if (signal?.aborted) throw error;
    return {};
  }
}

function seconds(text) {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function decodeImage(blob) {
  return createImageBitmap(blob, { premultiplyAlpha: "premultiply", colorSpaceConversion: "none" });
}
return { backoff, requestTile };
})();
// map/LayerTiles.js
const module48 = (() => {
const { backoff, requestTile } = module47;
const { tileKey } = module37;

const enough = 6;



class LayerTiles {
  #tiles = new Map();
  #failures = 0;
  #url;
  #release;
  #request;

  constructor({ url, release = () => {}, request = requestTile }) {
    this.#url = url;
    this.#release = release;
    this.#request = request;
  }

  get({ z, x, y }) {
    return this.#tiles.get(tileKey({ z, x, y }));
  }

  get isDown() {
    return this.#failures >= enough;
  }

  isWanted(coordinate, now) {
    const tile = this.get(coordinate);
    if (!tile || tile.kind === "unknown" || tile.isExpired) return !(tile?.retryAt > now);
    return tile.kind === "failed" && tile.retryAt <= now;
  }

  retryTime(coordinates) {
    return coordinates.reduce((first, coordinate) => {
      const tile = this.get(coordinate);
      const waits = tile && (tile.kind === "failed" || tile.isExpired) && tile.retryAt > 0;
      return waits ? Math.min(first, tile.retryAt) : first;
    }, Infinity);
  }

  async load(coordinate, signal) {
    const tile = this.#entry(coordinate);
    const isReload = tile.isExpired;
    const { clears } = tile;
    const result = await this.#request(this.#url(coordinate), { signal, isReload });
    const failures = result.kind === "failed" ? tile.failures + 1 : 0;
    this.#failures = failures ? this.#failures + 1 : 0;
    const wait = failures ? (result.retryAfter ?? backoff(failures)) * 1000 : 0;
    Object.assign(tile, { failures, answer: result.answer, retryAt: failures ? performance.now() + wait : 0 });
    if (tile.clears !== clears) return;
    if (result.kind === "failed" && tile.image) return;
    if (tile.image && !result.image) this.#release(tile);
    Object.assign(tile, { kind: result.kind, image: result.image, isExpired: false, isNew: true });
  }

  expire(isAffected = () => true) {
    let count = 0;
    for (const tile of this.#tiles.values()) {
      if (!isAffected(tile)) continue;
      Object.assign(tile, { isExpired: true, retryAt: 0, clears: tile.clears + 1 });
      count += 1;
    }
    return count;
  }

  retry(isMeant) {
    const failed = [...this.#tiles.values()].filter((tile) => tile.failures > 0 && isMeant(tile));
    for (const tile of failed) tile.retryAt = 0;
  }

  trim(most, now) {
    if (this.#tiles.size <= most) return;
    const old = [...this.#tiles.values()].filter((tile) => tile.usedAt < now);
    old.sort((first, second) => first.usedAt - second.usedAt);
    for (const tile of old.slice(0, this.#tiles.size - most)) this.#drop(tile);
  }

  clear() {
    for (const tile of [...this.#tiles.values()]) this.#drop(tile);
  }

  #drop(tile) {
    this.#tiles.delete(tileKey(tile));
    if (tile.image) this.#release(tile);
  }

  #entry({ z, x, y }) {
    const key = tileKey({ z, x, y });
    let tile = this.#tiles.get(key);
    if (!tile) {
      tile = {
        z, x, y, kind: "unknown", image: null, answer: null, failures: 0, retryAt: 0, usedAt: performance.now(),
        isExpired: false, isNew: false, clears: 0, shownAt: null,
      };
      this.#tiles.set(key, tile);
    }
    return tile;
  }
}
return { LayerTiles };
})();
// map/MapLayer.js
const module49 = (() => {
const { CoordinateBounds } = module8;
const { LayerTiles } = module48;

class MapLayer {
  isVisible = false;
  #scale = 1;

  constructor(document, release) {
    this.id = document.id;
    this.isMap = Array.isArray(document.layers);
    this.opacity = document.opacity ?? 1;
    this.release = release;
    this.update(document);
    this.tiles = new LayerTiles({ url: (tile) => this.url(tile), release });
  }

  update(document) {
    this.document = document;
    this.name = document.name ?? document.id;
    const [west, , east] = document.bounds ?? [-180, 0, 180, 0];
    this.bounds = east - west >= 360 ? null : CoordinateBounds.box(document.bounds);
  }

  get kind() {
    return {
      tileSize: this.document.tileSize * this.#scale, minZoom: this.document.minzoom, maxZoom: this.document.maxzoom,
      bounds: this.bounds, zoomRule: this.document.tileZoom ?? "round",
      reach: this.document.kind === "geojson" ? 1 : 0,
    };
  }

  setPixels(pixels) {
    const scales = this.document.scales ?? [1];
    const scale = scales.find((each) => each >= pixels - 0.01) ?? scales.at(-1);
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.tiles.clear();
  }

  get scale() {
    return this.#scale;
  }

  url({ z, x, y }) {
    const suffix = this.#scale === 1 ? `.${this.document.format ?? "png"}` : `@${this.#scale}x.png`;
    return `${this.id}/${z}/${x}/${y}${suffix}?empty=204`;
  }
}
return { MapLayer };
})();
// text/LocalText.js
const module50 = (() => {
const units = /** @type {const} */ ([["d", 86_400], ["h", 3600], ["min", 60]]);

const space = "\u00a0";

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"];

class LocalText {
  #locale;
  #timeZone;
  #formats = new Map();

  constructor(locale = globalThis.navigator?.language, timeZone = undefined) {
    [this.#locale, this.#timeZone] = [locale, timeZone];
  }

  number(value, digits = 0) {
    return this.#numbers({ maximumFractionDigits: digits }).format(value);
  }

  size(bytes) {
    const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 0), sizes.length - 1);
    const value = bytes / 1024 ** power;
    return `${this.number(value, power === 0 || value >= 99.95 ? 0 : 1)}${space}${sizes[power]}`;
  }

  duration(seconds) {
    const [unit, length] = units.find(([, least]) => seconds >= 2 * least) ?? /** @type {const} */ (["s", 1]);
    return `${this.number(seconds / length)}${space}${unit}`;
  }

  percent(part, digits = 0) {
    return this.#numbers({ style: "percent", maximumFractionDigits: digits }).format(part);
  }

  moment(time, now = Date.now(), timeStyle = "medium") {
    const day = this.#times({ dateStyle: "medium" });
    const clock = this.#times({ timeStyle }).format(time);
    return day.format(time) === day.format(now) ? clock : `${day.format(time)}, ${clock}`;
  }

  #numbers(options) {
    return this.#format(`n${JSON.stringify(options)}`, () => new Intl.NumberFormat(this.#locale, options));
  }

  #times(options) {
    const make = () => new Intl.DateTimeFormat(this.#locale, { ...options, timeZone: this.#timeZone });
    return this.#format(`t${JSON.stringify(options)}`, make);
  }

  #format(key, make) {
    if (!this.#formats.has(key)) this.#formats.set(key, make());
    return this.#formats.get(key);
  }
}

const local = new LocalText();
return { LocalText, local };
})();
// map/cacheStatus.js
const module51 = (() => {
const origins = [
  { id: "memory", name: "Memory", color: "#2e9e5b" },
  { id: "disk", name: "Disk", color: "#2f7fd3" },
  { id: "fetched", name: "Fetched or drawn", color: "#e08a1e" },
  { id: "stale", name: "Stale", color: "#c2a500" },
  { id: "none", name: "No tile", color: "#808890" },
  { id: "failed", name: "Not available", color: "#d23b3b" },
];

const staleDetails = ["error", "offline", "back-off"];

function originOf(tile) {
  const { answer, kind } = tile;
  if (!answer) return null;
  if (kind === "failed" || kind === "refused" || answer.status >= 400 || answer.status === 0) return byId("failed");
  if (kind === "none") return byId("none");
  const { fwd, isHit, detail, ttl } = parsed(answer.cacheStatus);
  const isKept = fwd === "stale" && staleDetails.includes(detail);
  if (answer.tileStatus === "stale" || isKept || ttl < 0) return byId("stale");
  if (isHit) return byId(detail === "disk" ? "disk" : "memory");
  return byId("fetched");
}

function byId(id) {
  return origins.find((origin) => origin.id === id);
}

function parsed(text) {
  const parameters = (text ?? "").split(",")[0].split(";").slice(1).map((part) => part.trim().split("="));
  const { fwd = null, detail = null, ttl, ...others } = Object.fromEntries(parameters.filter(([name]) => name));
  return { fwd, detail, ttl: ttl === undefined ? null : Number(ttl), isHit: "hit" in others, isCollapsed: "collapsed" in others };
}
return { origins, originOf, parsed };
})();
// map/tileLabels.js
const module52 = (() => {
const fontSize = 12;

const [lineHeight, gap] = [16, 3];


function placeLabels(labels, widthOf, covered = []) {
  const taken = [...covered];
  const order = [...labels].sort((first, second) =>
    Number(second.isSelected ?? false) - Number(first.isSelected ?? false) || second.width - first.width || first.y - second.y || first.x - second.x);
  return order.flatMap(({ x, y, height: space, lines, isSelected }) => {
    for (const count of new Set([lines.length, 1])) {
      const [width, height] = [Math.max(...lines.slice(0, count).map(widthOf)) + gap, lineHeight * count];
      if (height > space && !isSelected) continue;
      const box = { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
      if (taken.some((other) => meet(box, other))) continue;
      taken.push(box);
      return [{ x, y, spacing: lineHeight, lines: lines.slice(0, count) }];
    }
    return [];
  });
}

function meet(first, second) {
  return first.left < second.right && second.left < first.right && first.top < second.bottom && second.top < first.bottom;
}
return { fontSize, placeLabels };
})();
// map/TileOverlay.js
const module53 = (() => {
const { project } = module1;
const { local } = module50;
const { originOf } = module51;
const { fontSize, placeLabels } = module52;

const readable = 70;

class TileOverlay {
  layer = null;
  hasGrid = false;
  hasOrigins = false;
  box = null;
  selected = null;
  #context;
  #covered;

  constructor(canvas, map, covered = () => []) {
    this.#context = canvas.getContext("2d");
    this.#covered = covered;
    map.addEventListener("frame", ({ detail }) => this.#draw(detail));
  }

  #draw({ ground, plans }) {
    const { canvas } = this.#context;
    const plan = plans.find((each) => each.layer === this.layer)?.plan;
    const hasTiles = plan && (this.hasGrid || this.hasOrigins || this.selected);
    canvas.hidden = !hasTiles && !this.box;
    if (canvas.hidden) return;
    if (canvas.width !== ground.width || canvas.height !== ground.height) {
      Object.assign(canvas, { width: ground.width, height: ground.height });
    }
    this.#context.setTransform(ground.scale, 0, 0, ground.scale, 0, 0);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    if (hasTiles) this.#drawTiles(ground, plan);
    if (this.box) this.#drawBox(ground.projection);
  }

  #drawTiles(ground, plan) {
    const labels = [];
    for (const cover of plan.covers) {
      const context = this.#context;
      const [first, last] = cover.rows;
      context.save();
      context.beginPath();
      context.rect(0, first / ground.scale, ground.width / ground.scale, (last + 1 - first) / ground.scale);
      context.clip();
      const [top, bottom] = [first / ground.scale, (last + 1) / ground.scale];
      for (const place of cover.tiles) {
        const label = this.#drawTile(ground.projection, cover, place);
        if (label && top <= label.y && label.y <= bottom) labels.push(label);
      }
      context.restore();
    }
    this.#context.font = `${fontSize}px system-ui, sans-serif`;
    const widthOf = (text) => this.#context.measureText(text).width;
    for (const label of placeLabels(labels, widthOf, labels.length > 0 ? this.#covered() : [])) this.#write(label);
  }

  #drawTile(projection, cover, place) {
    const isSelected = this.selected && ["z", "x", "y"].every((key) => this.selected[key] === place[key]);
    if (!this.hasGrid && !this.hasOrigins && !isSelected) return null;
    const [x, y] = [(place.column - cover.target.x) / cover.span, (place.row - cover.target.y) / cover.span];
    const side = 1 / cover.span;
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([across, down]) =>
      projection.pointAt({ x: x + across * side, y: y + down * side }));
    if (corners.includes(null)) return null;
    const tile = this.layer.tiles.get(place);
    const origin = tile && this.hasOrigins ? originOf(tile) : null;
    this.#trace(corners);
    const context = this.#context;
    if (origin) {
      context.fillStyle = `${origin.color}59`;
      context.fill();
    }
    context.strokeStyle = isSelected ? "#ffb300" : "#20242899";
    context.lineWidth = isSelected ? 3 : 1;
    context.stroke();
    const middle = projection.pointAt({ x: x + side / 2, y: y + side / 2 });
    const width = Math.hypot(corners[1].x - corners[0].x, corners[1].y - corners[0].y);
    const lines = this.#lines(place, tile, origin);
    return middle && width > readable && lines.length > 0 ? { ...middle, width, height: meanHeight(corners), lines, isSelected } : null;
  }

  #lines(place, tile, origin) {
    const lines = this.hasGrid ? [`${place.z}/${place.x}/${place.y}`] : [];
    if (origin) lines.push(origin.name, `${local.number(tile.answer.milliseconds)} ms`);
    return lines;
  }

  #write({ x, y: middle, spacing, lines }) {
    const context = this.#context;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = "#ffffffd9";
    context.fillStyle = "#14181c";
    lines.forEach((line, index) => {
      const y = middle + (index - (lines.length - 1) / 2) * spacing;
      context.strokeText(line, x, y);
      context.fillText(line, x, y);
    });
  }

  #drawBox(projection) {
    const { west, width } = this.box.longitudes;
    const steps = 16;
    const points = [];
    const add = (longitude, latitude) => points.push(pointNear(projection, longitude, latitude, west + width / 2));
    for (let step = 0; step < steps; step += 1) add(west + (width * step) / steps, this.box.north);
    add(west + width, this.box.north);
    for (let step = steps; step > 0; step -= 1) add(west + (width * step) / steps, this.box.south);
    add(west, this.box.south);
    if (points.includes(null)) return;
    this.#trace(points);
    const context = this.#context;
    context.fillStyle = "#1a73e826";
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = "#1a73e8";
    context.stroke();
  }

  #trace(points) {
    const context = this.#context;
    context.beginPath();
    points.forEach(({ x, y }, index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
  }
}

function meanHeight(corners) {
  const columns = corners.map(({ x }) => x);
  const doubled = corners.reduce((sum, { x, y }, index) => {
    const next = corners[(index + 1) % corners.length];
    return sum + x * next.y - next.x * y;
  }, 0);
  return Math.abs(doubled) / 2 / (Math.max(...columns) - Math.min(...columns));
}

function pointNear(projection, longitude, latitude, middle) {
  const copies = Math.round(project({ latitude: 0, longitude: middle }).x - projection.target.x);
  const place = project({ latitude, longitude });
  return projection.pointAt({ x: place.x - projection.target.x - copies, y: place.y - projection.target.y });
}
return { TileOverlay };
})();
// map/problemOf.js
const module54 = (() => {
const repeated = ["upstream-down", "backing-off"];

function problemOf(layer, { kind, answer }) {
  const isLost = kind === "failed" || kind === "refused" || answer.status >= 400 || answer.status === 0;
  if (!isLost) {
    layer.cause = null;
    return null;
  }
  const text = answer.title ?? `The server answers ${answer.status}.`;
  if (!repeated.includes(answer.code)) layer.cause = text;
  return layer.cause ?? text;
}
return { problemOf };
})();
// server/metrics.js
const module55 = (() => {

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y;

function readMetrics(text) {
  const samples = [];
  for (const each of text.split("\n")) {
    const match = each.startsWith("#") ? null : line.exec(each);
    const labels = match && labelsOf(match[2] ?? "");
    if (!labels) continue;
    const value = numberOf(match[3]);
    if (value !== null) samples.push({ name: match[1], labels, value });
  }
  return samples;
}

function labelsOf(text) {
  const labels = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const match = label.exec(text);
    if (!match) return null;
    labels[match[1]] = match[2].replace(/\\(.)/g, (_, letter) => (letter === "n" ? "\n" : letter));
  }
  return labels;
}

function numberOf(text) {
  const special = { "+Inf": Infinity, "-Inf": -Infinity, Inf: Infinity, NaN: Number.NaN };
  if (text in special) return special[text];
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

class Metrics {
  #byName = new Map();

  constructor(samples) {
    for (const sample of samples) {
      if (!this.#byName.has(sample.name)) this.#byName.set(sample.name, []);
      this.#byName.get(sample.name).push(sample);
    }
  }

  all(name, labels = {}) {
    const wanted = Object.entries(labels);
    return (this.#byName.get(name) ?? []).filter((sample) => wanted.every(([key, value]) => sample.labels[key] === value));
  }

  sum(name, labels = {}) {
    const found = this.all(name, labels);
    return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
  }
}
return { readMetrics, Metrics };
})();
// server/serverNumbers.js
const module56 = (() => {

const states = ["closed", "half open", "open"];

const [cached, made] = [["hit", "stale", "offline"], ["miss", "collapsed"]];

const failed = ["status", "invalid", "timeout", "failed"];

function serverNumbers(metrics) {
  const results = (list) => list.reduce((total, result) => total + (metrics.sum("tileserver_tiles_total", { result }) ?? 0), 0);
  const fromCache = results(cached);
  const tiles = fromCache + results(made);
  return {
    requests: metrics.sum("tileserver_http_requests_total"),
    errors: total(metrics.all("tileserver_http_requests_total").filter(({ labels }) => labels.code?.startsWith("5"))),
    tiles,
    hitRatio: tiles === 0 ? null : fromCache / tiles,
    memory: part(metrics.sum("process_resident_memory_bytes"), metrics.sum("tileserver_memory_limit_bytes")),
    memoryCache: cache(metrics, "memory"),
    diskCache: cache(metrics, "disk"),
    connections: part(metrics.sum("tileserver_connections"), metrics.sum("tileserver_connections_limit")),
    startedAt: metrics.sum("process_start_time_seconds"),
    upstreams: upstreams(metrics),
  };
}

function total(samples) {
  return samples.reduce((sum, { value }) => sum + value, 0);
}

function part(used, limit) {
  return used === null ? null : { used, limit: limit > 0 ? limit : null };
}

function cache(metrics, tier) {
  return part(metrics.sum("tileserver_cache_bytes", { tier }), metrics.sum("tileserver_cache_limit_bytes", { tier }));
}

function upstreams(metrics) {
  const found = metrics.all("tileserver_circuit_state").map(({ labels: { host }, value }) => {
    const requests = metrics.all("tileserver_upstream_requests_total", { host });
    return {
      host, state: states[value] ?? "closed", isWorking: value === 0, requests: total(requests),
      failures: total(requests.filter(({ labels }) => failed.includes(labels.result))),
    };
  });
  return found.sort((first, second) => Number(first.isWorking) - Number(second.isWorking));
}

function requestRate(earlier, later) {
  if (!earlier || earlier.requests === null || later.requests === null) return null;
  const [requests, seconds] = [later.requests - earlier.requests, (later.at - earlier.at) / 1000];
  return requests < 0 || seconds <= 0 ? null : requests / seconds;
}

function layerSizes(document) {
  const tier = (value) => (value && typeof value === "object" ? value.bytes ?? 0 : 0);
  const count = (value) => (value && typeof value === "object" ? value.entries ?? 0 : 0);
  return (document.layers ?? [])
    .map(({ layer, memory, disk }) => ({
      layer, memory: tier(memory), disk: tier(disk), tiles: Math.max(count(memory), count(disk)),
    }))
    .filter(({ memory, disk, tiles }) => memory + disk + tiles > 0)
    .sort((first, second) => second.memory + second.disk - first.memory - first.disk);
}
return { serverNumbers, requestRate, layerSizes };
})();
// panels/element.js
const module57 = (() => {

function element(name, { text, ...properties } = {}, children = []) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), /** @type {Listener} */ (value));
    else if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, String(value));
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function button(text, onclick, { icon: picture, ...more } = {}) {
  const made = element("button", { type: "button", onclick, ...more });
  if (picture) {
    made.append(icon(picture));
    made.setAttribute("aria-label", text);
    made.title = text;
  } else {
    made.textContent = text;
  }
  return made;
}

const namespace = "http://www.w3.org/2000/svg";

function icon(lines) {
  const drawing = document.createElementNS(namespace, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.classList.add("icon");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", lines);
  drawing.append(path);
  return drawing;
}

function field(label, input, className = "field") {
  return element("label", { className }, [element("span", { text: label }), input]);
}
return { element, button, icon, field };
})();
// panels/numberRows.js
const module58 = (() => {
const { local } = module50;

const most = 12;

function numberRows(numbers, rate, text = local) {
  const ofLimit = (part, format) => part && (part.limit ? `${format(part.used)} of ${format(part.limit)}` : format(part.used));
  const [size, number] = [(bytes) => text.size(bytes), (value) => text.number(value)];
  const perSecond = rate === null ? "" : `, ${text.number(rate, rate < 10 ? 1 : 0)} a second`;
  const hits = numbers.hitRatio === null ? null : `${text.percent(numbers.hitRatio, 1)} of ${number(numbers.tiles)} tiles`;
  return [
    ["Requests", numbers.requests === null ? null : `${number(numbers.requests)}${perSecond}`],
    ["Errors (5xx)", numbers.requests === null ? null : number(numbers.errors)],
    ["From the cache", hits],
    ["Memory", ofLimit(numbers.memory, size)],
    ["Tiles in memory", ofLimit(numbers.memoryCache, size)],
    ["Tiles on disk", ofLimit(numbers.diskCache, size)],
    ["Connections", ofLimit(numbers.connections, number)],
    ["Running since", numbers.startedAt === null ? null : text.moment(numbers.startedAt * 1000)],
  ].filter(([, value]) => value !== null);
}

function upstreamRow({ host, state, requests, failures }, text = local) {
  const states = { open: "does not work, so the server sends no requests", "half open": "is tried again with one request" };
  const count = `${text.number(requests)} ${requests === 1 ? "request" : "requests"}`;
  const failed = failures === 0 ? "" : `, ${text.number(failures)} failed`;
  return [host, [states[state], `${count}${failed}`].filter(Boolean).join(": ")];
}

function sizeRows(sizes, nameOf, text = local) {
  const sum = (list, key) => list.reduce((total, each) => total + each[key], 0);
  const written = (list) => {
    const [memory, disk] = [sum(list, "memory"), sum(list, "disk")];
    return [memory > 0 && `${text.size(memory)} in memory`, disk > 0 && `${text.size(disk)} on disk`].filter(Boolean).join(", ");
  };
  const rows = sizes.slice(0, most).map((each) => [nameOf(each.layer), written([each])]);
  const others = sizes.slice(most);
  const count = `${text.number(others.length)} other ${others.length === 1 ? "layer" : "layers"}`;
  return others.length === 0 ? rows : [...rows, [count, written(others)]];
}
return { numberRows, upstreamRow, sizeRows };
})();
// panels/TokenForm.js
const module59 = (() => {
const { button, element, field } = module57;

class TokenForm {
  content;
  #server;
  #input = element("input", { type: "password", autocomplete: "off", spellcheck: false, required: true });
  #onToken = () => {};

  constructor(server) {
    this.#server = server;
    this.content = element("form", { className: "token", onsubmit: (event) => this.#take(event) }, [
      element("p", {
        className: "hint", text: "Enter the server's admin token. The page keeps the token until it is closed.",
      }),
      field("Admin token", this.#input), button("Use token", null, { type: "submit" }),
    ]);
    this.#hide();
  }

  with(action, { isFocused = true } = {}) {
    if (this.#server.hasToken) {
      this.#hide();
      return action();
    }
    this.#onToken = action;
    this.content.hidden = false;
    if (isFocused) this.#input.focus();
    return undefined;
  }

  #hide() {
    this.content.hidden = true;
  }

  #take(event) {
    event.preventDefault();
    this.#server.token = this.#input.value.trim();
    this.#input.value = "";
    this.#hide();
    const action = this.#onToken;
    this.#onToken = () => {};
    action();
  }
}
return { TokenForm };
})();
// panels/AboutPanel.js
const module60 = (() => {
const { Metrics, readMetrics } = module55;
const { layerSizes, requestRate, serverNumbers } = module56;
const { button, element } = module57;
const { numberRows, sizeRows, upstreamRow } = module58;
const { TokenForm } = module59;

const pause = 5000;

const links = [
  ["health", "Server health"], ["layers.json", "Layers and maps"], ["wmts.xml", "WMTS capabilities"], ["openapi.json", "OpenAPI"],
];

class AboutPanel {
  content = element("div", { className: "about" });
  #server;
  #stack;
  #token;
  #isOpen = false;
  #timer = 0;
  #isReading = false;
  #earlier = null;
  #isPublic = false;
  #version = element("p", { className: "version", text: "tileserver" });
  #hint = element("p", { className: "hint", text: "Numbers of the server need the admin token." });
  #public = element("p", { className: "hint" }, [
    "If metrics.public is set, the server needs no token. ",
    button("Ask without a token", () => this.#read(), { className: "small" }),
  ]);
  #problem = element("p", { className: "problem", role: "status" });
  #numbers = element("dl", { className: "figures" });
  #upstreamsHead = element("h3", { text: "Sources", hidden: true });
  #upstreams = element("dl", { className: "figures" });
  #layersHead = element("h3", { text: "Tiles in the cache", hidden: true });
  #layers = element("dl", { className: "figures" });

  constructor(server, stack) {
    [this.#server, this.#stack] = [server, stack];
    this.#token = new TokenForm(server);
    this.content.append(
      this.#version,
      element("p", { className: "hint", text: "A server of raster map tiles. Its documentation is in the folder docs of the source code." }),
      element("ul", { className: "links" }, links.map(([path, name]) => element("li", {}, [
        element("a", { href: server.address(path), target: "_blank", rel: "noopener", text: name }),
        element("small", { text: ` ${path}` }),
      ]))),
      element("h3", { text: "Numbers" }), this.#hint, this.#token.content, this.#public, this.#problem, this.#numbers,
      this.#upstreamsHead, this.#upstreams, this.#layersHead, this.#layers);
    document.addEventListener("visibilitychange", () => this.#begin());
  }

  set isOpen(isOpen) {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) this.#showVersion();
    this.#begin();
  }

  #begin() {
    clearTimeout(this.#timer);
    if (!this.#isOpen || document.hidden) return;
    this.#showAccess();
    if (this.#isPublic) this.#read();
    else this.#token.with(() => this.#read(), { isFocused: false });
  }

  #showAccess() {
    this.#hint.hidden = this.#public.hidden = this.#server.hasToken || this.#isPublic;
    if (this.#isPublic) this.#token.content.hidden = true;
  }

  async #showVersion() {
    try {
      const { name, version } = await this.#server.version();
      this.#version.textContent = `${name} ${version}`;
    } catch (error) {
      this.#problem.textContent = error.message;
    }
  }

  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    clearTimeout(this.#timer);
    const hadToken = this.#server.hasToken;
    try {
      this.#show(serverNumbers(new Metrics(readMetrics(await this.#server.metrics()))));
      this.#isPublic = !hadToken;
      if (hadToken) this.#showLayers(layerSizes(await this.#server.cache()));
      this.#problem.textContent = "";
    } catch (error) {
      this.#fail(error, hadToken);
    } finally {
      this.#isReading = false;
    }
    this.#showAccess();
    if ((this.#server.hasToken || this.#isPublic) && this.#isOpen && !document.hidden) this.#timer = setTimeout(() => this.#read(), pause);
  }

  #fail(error, hadToken) {
    if (error.status === 401) {
      this.#forget();
      this.#problem.textContent = hadToken ? "The server does not accept this token." : "The server needs the token for its numbers.";
      this.#token.with(() => this.#read(), { isFocused: false });
    } else {
      this.#problem.textContent = error.status ? error.message : "The server does not answer.";
    }
  }

  #forget() {
    this.#earlier = null;
    this.#isPublic = false;
    for (const list of [this.#numbers, this.#upstreams, this.#layers]) list.replaceChildren();
    this.#upstreamsHead.hidden = this.#layersHead.hidden = true;
  }

  #show(numbers) {
    const reading = { requests: numbers.requests, at: performance.now() };
    const rate = requestRate(this.#earlier, reading);
    this.#earlier = reading;
    fill(this.#numbers, numberRows(numbers, rate));
    fill(this.#upstreams, numbers.upstreams.map((each) => upstreamRow(each)));
    this.#upstreamsHead.hidden = numbers.upstreams.length === 0;
  }

  #showLayers(sizes) {
    fill(this.#layers, sizeRows(sizes, (id) => this.#stack.entries.get(id)?.name ?? id));
    this.#layersHead.hidden = sizes.length === 0;
  }
}

function fill(list, rows) {
  const names = [...list.querySelectorAll("dt")].map((each) => each.textContent);
  if (names.join("\n") !== rows.map(([name]) => name).join("\n")) {
    list.replaceChildren(...rows.flatMap(([name]) => [element("dt", { text: name }), element("dd")]));
  }
  list.querySelectorAll("dd").forEach((each, index) => {
    if (each.textContent !== rows[index][1]) each.textContent = rows[index][1];
  });
}
return { AboutPanel };
})();
// panels/copyButton.js
const module61 = (() => {
const { button } = module57;

function copyButton(text, what) {
  const made = button("Copy", async () => {
    made.textContent = (await copy(text())) ? "Copied" : "Select and copy by hand";
    setTimeout(() => { made.textContent = "Copy"; }, 2000);
  });
  made.setAttribute("aria-label", `Copy ${what}`);
  return made;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
return { copyButton };
})();
// panels/BoxPanel.js
const module62 = (() => {
const { aside } = module20;
const { copyButton } = module61;
const { button, element } = module57;

class BoxPanel {
  content = element("details", {}, [element("summary", { text: "Box" })]);
  #map;
  #motion;
  #tool;
  #overlay;
  #text = element("code", { tabIndex: 0, "aria-label": "Box", text: "none" });
  #actions;

  constructor(map, motion, tool, overlay, covered) {
    [this.#map, this.#motion, this.#tool, this.#overlay] = [map, motion, tool, overlay];
    const fit = button("Fit into the view", () => this.#motion.flyTo(map.view.fitted(this.box, aside(covered())), { duration: 600 }));
    const forget = button("Remove", () => this.#take(null));
    const copy = copyButton(() => this.#text.textContent, "the box");
    this.#actions = element("div", { className: "actions", hidden: true }, [fit, copy, forget]);
    this.content.append(
      element("p", { className: "hint", text: "West, south, east, north in degrees." }),
      element("div", { className: "actions" }, [
        button("Draw a box", async () => this.#take(await this.#tool.draw())),
        button("Use the view", () => this.#take(this.#tool.seen)),
      ]),
      this.#text, this.#actions);
  }

  get box() {
    return this.#overlay.box;
  }

  async ask() {
    this.#take(await this.#tool.draw());
    return this.box;
  }

  #take(box) {
    this.#overlay.box = box;
    const edges = box && [box.longitudes.west, box.south, box.longitudes.east, box.north];
    this.#text.textContent = box ? edges.map((edge) => Number(edge.toFixed(6))).join(",") : "none";
    this.#actions.hidden = box === null;
    this.#map.invalidate();
  }
}
return { BoxPanel };
})();
// panels/CachePanel.js
const module63 = (() => {
const { origins } = module51;
const { local } = module50;
const { button, element, field } = module57;

class CachePanel {
  content = element("div", { className: "cache" });
  #stack;
  #overlay;
  #map;
  #choice = element("select", { onchange: () => this.#choose() });
  #soft = element("input", { type: "checkbox" });
  #note = element("p", { className: "hint", role: "status" });
  #log = element("ol", { className: "log" });
  #server;
  #token;

  constructor(map, stack, overlay, server, token, boxes) {
    this.boxes = boxes;
    [this.#map, this.#stack, this.#overlay, this.#server, this.#token] = [map, stack, overlay, server, token];
    this.content.append(
      field("Layer", this.#choice),
      this.#toggle("Grid with z/x/y", "hasGrid"), this.#toggle("Origin of tiles", "hasOrigins"), legend(),
      element("p", { className: "hint", text: "Click the map for details of a tile, or press Enter on it for the tile in the middle." }),
      element("h3", { text: "Clear" }),
      element("div", { className: "actions" }, [
        button("All tiles of the layer", () => this.clear({})), button("Tiles in a box …", () => this.#clearBox()),
      ]),
      element("label", { className: "check" }, [this.#soft, element("span", { text: "Mark as stale only" })]),
      token.content, this.#note, element("h3", { text: "Events" }), this.#log);
    stack.addEventListener("change", () => this.#showChoice());
    this.#showChoice();
  }

  clear(part) {
    const layer = this.#overlay.layer;
    if (!layer) return;
    this.#token.with(async () => {
      this.#note.textContent = "The server clears …";
      try {
        const isSoft = this.#soft.checked;
        const { entries } = await this.#server.clear(layer.id, { ...part, isSoft });
        const tiles = `${local.number(entries)} ${entries === 1 ? "tile" : "tiles"} of ${layer.name}`;
        this.#note.textContent = `${tiles} ${isSoft ? "marked as stale" : "cleared"}.`;
      } catch (error) {
        this.#note.textContent = error.message;
      }
    });
  }

  note(text) {
    this.#log.prepend(element("li", { text: `${local.moment(Date.now())} ${text}` }));
    while (this.#log.children.length > 20) this.#log.lastChild.remove();
  }

  async #clearBox() {
    this.#note.textContent = this.boxes.box ? "" : "Drag a box on the map. Without a mouse, use Camera, Box.";
    const box = this.boxes.box ?? (await this.boxes.ask());
    this.#note.textContent = "";
    if (box) this.clear({ box });
  }

  #toggle(text, property) {
    const check = element("input", {
      type: "checkbox", onchange: () => {
        this.#overlay[property] = check.checked;
        this.#map.invalidate();
      },
    });
    return element("label", { className: "check" }, [check, element("span", { text })]);
  }

  #showChoice() {
    const shown = [...this.#stack.shown].reverse();
    if (!shown.includes(this.#overlay.layer)) this.#overlay.layer = shown[0] ?? null;
    this.#choice.replaceChildren(...shown.map((layer) => element("option", { value: layer.id, text: layer.name })));
    this.#choice.value = this.#overlay.layer?.id ?? "";
    this.#map.invalidate();
  }

  #choose() {
    this.#overlay.layer = this.#stack.entries.get(this.#choice.value) ?? null;
    this.#map.invalidate();
  }
}

function legend() {
  return element("ul", { className: "legend" }, origins.map(({ name, color }) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.backgroundColor = color;
    return element("li", {}, [swatch, element("span", { text: name })]);
  }));
}
return { CachePanel };
})();
// panels/cameraCode.js
const module64 = (() => {
const { cameraText, layersText, short } = module25;
const { local } = module50;


const mostLayers = 16;

const cameraCodes = {
  Swift: (camera) => {
    const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
    return `let camera = GMSCameraPosition(latitude: ${latitude}, longitude: ${longitude}, zoom: ${zoom}`
      + (isPlain(camera) ? ")" : `, bearing: ${bearing}, viewingAngle: ${angle})`);
  },
  "Objective-C": (camera) => {
    const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
    return `GMSCameraPosition *camera = [GMSCameraPosition cameraWithLatitude:${latitude} longitude:${longitude} zoom:${zoom}`
      + (isPlain(camera) ? "];" : ` bearing:${bearing} viewingAngle:${angle}];`);
  },
  JSON: (camera) => JSON.stringify(cameraJSON(camera)),
};

function cameraJSON(camera) {
  const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
  return {
    lat: Number(latitude), lng: Number(longitude), zoom: Number(zoom), bearing: Number(bearing), viewingAngle: Number(angle),
  };
}

function staticPath(map, camera, { width, height, scale = 1 }, layers = null) {
  const [across, down] = imageSize(width, height, scale);
  const query = layers ? `?layers=${layersText(layers)}` : "";
  return `${map}/static/${cameraText(camera)}/${across}x${down}${scale > 1 ? `@${scale}x` : ""}.png${query}`;
}

function pictureLayers(shown, own) {
  const visible = shown.filter(({ opacity }) => opacity > 0);
  const isOwn = visible.length === 1 && visible[0] === own && own.opacity === (own.document.opacity ?? 1);
  return isOwn ? null : visible.slice(0, mostLayers).map(({ id, opacity }) => ({ id, opacity }));
}

function pictureText(shown, text = local) {
  const visible = shown.filter(({ opacity }) => opacity > 0);
  if (visible.length === 0) return "No layer is shown, so there is no image.";
  const names = visible.slice(0, mostLayers).map(({ name, opacity }) => (opacity === 1 ? name : `${name} (${text.percent(opacity)})`));
  const [lowest, ...above] = names;
  const omitted = visible.length - names.length;
  const rest = omitted === 0 ? "" : ` An image has at most ${mostLayers} layers, so the highest ${text.number(omitted)} are missing.`;
  return `The image shows ${lowest}${above.length > 0 ? `, and above it ${above.join(", ")}` : ""}.${rest}`;
}

function imageSize(width, height, scale) {
  const pixels = width * height * scale * scale;
  const shrinking = Math.min(1, 4096 / scale / Math.max(width, height), Math.sqrt(8_388_608 / pixels));
  return [width, height].map((side) => Math.max(1, Math.floor(side * shrinking)));
}

function isPlain({ bearing, viewingAngle }) {
  return bearing === 0 && viewingAngle === 0;
}

function numbers({ latitude, longitude, zoom, bearing, viewingAngle }) {
  return {
    latitude: short(latitude, 6), longitude: short(longitude, 6), zoom: short(zoom, 3), bearing: short(bearing, 2),
    angle: short(viewingAngle, 2),
  };
}
return { mostLayers, cameraCodes, cameraJSON, staticPath, pictureLayers, pictureText, imageSize };
})();
// panels/CameraPanel.js
const module65 = (() => {
const { short } = module25;
const { cameraCodes, pictureLayers, pictureText, staticPath } = module64;
const { copyButton } = module61;
const { button, element, field } = module57;

const parts = [
  ["latitude", "Latitude", 0.01, 6], ["longitude", "Longitude", 0.01, 6], ["zoom", "Zoom", 0.5, 3],
  ["bearing", "Bearing", 15, 2], ["viewingAngle", "Viewing angle", 5, 2],
];

class CameraPanel {
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
return { CameraPanel };
})();
// map/tileAt.js
const module66 = (() => {
function hasTile(plan, { z, x, y }) {
  return Boolean(plan?.tiles.some((tile) => tile.z === z && tile.x === x && tile.y === y));
}

function tileAt(ground, plan, point) {
  const row = Math.floor(point.y * ground.scale);
  const cover = plan.covers.find(({ rows: [first, last] }) => first <= row && row <= last);
  const offset = ground.projection.offsetAt(point);
  if (!cover || !offset) return null;
  const column = Math.floor(cover.target.x + offset.x * cover.span);
  const line = Math.floor(cover.target.y + offset.y * cover.span);
  const found = cover.tiles.find((tile) => tile.column === column && tile.row === line);
  return found ? { z: found.z, x: found.x, y: found.y } : null;
}
return { hasTile, tileAt };
})();
// panels/ChosenTile.js
const module67 = (() => {
const { hasTile, tileAt } = module66;


class ChosenTile {
  #map;
  #overlay;
  #card;
  #isWanted;
  #plans = null;

  constructor(map, overlay, card, isWanted) {
    [this.#map, this.#overlay, this.#card, this.#isWanted] = [map, overlay, card, isWanted];
  }

  show(point, isFocused = false) {
    if (!this.#isWanted()) return undefined;
    const { layer } = this.#overlay;
    const plan = this.#plans?.plans.find((each) => each.layer === layer)?.plan;
    const coordinate = plan && tileAt(this.#plans.ground, plan, point);
    if (!coordinate) return this.#card.close();
    this.#overlay.selected = coordinate;
    this.#card.show(layer, coordinate, layer.tiles.get(coordinate), isFocused);
    return this.#map.invalidate();
  }

  follow(plans) {
    this.#plans = plans;
    const { shown } = this.#card;
    if (!shown) return;
    const plan = plans.plans.find(({ layer }) => layer === shown.layer)?.plan;
    if (shown.layer !== this.#overlay.layer || !hasTile(plan, shown)) this.#card.close();
  }
}
return { ChosenTile };
})();
// clients/quoted.js
const module68 = (() => {

const escaped = (pattern) => (text) => text.replace(pattern, "\\$&");

const inScript = (text) => escaped(/[\\"]/g)(text).replaceAll("</", "<\\/");
const inTemplate = (text) => escaped(/[\\`]|\$(?=\{)/g)(text).replaceAll("</", "<\\/");
const inSwift = escaped(/[\\"]/g);
const inObjectiveC = escaped(/[\\"]/g);
const inFormat = (text) => inObjectiveC(text).replaceAll("%", "%%");
const inKotlin = escaped(/[\\"$]/g);
const inDart = escaped(/[\\'$]/g);
const inPython = escaped(/[\\"]/g);
const inYAML = escaped(/[\\"]/g);
const inRawINI = (text) =>
  JSON.stringify(text).replace(/[`$%]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
const inShell = (text) => text.replaceAll("'", "'\\''");

const references = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const inMarkup = (text) => text.replace(/[&<>"']/g, (found) => references[found]);

function oneLine(text) {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").replace(/\p{Bidi_Control}/gu, "").trim();
}
return { inScript, inTemplate, inSwift, inObjectiveC, inFormat, inKotlin, inDart, inPython, inYAML, inRawINI, inShell, inMarkup, oneLine };
})();
// clients/attributionText.js
const module69 = (() => {
const { inMarkup, oneLine } = module68;

const markup = /<!--[^]*?(?:-->|$)|<(script|style|template|title)\b[^]*?(?:<\/\1[^>]*>|$)|<(\/?)([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
const names = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", reg: "®", trade: "™", ndash: "–", mdash: "—", hellip: "…",
};

function attributionText(source) {
  const parts = [];
  let [place, href] = [0, null];
  const take = (end) => {
    const text = decoded(source.slice(place, end)).replace(/[\s\p{Cc}]+/gu, " ");
    if (text !== "") parts.push({ text, href });
  };
  for (const match of source.matchAll(markup)) {
    take(match.index);
    place = match.index + match[0].length;
    const [, , closes, name, attributes] = match;
    if (name?.toLowerCase() === "a") href = closes ? null : linkOf(attributes);
  }
  take(source.length);
  return {
    text: oneLine(parts.map(({ text }) => text).join("")),
    html: oneLine(parts.map(({ text, href: link }) => (link ? `<a href="${inMarkup(link)}">${inMarkup(text)}</a>` : inMarkup(text))).join("")),
  };
}

function linkOf(attributes) {
  const [, double, single, bare] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? [];
  const link = decoded(double ?? single ?? bare ?? "").trim();
  return /^https?:\/\//i.test(link) ? link : null;
}

function decoded(text) {
  return text.replace(reference, (found, decimal, hexadecimal, name) => {
    if (name) return names[name.toLowerCase()] ?? found;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : found;
  });
}
return { attributionText };
})();
// clients/startView.js
const module70 = (() => {
const { project } = module1;
const { modulo } = module0;
const { cameraOf, cameraText } = module25;
const { cameraFrom } = module20;


function startView(document, box, levels, camera = null) {
  if (camera && sees(camera, box, levels)) return rounded(camera);
  return document.camera ? rounded(cameraFrom(document.camera)) : overview(box, levels);
}

function isWorld({ west, south, east, north }) {
  return east - west >= 360 && south < -85 && north > 85;
}

function widthOf(west, east) {
  return east - west + (east < west ? 360 : 0);
}

function rounded(camera) {
  return cameraOf(cameraText(camera));
}

function sees({ latitude, longitude, zoom }, { west, south, east, north }, levels) {
  if (zoom < levels.min - 0.5) return false;
  const margin = 2 ** -zoom;
  const here = project({ latitude, longitude });
  const [upper, lower] = [north, south].map((edge) => project({ latitude: edge, longitude: 0 }).y);
  const width = widthOf(west, east);
  const beyond = modulo(longitude - west, 360) - width;
  const isBeside = beyond > 0 && Math.min(beyond, 360 - width - beyond) / 360 > margin;
  return !isBeside && here.y >= upper - margin && here.y <= lower + margin;
}

function overview({ west, south, east, north }, levels) {
  const straight = { bearing: 0, viewingAngle: 0 };
  if (isWorld({ west, south, east, north })) return { latitude: 20, longitude: 0, zoom: Math.max(2, levels.min), ...straight };
  const width = widthOf(west, east);
  const middle = (west + width / 2 + 540) % 360 - 180;
  const across = Math.max(width / 360, (north - south) / 170, 1e-9);
  const zoom = Math.min(Math.max(Math.floor(Math.log2(2 / across)), 2, levels.min), levels.max);
  return { latitude: Number(((south + north) / 2).toFixed(6)), longitude: Number(middle.toFixed(6)), zoom, ...straight };
}

function spanOf({ latitude, zoom }, width, height) {
  const degrees = 360 / (256 * 2 ** zoom);
  const down = Math.min(height * degrees * Math.cos((latitude * Math.PI) / 180), 2 * (85 - Math.abs(latitude)));
  return { latitude: short(down), longitude: short(Math.min(width * degrees, 360)) };
}

const phoneSpan = (camera) => spanOf(camera, 400, 400);

function short(degrees) {
  return Number(degrees.toPrecision(3));
}

function isTurned({ bearing, viewingAngle }) {
  return bearing !== 0 || viewingAngle !== 0;
}
return { startView, isWorld, spanOf, phoneSpan, isTurned };
})();
// clients/ClientLayer.js
const module71 = (() => {
const { project } = module1;
const { attributionText } = module69;
const { oneLine } = module68;
const { isWorld, startView } = module70;

const deepest = 22;

class ClientLayer {
  constructor(document, base, camera = null) {
    const { protocol, origin, pathname } = new URL(base);
    if (!/^https?:$/.test(protocol)) throw new TypeError("expected a URL that begins with https:// or http://");
    this.base = (origin + pathname).replace(/\/+$/, "");
    this.id = document.id;
    this.name = oneLine(document.name ?? document.id);
    this.minZoom = document.minzoom ?? 0;
    this.maxZoom = document.maxzoom ?? deepest;
    this.tileSize = document.tileSize ?? 256;
    this.format = document.format ?? "png";
    this.opacity = document.opacity ?? 1;
    this.zIndex = document.zIndex ?? 0;
    this.isDense = (document.scales ?? [1]).includes(2);
    this.attribution = attributionText(document.attribution ?? "");
    const [west, south, east, north] = (document.bounds ?? [-180, -90, 180, 90]).map((edge) => Number(edge.toFixed(7)));
    this.box = { west, south, east, north };
    this.view = startView(document, this.box, this.levels, camera);
  }

  get levels() {
    const depth = this.depth ?? 0;
    return { min: Math.max(this.minZoom + depth, 0), max: this.maxZoom + depth };
  }

  get bounds() {
    return this.box.west > this.box.east || isWorld(this.box) ? null : this.box;
  }

  get edges() {
    if (!this.bounds) return null;
    const { west, south, east, north } = this.bounds;
    const [first, last] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
    const [left, top, right, bottom] = [first.x, first.y, last.x, last.y].map((part) => Number(part.toFixed(9)));
    return { left, top, right, bottom };
  }

  get zoomOf512() {
    return Number((this.view.zoom - 1).toFixed(3));
  }

  get tile() {
    const z = Math.min(Math.max(Math.round(this.view.zoom - (this.depth ?? 0)), this.minZoom), this.maxZoom);
    const { x, y } = project(this.view);
    const { left, top, right, bottom } = this.edges ?? { left: 0, top: 0, right: 1, bottom: 1 };
    const number = (part, first, last) =>
      Math.max(Math.min(Math.floor(part * 2 ** z), Math.ceil(last * 2 ** z) - 1), Math.floor(first * 2 ** z));
    return { z, x: number(x, left, right), y: number(y, top, bottom) };
  }

  get depth() {
    const depth = Math.log2(this.tileSize / 256);
    return Number.isInteger(depth) ? depth : null;
  }

  get phoneScale() {
    return this.tileSize <= 256 && this.isDense ? 2 : 1;
  }

  get phoneEmpty() {
    return this.maxZoom < deepest ? "overzoom" : "transparent";
  }

  path({ z = "{z}", x = "{x}", y = "{y}", ratio = "", empty, takesWebP = false }) {
    const isPlain = ratio === "" && (this.format !== "webp" || takesWebP);
    return `/${this.id}/${z}/${x}/${y}${ratio}.${isPlain ? this.format : "png"}?empty=${empty}`;
  }
}

function lines(...parts) {
  return parts.flat().filter((part) => part !== null && part !== undefined && part !== false).join("\n");
}

function sentences(...parts) {
  return parts.filter((part) => part !== null).join(" ");
}
return { ClientLayer, lines, sentences };
})();
// clients/addresses.js
const module72 = (() => {

function isLoopback({ hostname }) {
  return /^(localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])\.?$/.test(hostname);
}

function isLocalToIOS({ hostname }) {
  return /^(\[.*\]|\d+\.\d+\.\d+\.\d+|[^.]+|.+\.local)\.?$/.test(hostname);
}

function hintsFor({ phones }, url) {
  if (!phones) return [];
  if (isLoopback(url)) {
    return ["A phone cannot open this address: it is this computer's own. Use the computer's address in the network, such as"
      + ` \`http://192.168.1.20${url.port ? `:${url.port}` : ""}\`, and start the server with \`--host 0.0.0.0\`.`];
  }
  return url.protocol === "http:" ? phones.map((system) => plainHTTP[system](url)) : [];
}

const plainHTTP = {
  iOS: (url) => (isLocalToIOS(url)
    ? "iOS blocks plain HTTP. In the app's `Info.plist`, set `NSAllowsLocalNetworking` under `NSAppTransportSecurity`, and"
      + " `NSLocalNetworkUsageDescription`. Or use HTTPS."
    : "iOS blocks plain HTTP. Use HTTPS."),
  Android: () => "Android blocks plain HTTP. In the app's network security configuration, set `cleartextTrafficPermitted` for this address."
    + " Or use HTTPS.",
};
return { isLoopback, hintsFor };
})();
// clients/apple.js
const module73 = (() => {
const { lines, sentences } = module71;
const { inFormat, inSwift } = module68;
const { isTurned, phoneSpan } = module70;

const gmsFails = (layer) => sentences(
  "The SDK can send only one header field, `userAgent`.",
  layer.phoneEmpty === "overzoom"
    ? "The SDK does not enlarge tiles, so beyond its last zoom a layer would disappear. With `overzoom`, the server enlarges tiles." : null,
  "`clearTileCache` does not clear the system's `URLCache`.");

const apple = [
  {
    id: "gms-swift", name: "Maps SDK for iOS (Swift)", language: "swift", phones: ["iOS"],
    fails: gmsFails,
    snippet: gmsSwift,
  },
  {
    id: "gms-objc", name: "Maps SDK for iOS (Objective-C)", language: "objc", phones: ["iOS"],
    fails: gmsFails,
    snippet: gmsObjectiveC,
  },
  {
    id: "mapkit", name: "MapKit (MKTileOverlay)", language: "swift", phones: ["iOS"],
    fails: (layer) => sentences(
      "If `tileSize` is not 256, MapKit may show only a quarter of each tile.",
      layer.phoneScale === 2 ? "The code therefore keeps 256, and requests `@2x` for a dense screen." : "The code therefore keeps 256.",
      layer.attribution.text ? "The app must show the attribution." : null),
    snippet: mapKit,
  },
];

function notes(layer, { isApple = true } = {}) {
  return [
    ...(isApple && layer.format === "png"
      ? [
        "// Set `png: { form: rgba }` for this layer on the server. Otherwise the SDK may show translucent",
        "// tiles of one colour as grey or opaque.",
      ] : []),
    layer.attribution.text ? `// Show this with the map: ${layer.attribution.text}` : null,
  ];
}

function within(layer, { number = (text) => text, and = "&&", name = "x" } = {}) {
  const conditions = layer.minZoom > 0 ? [`zoom >= ${layer.minZoom}`] : [];
  if (!layer.edges) return conditions;
  const { left, top, right, bottom } = layer.edges;
  const between = (text, low, high) =>
    `${number(`${text} + 1`)} > ${low} * span${and === "," ? "," : ` ${and}`} ${number(text)} < ${high} * span`;
  return [...conditions, between(name, left, right), between("y", top, bottom)];
}

function condition(conditions, { begin, between, end }) {
  if (conditions.length === 0) return [];
  const last = conditions.length - 1;
  return conditions.map((text, index) => `${index === 0 ? begin : " ".repeat(begin.length)}${text}${index === last ? end : between}`);
}

function gmsSwift(layer) {
  const { view } = layer;
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ z: "\\(zoom)", x: "\\(x)", y: "\\(y)", ratio, empty: layer.phoneEmpty });
  const conditions = within(layer, { number: (text) => `Double(${text})`, and: "," });
  return lines(
    "import GoogleMaps",
    "",
    notes(layer),
    "let layer = GMSURLTileLayer { x, y, zoom in",
    layer.edges ? "    let span = Double(1 << zoom)" : null,
    condition(conditions, { begin: "    guard ", between: ",", end: " else { return nil }" }),
    `    return URL(string: "${inSwift(layer.base)}${path}")`,
    "}",
    `layer.tileSize = ${layer.tileSize * layer.phoneScale}  // pixels`,
    'layer.userAgent = "my-app/1.0"',
    layer.opacity < 1 ? `layer.opacity = ${layer.opacity}` : null,
    layer.zIndex !== 0 ? `layer.zIndex = ${layer.zIndex}` : null,
    "layer.map = mapView",
    `mapView.camera = GMSCameraPosition(latitude: ${view.latitude}, longitude: ${view.longitude}, zoom: ${view.zoom}`
      + (isTurned(view) ? `, bearing: ${view.bearing}, viewingAngle: ${view.viewingAngle})` : ")"),
  );
}

function gmsObjectiveC(layer) {
  const { view } = layer;
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ z: "%lu", x: "%lu", y: "%lu", ratio, empty: layer.phoneEmpty });
  return lines(
    "@import GoogleMaps;",
    "",
    notes(layer),
    "GMSTileURLConstructor urls = ^NSURL *(NSUInteger x, NSUInteger y, NSUInteger zoom) {",
    layer.edges ? "  double span = 1UL << zoom;" : null,
    condition(within(layer), { begin: "  if (!(", between: " &&", end: ")) return nil;" }),
    `  NSString *format = @"${inFormat(layer.base)}${path}";`,
    "  return [NSURL URLWithString:[NSString stringWithFormat:format,",
    "      (unsigned long)zoom, (unsigned long)x, (unsigned long)y]];",
    "};",
    "GMSURLTileLayer *layer = [GMSURLTileLayer tileLayerWithURLConstructor:urls];",
    `layer.tileSize = ${layer.tileSize * layer.phoneScale};  // pixels`,
    'layer.userAgent = @"my-app/1.0";',
    layer.opacity < 1 ? `layer.opacity = ${layer.opacity};` : null,
    layer.zIndex !== 0 ? `layer.zIndex = ${layer.zIndex};` : null,
    "layer.map = mapView;",
    `mapView.camera = [GMSCameraPosition cameraWithLatitude:${view.latitude} longitude:${view.longitude} zoom:${view.zoom}`
      + (isTurned(view) ? ` bearing:${view.bearing} viewingAngle:${view.viewingAngle}];` : "];"),
  );
}

function mapKit(layer) {
  const isChosen = layer.phoneScale === 2;
  const path = layer.path({
    z: "\\(path.z)", x: "\\(path.x)", y: "\\(path.y)", ratio: isChosen ? "\\(ratio)" : "", empty: layer.phoneEmpty,
  });
  const { edges, view } = layer;
  const span = phoneSpan(view);
  const rectangle = edges && [
    "    override var boundingMapRect: MKMapRect {",
    "        let side = MKMapSize.world.width",
    `        return MKMapRect(x: ${edges.left} * side, y: ${edges.top} * side,`,
    `                         width: ${rounded(edges.right - edges.left)} * side, height: ${rounded(edges.bottom - edges.top)} * side)`,
    "    }",
  ];
  return lines(
    "import MapKit",
    "",
    notes(layer, { isApple: false }),
    "final class Tiles: MKTileOverlay {",
    "    override func url(forTilePath path: MKTileOverlayPath) -> URL {",
    isChosen ? '        let ratio = path.contentScaleFactor > 1 ? "@2x" : ""' : null,
    `        return URL(string: "${inSwift(layer.base)}${path}")!`,
    "    }",
    rectangle,
    "}",
    "",
    "let overlay = Tiles(urlTemplate: nil)",
    layer.minZoom > 0 ? `overlay.minimumZ = ${layer.minZoom}` : null,
    "mapView.addOverlay(overlay, level: .aboveLabels)",
    "mapView.region = MKCoordinateRegion(",
    `    center: CLLocationCoordinate2D(latitude: ${view.latitude}, longitude: ${view.longitude}),`,
    `    span: MKCoordinateSpan(latitudeDelta: ${span.latitude}, longitudeDelta: ${span.longitude}))`,
    "",
    "// In the map view's delegate:",
    "func mapView(_ mapView: MKMapView, rendererFor overlay: MKOverlay) -> MKOverlayRenderer {",
    layer.opacity < 1
      ? ["    let renderer = MKTileOverlayRenderer(overlay: overlay)", `    renderer.alpha = ${layer.opacity}`, "    return renderer"]
      : "    return MKTileOverlayRenderer(overlay: overlay)",
    "}",
  );
}

function rounded(number) {
  return Number(number.toFixed(9));
}
return { apple, notes, within, condition };
})();
// clients/dashboards.js
const module74 = (() => {
const { lines, sentences } = module71;
const { inRawINI, inYAML } = module68;

const dashboards = [
  {
    id: "home-assistant", name: "Home Assistant", language: "yaml", phones: [],
    tried: "Home Assistant 2024.3.3 and version 1.16.0 of the card",
    fails: () => "Home Assistant's own map card has no setting for tiles, so the code is for `nathan-gs/ha-map-card` of HACS, a card with"
      + " Leaflet. A Webpage card cannot show the viewer, because the viewer's page forbids frames (`frame-ancestors 'none'`). If Home"
      + " Assistant has `https`, browsers load tiles only by `https`. In dark mode, the card inverts the colours of tiles, unless the"
      + " card has `theme_mode: light`.",
    snippet: homeAssistant,
  },
  {
    id: "grafana", name: "Grafana (Geomap)", language: "ini",
    fails: (layer) => sentences(
      "The settings are for a panel, or for all panels with the default base layer. If Grafana has `https`, browsers load tiles only by"
        + " `https`.",
      layer.phoneEmpty === "overzoom"
        ? "In some versions, the map is blank beyond `Max zoom`, so leave `Max zoom` empty. With `overzoom`, the server enlarges tiles."
        : null),
    snippet: grafana,
  },
];

function homeAssistant(layer) {
  const { bounds, levels, view } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent", takesWebP: true });
  return lines(
    "# After the installation of nathan-gs/ha-map-card with HACS: Edit dashboard, Add card, Manual",
    "type: custom:map-card",
    `x: ${view.latitude}`,
    `y: ${view.longitude}`,
    `zoom: ${Math.round(view.zoom)}`,
    `tile_layer_url: "${inYAML(layer.base)}${path}"`,
    `tile_layer_attribution: "${inYAML(layer.attribution.html)}"`,
    "tile_layer_options:",
    layer.depth ? [`  tileSize: ${layer.tileSize}`, `  zoomOffset: ${-layer.depth}`] : null,
    levels.min > 0 ? `  minZoom: ${levels.min}` : null,
    levels.max < 22 ? [`  maxNativeZoom: ${levels.max}`, "  maxZoom: 22"] : `  maxZoom: ${levels.max}`,
    bounds ? `  bounds: [[${bounds.south}, ${bounds.west}], [${bounds.north}, ${bounds.east}]]` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity}` : null,
  );
}

function grafana(layer) {
  const { view, attribution: { html } } = layer;
  const path = layer.path({ ratio: layer.phoneScale === 2 ? "@2x" : "", empty: layer.phoneEmpty, takesWebP: true });
  const url = `${layer.base}${path}`;
  return lines(
    "; A Geomap panel: Basemap layer, Layer type XYZ Tile layer, URL template:",
    `; ${url}`,
    html ? `; Attribution: ${html}` : null,
    layer.opacity < 1 ? `; Opacity: ${layer.opacity}` : null,
    `; Map view, View: Coordinates, Latitude: ${view.latitude}, Longitude: ${view.longitude}, Zoom: ${view.zoom}`,
    "",
    "; All panels with the default base layer: in grafana.ini, or without the backticks in the variable",
    "; GF_GEOMAP_DEFAULT_BASELAYER_CONFIG",
    "[geomap]",
    "default_baselayer_config = `{",
    '  "type": "xyz",',
    '  "config": {',
    `    "url": ${inRawINI(url)}${html ? "," : ""}`,
    html ? `    "attribution": ${inRawINI(html)}` : null,
    "  }",
    "}`",
  );
}
return { dashboards };
})();
// clients/desktop.js
const module75 = (() => {
const { lines, sentences } = module71;
const { inMarkup, inPython, inShell } = module68;

const desktop = [
  {
    id: "qgis", name: "QGIS", language: "python", runs: "the Python of QGIS 3.22, which draws the layer",
    fails: (layer) => sentences(
      layer.phoneScale === 2
        ? "Without `tilePixelRatio`, QGIS draws `@2x` tiles (two pixels a point) at half their zoom. Tiles with one pixel a point"
          + " look blurred on a dense screen." : null,
      "After a 404, QGIS draws nothing, which is right for a missing tile."),
    snippet: qgis,
  },
  {
    id: "arcgis", name: "ArcGIS Pro, ArcGIS Online", language: "text",
    fails: () => "ArcGIS reads the WMTS service by URLs with key-value pairs. ArcGIS Online requires `https`, and assumes tiles"
      + " of 256 points.",
    snippet: arcGIS,
  },
  {
    id: "gdal", name: "GDAL", language: "sh", runs: "GDAL 3.6, and compares GDAL's image with the tile",
    fails: () => "A missing tile ends the program, unless `ZeroBlockHttpCodes` contains the status of the response. GDAL then"
      + " treats the tile as empty. Old versions cannot read an empty PNG, so the code requests a 404 for missing tiles."
      + " `YOrigin` is `top`, because rows count from the north, although the service is called TMS.",
    snippet: gdal,
  },
  {
    id: "curl", name: "curl", language: "sh", runs: "curl, which fetches the tile",
    fails: () => "curl treats `{` and `[` in a URL as ranges, so the code has plain numbers. A missing tile is a 404. With"
      + " `--fail-with-body`, curl then fails, but still saves the JSON that names the reason.",
    snippet: curl,
  },
];

function qgis(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const pixels = Math.round((layer.tileSize * layer.phoneScale) / 256);
  const path = layer.path({ ratio, empty: "404" });
  return lines(
    "# By hand: Layer, Add Layer, Add XYZ Layer, New, with this URL, Min. and Max. Zoom Level, and Tile Resolution",
    `# ${pixels >= 2 ? "High (512x512 / 192 DPI)" : "Standard (256x256 / 96 DPI)"}. In the Python console:`,
    "from urllib.parse import quote",
    "",
    `url = "${inPython(layer.base)}${path}"`,
    `source = f"type=xyz&url={quote(url, safe='')}&zmin=${layer.minZoom}&zmax=${layer.maxZoom}${pixels >= 2 ? `&tilePixelRatio=${pixels}` : ""}"`,
    `layer = QgsRasterLayer(source, "${inPython(layer.name)}", "wms")`,
    layer.attribution.text ? `layer.setAttribution("${inPython(layer.attribution.text)}")` : null,
    layer.opacity < 1 ? `layer.setOpacity(${layer.opacity})` : null,
    "QgsProject.instance().addMapLayer(layer)",
  );
}

function arcGIS(layer) {
  const path = layer.path({ z: "{level}", y: "{row}", x: "{col}", empty: "transparent" });
  return lines(
    "ArcGIS Pro, Insert, Connections, Server, New WMTS Server:",
    `${layer.base}/wmts`,
    `Then add the layer ${layer.id}. Or choose Map, Add Data, Data From Path, and add a tile layer:`,
    `${layer.base}${path}`,
    "",
    "ArcGIS Online, Map Viewer, Add layer from URL, Tile layer: the same address.",
    layer.attribution.text ? `Credits: ${layer.attribution.text}` : null,
  );
}

const half = 20037508.342789244;

function gdal(layer) {
  const { west, south, east, north } = layer.box;
  const path = layer.path({ z: "${z}", x: "${x}", y: "${y}", empty: "404" });
  const [width, file] = [1024, `${layer.id}.xml`];
  const level = Math.min(layer.maxZoom, 30 - Math.ceil(Math.log2(layer.tileSize)));
  return lines(
    `cat > ${file} <<'END'`,
    "<GDAL_WMS>",
    '  <Service name="TMS">',
    `    <ServerUrl>${inMarkup(layer.base + path)}</ServerUrl>`,
    "  </Service>",
    "  <DataWindow>",
    `    <UpperLeftX>-${half}</UpperLeftX><UpperLeftY>${half}</UpperLeftY>`,
    `    <LowerRightX>${half}</LowerRightX><LowerRightY>-${half}</LowerRightY>`,
    `    <TileLevel>${level}</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY><YOrigin>top</YOrigin>`,
    "  </DataWindow>",
    "  <Projection>EPSG:3857</Projection>",
    `  <BlockSizeX>${layer.tileSize}</BlockSizeX><BlockSizeY>${layer.tileSize}</BlockSizeY>`,
    `  <BandsCount>${layer.format === "jpg" ? 3 : 4}</BandsCount>`,
    "  <ZeroBlockHttpCodes>204,404</ZeroBlockHttpCodes>",
    "  <UserAgent>my-map/1.0</UserAgent>",
    "</GDAL_WMS>",
    "END",
    layer.attribution.text ? `# Show this with the map: ${layer.attribution.text}` : null,
    `gdal_translate -projwin_srs EPSG:4326 -projwin ${west} ${limited(north)} ${east < west ? 180 : east} ${limited(south)}`
      + ` -outsize ${width} 0 ${file} ${layer.id}.tif`,
  );
}

function limited(latitude) {
  return Math.min(Math.max(latitude, -85.0511287), 85.0511287);
}

function curl(layer) {
  const { z, x, y } = layer.tile;
  const address = (ratio) => `'${inShell(layer.base)}${layer.path({ z, x, y, ratio, empty: "404" })}'`;
  return lines(
    `curl --fail-with-body -o ${layer.id}.${layer.format === "jpg" ? "jpg" : "png"} ${address("")}`,
    layer.isDense ? `curl --fail-with-body -o ${layer.id}@2x.png ${address("@2x")}` : null,
    `curl --fail-with-body '${inShell(layer.base)}/${layer.id}.json'  # the layer's TileJSON: zooms, bounds, scales`,
  );
}
return { desktop };
})();
// clients/google.js
const module76 = (() => {
const { condition, notes, within } = module73;
const { lines } = module71;
const { inDart, inKotlin, inScript, inTemplate } = module68;
const { isTurned, phoneSpan } = module70;

const google = [
  {
    id: "google-flutter", name: "google_maps_flutter", language: "dart", phones: [],
    fails: () => "On iOS, this plugin has the limits of the Maps SDK for iOS. The overlay requests its tiles again only after it"
      + " gets another id or its cache is cleared. On Android, the map flickers when the cache is cleared.",
    snippet: flutter,
  },
  {
    id: "react-native-maps", name: "react-native-maps", language: "jsx", phones: ["iOS", "Android"],
    fails: () => "The component reads the URL template only when it is first rendered. If you change the template, also change"
      + " the component's `key`. With Google's map on iOS, `tileSize`, `maximumNativeZ` and the cache have no effect. Tiles"
      + " beyond `maximumZ` disappear, so the code does not set `maximumZ`.",
    snippet: reactNative,
  },
  {
    id: "google-android", name: "Maps SDK for Android (UrlTileProvider)", language: "kotlin", phones: ["Android"],
    fails: () => "The SDK requests a failed tile again, after longer and longer pauses. Only `null` tells the SDK that there is"
      + " no tile. The map flickers after `clearTileCache`.",
    snippet: android,
  },
  {
    id: "google-web", name: "Maps JavaScript API (ImageMapType)", language: "js",
    fails: () => "The map repeats the world, so `x` and `y` can be outside of the map. The code must wrap `x` and limit `y`, or"
      + " the requests are errors. `maxZoom` does not stop requests at deeper zooms.",
    snippet: web,
  },
];

function flutter(layer) {
  const { view } = layer;
  const turned = isTurned(view) ? ` bearing: ${view.bearing}, tilt: ${view.viewingAngle},` : "";
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ z: "$zoom", x: "$x", y: "$y", ratio, empty: layer.phoneEmpty });
  return lines(
    "import 'package:google_maps_flutter/google_maps_flutter.dart';",
    "import 'package:http/http.dart' as http;",
    "",
    notes(layer),
    "class Tiles implements TileProvider {",
    "  @override",
    "  Future<Tile> getTile(int x, int y, int? zoom) async {",
    "    if (zoom == null) return TileProvider.noTile;",
    layer.edges ? "    final span = 1 << zoom;" : null,
    condition(within(layer), { begin: "    if (!(", between: " &&", end: ")) return TileProvider.noTile;" }),
    `    final url = Uri.parse('${inDart(layer.base)}${path}');`,
    "    final answer = await http.get(url, headers: {'User-Agent': 'my-app/1.0'});",
    `    return answer.statusCode == 200 ? Tile(${side}, ${side}, answer.bodyBytes) : TileProvider.noTile;`,
    "  }",
    "}",
    "",
    "final map = GoogleMap(",
    "  initialCameraPosition: const CameraPosition(",
    `    target: LatLng(${view.latitude}, ${view.longitude}), zoom: ${view.zoom},${turned}`,
    "  ),",
    "  tileOverlays: {",
    "    TileOverlay(",
    `      tileOverlayId: const TileOverlayId('${layer.id}'),`,
    "      tileProvider: Tiles(),",
    `      tileSize: ${side},  // pixels, on iOS`,
    layer.opacity < 1 ? `      transparency: ${complement(layer.opacity)},` : null,
    layer.zIndex !== 0 ? `      zIndex: ${layer.zIndex},` : null,
    "    ),",
    "  },",
    ");",
  );
}

function reactNative(layer) {
  const { view } = layer;
  const span = phoneSpan(view);
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ ratio, empty: layer.phoneEmpty });
  return lines(
    'import { Platform } from "react-native";',
    'import MapView, { UrlTile } from "react-native-maps";',
    "",
    notes(layer),
    "export const Map = () => (",
    "  <MapView",
    "    style={{ flex: 1 }}",
    "    initialRegion={{",
    `      latitude: ${view.latitude}, longitude: ${view.longitude}, latitudeDelta: ${span.latitude}, longitudeDelta: ${span.longitude},`,
    "    }}",
    "  >",
    "    <UrlTile",
    `      urlTemplate={"${inScript(layer.base)}${path}"}`,
    `      tileSize={Platform.OS === "android" ? ${layer.tileSize * layer.phoneScale} : 256}`,
    layer.minZoom > 0 ? `      minimumZ={${layer.minZoom}}` : null,
    layer.opacity < 1 ? `      opacity={${layer.opacity}}` : null,
    layer.zIndex !== 0 ? `      zIndex={${layer.zIndex}}` : null,
    "    />",
    "  </MapView>",
    ");",
  );
}

function android(layer) {
  const { view } = layer;
  const target = `LatLng(${decimal(view.latitude)}, ${decimal(view.longitude)})`;
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ z: "$zoom", x: "$x", y: "$y", ratio, empty: layer.phoneEmpty });
  return lines(
    "import com.google.android.gms.maps.CameraUpdateFactory",
    isTurned(view) ? "import com.google.android.gms.maps.model.CameraPosition" : null,
    "import com.google.android.gms.maps.model.LatLng",
    "import com.google.android.gms.maps.model.TileOverlayOptions",
    "import com.google.android.gms.maps.model.UrlTileProvider",
    "import java.net.URL",
    "",
    notes(layer, { isApple: false }),
    `val tiles = object : UrlTileProvider(${side}, ${side}) {`,
    "    override fun getTileUrl(x: Int, y: Int, zoom: Int): URL? {",
    layer.edges ? "        val span = 1 shl zoom" : null,
    condition(within(layer), { begin: "        if (!(", between: " &&", end: ")) return null" }),
    `        return URL("${inKotlin(layer.base)}${path}")`,
    "    }",
    "}",
    `map.addTileOverlay(TileOverlayOptions().tileProvider(tiles)${layer.zIndex !== 0 ? `.zIndex(${layer.zIndex}f)` : ""}`
      + `${layer.opacity < 1 ? `.transparency(${complement(layer.opacity)}f)` : ""})`,
    isTurned(view)
      ? `map.moveCamera(CameraUpdateFactory.newCameraPosition(CameraPosition(${target}, ${view.zoom}f, ${view.viewingAngle}f, ${view.bearing}f)))`
      : `map.moveCamera(CameraUpdateFactory.newLatLngZoom(${target}, ${view.zoom}f))`,
  );
}

function web(layer) {
  const { view } = layer;
  const turned = isTurned(view) ? `, heading: ${view.bearing}, tilt: ${view.viewingAngle}` : "";
  const path = layer.path({ z: "${zoom}", x: "${column}", y: "${y}", ratio: layer.phoneScale === 2 ? "${ratio}" : "", empty: layer.phoneEmpty });
  return lines(
    "const tiles = new google.maps.ImageMapType({",
    `  name: "${inScript(layer.name)}",`,
    "  tileSize: new google.maps.Size(256, 256),  // in points, not pixels of the image",
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    "  getTileUrl({ x, y }, zoom) {",
    "    const span = 2 ** zoom;",
    "    const column = ((x % span) + span) % span;  // the world repeats",
    condition(["y >= 0 && y < span", ...within(layer, { name: "column" })], { begin: "    if (!(", between: " &&", end: ")) return null;" }),
    layer.phoneScale === 2 ? '    const ratio = window.devicePixelRatio > 1 ? "@2x" : "";' : null,
    `    return \`${inTemplate(layer.base)}${path}\`;`,
    "  },",
    "});",
    "map.overlayMapTypes.push(tiles);",
    `map.moveCamera({ center: { lat: ${view.latitude}, lng: ${view.longitude} }, zoom: ${view.zoom}${turned} });`,
    layer.attribution.html
      ? [
        "",
        'const attribution = document.createElement("div");',
        `attribution.innerHTML = "${inScript(layer.attribution.html)}";`,
        "map.controls[google.maps.ControlPosition.BOTTOM_RIGHT].push(attribution);",
      ] : null,
  );
}

function complement(opacity) {
  return Number((1 - opacity).toFixed(6));
}

function decimal(number) {
  return Number.isInteger(number) ? `${number}.0` : String(number);
}
return { google, decimal };
})();
// clients/native.js
const module77 = (() => {
const { lines, sentences } = module71;
const { decimal } = module76;
const { inDart, inKotlin, inSwift } = module68;
const { isTurned } = module70;

const maplibreFails = (layer) => sentences(
  "With a wrong `tileSize`, tiles look blurred.", layer.isDense ? "On a dense screen, MapLibre replaces `{ratio}` by `@2x`." : null);

const native = [
  {
    id: "maplibre-ios", name: "MapLibre Native (iOS)", language: "swift", phones: ["iOS"],
    fails: maplibreFails,
    snippet: maplibreIOS,
  },
  {
    id: "maplibre-android", name: "MapLibre Native (Android)", language: "kotlin", phones: ["Android"],
    fails: maplibreFails,
    snippet: maplibreAndroid,
  },
  {
    id: "flutter-map", name: "flutter_map", language: "dart", phones: [],
    fails: (layer) => sentences(
      "flutter_map keeps tiles as long as the server allows. Since version 8.2, it has its own cache for them.",
      layer.isDense ? "Without `retinaMode`, `{r}` is empty, and tiles look blurred on dense screens." : null,
      "Beyond `maxNativeZoom`, flutter_map enlarges tiles."),
    snippet: flutterMap,
  },
];

function maplibreIOS(layer) {
  const { bounds, view } = layer;
  const target = `CLLocationCoordinate2D(latitude: ${view.latitude}, longitude: ${view.longitude})`;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import MapLibre",
    "",
    "// In mapView(_:didFinishLoading:), where `mapView` and `style` are given:",
    "let source = MLNRasterTileSource(",
    `    identifier: "${layer.id}",`,
    `    tileURLTemplates: ["${inSwift(layer.base)}${path}"],`,
    "    options: [",
    `        .tileSize: ${layer.tileSize},`,
    layer.minZoom > 0 ? `        .minimumZoomLevel: ${layer.minZoom},` : null,
    `        .maximumZoomLevel: ${layer.maxZoom},`,
    bounds
      ? [
        "        .coordinateBounds: NSValue(mlnCoordinateBounds: MLNCoordinateBounds(",
        `            sw: CLLocationCoordinate2D(latitude: ${bounds.south}, longitude: ${bounds.west}),`,
        `            ne: CLLocationCoordinate2D(latitude: ${bounds.north}, longitude: ${bounds.east}))),`,
      ] : null,
    layer.attribution.html ? `        .attributionHTMLString: "${inSwift(layer.attribution.html)}",` : null,
    "    ])",
    "style.addSource(source)",
    `let layer = MLNRasterStyleLayer(identifier: "${layer.id}", source: source)`,
    layer.opacity < 1 ? `layer.rasterOpacity = NSExpression(forConstantValue: ${layer.opacity})` : null,
    "style.addLayer(layer)",
    view.viewingAngle === 0
      ? [
        `mapView.setCenter(${target},`,
        `                  zoomLevel: ${layer.zoomOf512},${view.bearing !== 0 ? ` direction: ${view.bearing},` : ""} animated: false)`,
      ]
      : [
        `let center = ${target}`,
        `let altitude = MLNAltitudeForZoomLevel(${layer.zoomOf512}, ${view.viewingAngle}, center.latitude, mapView.bounds.size)`,
        `mapView.camera = MLNMapCamera(lookingAtCenter: center, altitude: altitude, pitch: ${view.viewingAngle}, heading: ${view.bearing})`,
      ],
  );
}

function maplibreAndroid(layer) {
  const { bounds, view } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import org.maplibre.android.camera.CameraPosition",
    "import org.maplibre.android.geometry.LatLng",
    "import org.maplibre.android.style.layers.*",
    "import org.maplibre.android.style.sources.*",
    "",
    `val tiles = TileSet("3.0.0", "${inKotlin(layer.base)}${path}")`,
    layer.minZoom > 0 ? `tiles.minZoom = ${layer.minZoom}f` : null,
    `tiles.maxZoom = ${layer.maxZoom}f`,
    bounds ? `tiles.setBounds(${bounds.west}f, ${bounds.south}f, ${bounds.east}f, ${bounds.north}f)` : null,
    layer.attribution.html ? `tiles.attribution = "${inKotlin(layer.attribution.html)}"` : null,
    `style.addSource(RasterSource("${layer.id}", tiles, ${layer.tileSize}))`,
    `style.addLayer(RasterLayer("${layer.id}", "${layer.id}")`
      + `${layer.opacity < 1 ? `.withProperties(PropertyFactory.rasterOpacity(${layer.opacity}f))` : ""})`,
    "map.cameraPosition = CameraPosition.Builder()",
    `    .target(LatLng(${decimal(view.latitude)}, ${decimal(view.longitude)})).zoom(${decimal(layer.zoomOf512)})`,
    isTurned(view) ? `    .bearing(${decimal(view.bearing)}).tilt(${decimal(view.viewingAngle)})` : null,
    "    .build()",
  );
}

function flutterMap(layer) {
  const { bounds, levels, view } = layer;
  const depth = layer.depth ?? 0;
  const rotation = view.bearing !== 0 ? ` initialRotation: ${-view.bearing},` : "";
  return lines(
    "import 'package:flutter/widgets.dart';",
    "import 'package:flutter_map/flutter_map.dart';",
    "import 'package:latlong2/latlong.dart';",
    "",
    "Widget map(BuildContext context) => FlutterMap(",
    "  options: const MapOptions(",
    `    initialCenter: LatLng(${view.latitude}, ${view.longitude}), initialZoom: ${view.zoom},${rotation}`,
    "  ),",
    "  children: [",
    layer.opacity < 1 ? `    Opacity(opacity: ${layer.opacity}, child: TileLayer(` : "    TileLayer(",
    `      urlTemplate: '${inDart(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent" })}',`,
    layer.isDense ? "      retinaMode: RetinaMode.isHighDensity(context)," : null,
    depth !== 0 ? [`      tileDimension: ${layer.tileSize},`, `      zoomOffset: ${-depth},`] : null,
    levels.min > 0 ? `      minNativeZoom: ${levels.min},` : null,
    `      maxNativeZoom: ${levels.max},`,
    bounds
      ? [
        "      tileBounds: LatLngBounds(",
        `        const LatLng(${bounds.south}, ${bounds.west}), const LatLng(${bounds.north}, ${bounds.east}),`,
        "      ),",
      ] : null,
    "      userAgentPackageName: 'org.example.my_app',",
    layer.opacity < 1 ? "    ))," : "    ),",
    layer.attribution.text ? `    const SimpleAttributionWidget(source: Text('${inDart(layer.attribution.text)}')),` : null,
    "  ],",
    ");",
  );
}
return { native };
})();
// clients/web.js
const module78 = (() => {
const { lines, sentences } = module71;
const { inScript, inTemplate } = module68;

const web = [
  {
    id: "leaflet", name: "Leaflet", language: "js", runs: "Leaflet 1.9.3 in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      "Leaflet treats a 204 response as a broken image (`tileerror`). A 404 is an error in the console, and"
        + " `ERR_BLOCKED_BY_ORB` if the page and the server have different origins. The code therefore requests a transparent"
        + " image for a missing tile.",
      layer.depth ? `Leaflet shows tiles of ${layer.tileSize} pixels at another zoom, so the code sets \`zoomOffset\`.` : null),
    snippet: leaflet,
  },
  {
    id: "maplibre", name: "MapLibre GL JS", language: "js", runs: "MapLibre GL JS 5.3 in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      layer.tileSize < 512 ? "MapLibre assumes tiles of 512 points unless `tileSize` is set. Smaller tiles then look blurred." : null,
      "After a 404, MapLibre logs an error and stretches coarser tiles over the gap. After a 204, the gap stays empty.",
      layer.isDense ? "Mapbox GL JS has the same options but no `{ratio}`, so write `@2x` in the URL." : null),
    snippet: maplibre,
  },
  {
    id: "openlayers", name: "OpenLayers", language: "js", runs: "the OpenLayers of MapProxy in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      layer.isDense
        ? "If `tilePixelRatio` does not match the pixels of the tiles, the tiles look blurred or are in the wrong place." : null,
      "A missing tile is an error in the console, and OpenLayers shows coarser tiles in the gap."),
    snippet: openLayers,
  },
];

const degrees = ({ west, south, east, north }) => `[${west}, ${south}, ${east}, ${north}]`;

function leaflet(layer) {
  const depth = layer.depth ?? 0;
  const { view, bounds, levels } = layer;
  return lines(
    `const map = L.map("map").setView([${view.latitude}, ${view.longitude}], ${Math.round(view.zoom)});`,
    `L.tileLayer("${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent", takesWebP: true })}", {`,
    depth !== 0 ? [`  tileSize: ${layer.tileSize},`, `  zoomOffset: ${-depth},`] : null,
    levels.min > 0 ? `  minZoom: ${levels.min},` : null,
    levels.max < 22 ? [`  maxNativeZoom: ${levels.max},`, "  maxZoom: 22,  // enlarged beyond maxNativeZoom"] : `  maxZoom: ${levels.max},`,
    bounds ? `  bounds: [[${bounds.south}, ${bounds.west}], [${bounds.north}, ${bounds.east}]],` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    layer.zIndex !== 0 ? `  zIndex: ${layer.zIndex},` : null,
    layer.attribution.html ? `  attribution: "${inScript(layer.attribution.html)}",` : null,
    "  crossOrigin: true,",
    "}).addTo(map);",
  );
}

function maplibre(layer) {
  const { view, bounds } = layer;
  return lines(
    "const map = new maplibregl.Map({",
    '  container: "map",',
    `  center: [${view.longitude}, ${view.latitude}],`,
    `  zoom: ${layer.zoomOf512},`,
    view.bearing !== 0 ? `  bearing: ${view.bearing},` : null,
    view.viewingAngle !== 0 ? `  pitch: ${view.viewingAngle},` : null,
    view.viewingAngle > 60 ? `  maxPitch: ${Math.ceil(view.viewingAngle)},` : null,
    "  style: {",
    "    version: 8,",
    "    sources: {",
    "      tiles: {",
    '        type: "raster",',
    `        tiles: ["${inScript(layer.base)}${layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204", takesWebP: true })}"],`,
    layer.tileSize !== 512 ? `        tileSize: ${layer.tileSize},` : null,
    layer.minZoom > 0 ? `        minzoom: ${layer.minZoom},` : null,
    layer.maxZoom !== 22 ? `        maxzoom: ${layer.maxZoom},` : null,
    bounds ? `        bounds: ${degrees(bounds)},` : null,
    layer.attribution.html ? `        attribution: "${inScript(layer.attribution.html)}",` : null,
    "      },",
    "    },",
    layer.opacity < 1
      ? `    layers: [{ id: "tiles", type: "raster", source: "tiles", paint: { "raster-opacity": ${layer.opacity} } }],`
      : '    layers: [{ id: "tiles", type: "raster", source: "tiles" }],',
    "  },",
    "});",
  );
}

function openLayers(layer) {
  const { view, bounds } = layer;
  const options = { empty: "transparent", takesWebP: true };
  const url = layer.isDense
    ? `\`${inTemplate(layer.base)}${layer.path({ ...options, ratio: '${ratio > 1 ? "@2x" : ""}' })}\``
    : `"${inScript(layer.base)}${layer.path(options)}"`;
  const rotation = view.bearing !== 0 ? `, rotation: ${-view.bearing} * Math.PI / 180` : "";
  return lines(
    'import Map from "ol/Map.js";',
    'import View from "ol/View.js";',
    'import TileLayer from "ol/layer/Tile.js";',
    `import { fromLonLat${bounds ? ", transformExtent" : ""} } from "ol/proj.js";`,
    'import XYZ from "ol/source/XYZ.js";',
    "",
    layer.isDense ? "const ratio = window.devicePixelRatio > 1 ? 2 : 1;" : null,
    "const map = new Map({",
    '  target: "map",',
    `  view: new View({ center: fromLonLat([${view.longitude}, ${view.latitude}]), zoom: ${view.zoom}${rotation} }),`,
    "  layers: [",
    "    new TileLayer({",
    bounds ? `      extent: transformExtent(${degrees(bounds)}, "EPSG:4326", "EPSG:3857"),` : null,
    layer.opacity < 1 ? `      opacity: ${layer.opacity},` : null,
    "      source: new XYZ({",
    `        url: ${url},`,
    layer.tileSize !== 256 ? `        tileSize: ${layer.tileSize},` : null,
    layer.isDense ? "        tilePixelRatio: ratio," : null,
    layer.minZoom > 0 ? `        minZoom: ${layer.minZoom},` : null,
    `        maxZoom: ${layer.maxZoom},`,
    layer.attribution.html ? `        attributions: "${inScript(layer.attribution.html)}",` : null,
    '        crossOrigin: "anonymous",',
    "      }),",
    "    }),",
    "  ],",
    "});",
  );
}
return { web, degrees };
})();
// clients/scenes.js
const module79 = (() => {
const { lines, sentences } = module71;
const { inScript, inTemplate } = module68;
const { isTurned, spanOf } = module70;
const { degrees } = module78;

const scenes = [
  {
    id: "cesium", name: "Cesium", language: "js",
    fails: () => "Cesium logs each missing tile. After too many missing tiles, it stops loading the imagery. A transparent tile"
      + " does not count as missing. Cesium needs CORS headers in every response, and the server always sends them."
      + " Requests with credentials fail, because they do not accept `Access-Control-Allow-Origin: *`.",
    snippet: cesium,
  },
  {
    id: "deckgl", name: "deck.gl", language: "js", runs: "the deck.gl of pydeck in Chromium, with one and with two pixels a point",
    fails: (layer) => sentences(
      "A missing tile is an error in the console. In some versions of deck.gl, a missing tile even stops the whole layer.",
      layer.tileSize !== 512 ? "deck.gl assumes tiles of 512 points unless `tileSize` is set." : null),
    snippet: deck,
  },
  {
    id: "arcgis-web", name: "ArcGIS Maps SDK for JavaScript", language: "js",
    fails: (layer) => sentences(
      layer.tileSize !== 256 ? "The layer assumes tiles of 256 points unless `tileInfo` is set." : null,
      "A missing tile is an error in the console."),
    snippet: arcGIS,
  },
];

const wrapped = (longitude) => (Math.abs(longitude) <= 180 ? longitude : longitude - Math.sign(longitude) * 360);

function cesium(layer) {
  const { bounds, view } = layer;
  const span = spanOf(view, 800, 600);
  const [across, up] = [Math.min(span.longitude, 180) / 2, span.latitude / 2];
  const seen = [wrapped(view.longitude - across), view.latitude - up, wrapped(view.longitude + across), view.latitude + up]
    .map((edge) => Number(edge.toFixed(6)));
  const side = layer.tileSize * layer.phoneScale;
  const path = layer.path({ ratio: layer.phoneScale === 2 ? "@2x" : "", empty: "transparent", takesWebP: true });
  return lines(
    `${layer.opacity < 1 ? "const imagery = " : ""}viewer.imageryLayers.addImageryProvider(new Cesium.UrlTemplateImageryProvider({`,
    `  url: "${inScript(layer.base)}${path}",`,
    side !== 256 ? [`  tileWidth: ${side},`, `  tileHeight: ${side},`] : null,
    bounds && layer.minZoom > 0 ? `  minimumLevel: ${layer.minZoom},` : null,
    `  maximumLevel: ${layer.maxZoom},`,
    bounds ? `  rectangle: Cesium.Rectangle.fromDegrees(${degrees(bounds).slice(1, -1)}),` : null,
    layer.attribution.html ? `  credit: new Cesium.Credit("${inScript(layer.attribution.html)}", true),` : null,
    "}));",
    layer.opacity < 1 ? `imagery.alpha = ${layer.opacity};` : null,
    `viewer.camera.setView({ destination: Cesium.Rectangle.fromDegrees(${seen.join(", ")}) });`,
  );
}

function deck(layer) {
  const { view } = layer;
  const steep = view.viewingAngle > 60 ? `, maxPitch: ${Math.ceil(view.viewingAngle)}` : "";
  const turned = isTurned(view) ? `, bearing: ${view.bearing}, pitch: ${view.viewingAngle}${steep}` : "";
  const options = { empty: "transparent", takesWebP: true };
  const data = layer.isDense
    ? `\`${inTemplate(layer.base)}${layer.path({ ...options, ratio: '${window.devicePixelRatio > 1 ? "@2x" : ""}' })}\``
    : `"${inScript(layer.base)}${layer.path(options)}"`;
  return lines(
    'import { Deck } from "@deck.gl/core";',
    'import { TileLayer } from "@deck.gl/geo-layers";',
    'import { BitmapLayer } from "@deck.gl/layers";',
    "",
    layer.attribution.text ? `// Show this with the map: ${layer.attribution.text.replaceAll("</", "<\\/")}` : null,
    "const tiles = new TileLayer({",
    `  id: "${layer.id}",`,
    `  data: ${data},`,
    layer.tileSize !== 512 ? `  tileSize: ${layer.tileSize},` : null,
    layer.minZoom > 0 ? `  minZoom: ${layer.minZoom},` : null,
    `  maxZoom: ${layer.maxZoom},`,
    layer.bounds ? `  extent: ${degrees(layer.bounds)},` : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    "  renderSubLayers(properties) {",
    "    const [[west, south], [east, north]] = properties.tile.boundingBox;",
    "    return new BitmapLayer(properties, { data: null, image: properties.data, bounds: [west, south, east, north] });",
    "  },",
    "});",
    "",
    "new Deck({",
    '  parent: document.getElementById("map"),',
    `  initialViewState: { longitude: ${view.longitude}, latitude: ${view.latitude}, zoom: ${layer.zoomOf512}${turned} },`,
    "  controller: true,",
    "  layers: [tiles],",
    "});",
  );
}

const worldScale = 591657527.591555;

function arcGIS(layer) {
  const { view } = layer;
  const path = layer.path({ z: "{level}", y: "{row}", x: "{col}", empty: "transparent", takesWebP: true });
  return lines(
    layer.bounds ? 'import Extent from "@arcgis/core/geometry/Extent.js";' : null,
    'import TileInfo from "@arcgis/core/layers/support/TileInfo.js";',
    'import WebTileLayer from "@arcgis/core/layers/WebTileLayer.js";',
    "",
    "const tiles = new WebTileLayer({",
    `  title: "${inScript(layer.name)}",`,
    `  urlTemplate: "${inScript(layer.base)}${path}",`,
    `  tileInfo: TileInfo.create({ ${layer.tileSize !== 256 ? `size: ${layer.tileSize}, ` : ""}numLODs: ${layer.maxZoom + 1} }),`,
    layer.bounds
      ? [
        "  fullExtent: new Extent({",
        `    xmin: ${layer.bounds.west}, ymin: ${layer.bounds.south}, xmax: ${layer.bounds.east}, ymax: ${layer.bounds.north},`,
        "    spatialReference: { wkid: 4326 },",
        "  }),",
      ] : null,
    layer.opacity < 1 ? `  opacity: ${layer.opacity},` : null,
    layer.attribution.text ? `  copyright: "${inScript(layer.attribution.text)}",` : null,
    "});",
    "map.add(tiles);",
    `view.center = [${view.longitude}, ${view.latitude}];`,
    `view.scale = ${Math.round(worldScale / 2 ** view.zoom)};`,
  );
}
return { scenes };
})();
// clients/clients.js
const module80 = (() => {
const { ClientLayer } = module71;
const { isLoopback } = module72;
const { apple } = module73;
const { dashboards } = module74;
const { desktop } = module75;
const { google } = module76;
const { native } = module77;
const { scenes } = module79;
const { web } = module78;


const groups = [
  { name: "Google's and Apple's maps", clients: [...apple, ...google] },
  { name: "In a browser", clients: [...web, ...scenes] },
  { name: "In a dashboard", clients: dashboards },
  { name: "In an app", clients: native },
  { name: "At a desk", clients: desktop },
];

const clients = groups.flatMap((group) => group.clients);

function snippetFor(id, document, base, camera = null) {
  return clients.find((client) => client.id === id).snippet(new ClientLayer(document, base, camera));
}

function likelyBase(document, page) {
  const suffix = `/${document.id}.json`;
  if (!document.tilejson?.endsWith(suffix)) return page;
  const told = document.tilejson.slice(0, -suffix.length + 1);
  const [there, here] = [new URL(told), new URL(page)];
  if (there.protocol === "http:" && here.protocol === "https:") return page;
  return isLoopback(there) ? page : told;
}
return { groups, clients, snippetFor, likelyBase };
})();
// panels/icons.js
const module81 = (() => {

const layers = "M12 3 2.5 8.5 12 14l9.5-5.5zM2.5 13 12 18.500l9.500-5.500M2.500 17 12 22.500l9.500-5.500";
const camera = "M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z";
const tiles = "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z";
const plus = "M12 5v14M5 12h14";
const minus = "M5 12h14";
const compass = "M12 3l4 9h-8zM12 21l-4-9h8z";
const tilt = "M3 17l4-9h10l4 9zM5 12.500h14M12 8v9";
const up = "M6 15l6-6 6 6";
const down = "M6 9l6 6 6-6";
const close = "M6 6l12 12M18 6L6 18";
const box = "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z";
const fit = "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5";
const target = "M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM12 2v5M12 17v5M2 12h5M17 12h5";
const about = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7v.01";
const link = "M10 14a4 4 0 0 0 6 .500l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-6-.500l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500";
const search = "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5";
const position = "M21 3 3 10.500l7.500 3L13.500 21z";
return { layers, camera, tiles, plus, minus, compass, tilt, up, down, close, box, fit, target, about, link, search, position };
})();
// panels/ClientsDialog.js
const module82 = (() => {
const { ClientLayer } = module71;
const { hintsFor } = module72;
const { clients, groups, likelyBase } = module80;
const { copyButton } = module61;
const { button, element, field } = module57;
const icons = module81;

const remembered = "tileserver.client";

class ClientsDialog {
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

  constructor(server, map) {
    this.#server = server;
    this.#map = map;
    this.#code = element("div", { className: "code" }, [this.#text, copyButton(() => this.#text.textContent, "this text")]);
    this.content.append(
      element("header", {}, [this.#title, button("Close", () => this.content.close(), { icon: icons.close })]),
      field("Program", this.#choice), this.#advice, field("URL of the server for this program", this.#address), this.#problem,
      this.#hints, this.#code);
    this.content.addEventListener("click", (event) => event.target === this.content && this.content.close());
  }

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
    this.#advice.replaceChildren(...marked(client.fails(layer ?? this.#layerAt(this.#server.base))));
    this.#setHints(layer ? hintsFor(client, new URL(layer.base)) : []);
    this.#problem.textContent = layer ? "" : "Expected a URL that begins with https:// or http://.";
    this.#code.hidden = layer === null;
    if (layer) this.#text.textContent = client.snippet(layer);
  }

  #layerAt(base) {
    try {
      return new ClientLayer(this.#layer.document, base, this.#map.camera);
    } catch {
      return null;
    }
  }

  #setHints(hints) {
    const made = hints.map((text) => element("p", {}, marked(text)));
    const isSame = made.length === this.#hints.children.length
      && made.every((each, index) => each.textContent === this.#hints.children[index].textContent);
    if (!isSame) this.#hints.replaceChildren(...made);
  }
}

function marked(text) {
  return text.split("`").map((part, index) =>
    (index % 2 === 1 ? element("code", { className: "inline", text: part }) : document.createTextNode(part)));
}

function recall() {
  try {
    return localStorage.getItem(remembered);
  } catch {
    return null;
  }
}

function remember(id) {
  try {
    localStorage.setItem(remembered, id);
  } catch {
  }
}
return { ClientsDialog };
})();
// panels/Controls.js
const module83 = (() => {
const { northUp } = module24;
const { button } = module57;
const icons = module81;

class Controls {
  #compass;
  #tilt;
  #map;

  constructor(target, map, motion, ...others) {
    this.#map = map;
    const zoom = (delta) => motion.zoomAt(delta, map.projection.center);
    this.#compass = button("North up", () => motion.flyTo(northUp(motion.goal)), { icon: icons.compass });
    this.#compass.classList.add("compass");
    this.#tilt = button("Tilt", () => motion.flyTo({ ...motion.goal, viewingAngle: this.#nextAngle() }), { icon: icons.tilt });
    this.#tilt.hidden = !map.canTilt;
    target.append(
      button("Closer", () => zoom(1), { icon: icons.plus }), button("Farther", () => zoom(-1), { icon: icons.minus }),
      this.#compass, this.#tilt, ...others);
    map.addEventListener("move", () => this.#show());
    this.#show();
  }

  #nextAngle() {
    const limit = this.#map.view.rules.viewingAngleLimit.angleAt(this.#map.camera.zoom);
    return this.#map.camera.viewingAngle > 0 ? 0 : Math.min(limit, 50);
  }

  #show() {
    const { bearing, viewingAngle } = this.#map.camera;
    const needle = /** @type {SVGElement} */ (this.#compass.firstElementChild);
    needle.style.transform = `rotate(${-bearing}deg)`;
    this.#compass.classList.toggle("turned", bearing !== 0 || viewingAngle !== 0);
    this.#tilt.setAttribute("aria-pressed", String(viewingAngle > 0));
  }
}
return { Controls };
})();
// panels/FlightPanel.js
const module84 = (() => {
const { curves } = module11;
const { cameraText } = module25;
const { local } = module50;
const { cameraJSON, imageSize } = module64;
const { button, element, field } = module57;

const [fps, mostFrames, mostPixels] = [20, 240, 67_108_864];

class FlightPanel {
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
return { FlightPanel };
})();
// input/scaleBar.js
const module85 = (() => {
const { pointsPerMetre } = module1;
const { local } = module50;

function scaleBar({ latitude, zoom }, most = 110) {
  const scale = pointsPerMetre(latitude) * 2 ** zoom;
  const longest = most / scale;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = [5, 2, 1].find((digit) => digit * power <= longest) * power;
  return { label: label(metres), points: metres * scale };
}

function label(metres) {
  if (metres >= 1000) return `${local.number(Number((metres / 1000).toPrecision(1)))} km`;
  if (metres >= 1) return `${metres} m`;
  return `${Number((metres * 100).toPrecision(1))} cm`;
}
return { scaleBar };
})();
// panels/attribution.js
const module86 = (() => {
const safe = /^https?:\/\//i;

function attributionParts(nodes) {
  const parts = [];
  for (const node of nodes) {
    if (node.nodeType === 3) {
      parts.push({ text: node.textContent, href: null });
    } else if (node.nodeType === 1 && !/^(script|style|template|title)$/i.test(node.nodeName)) {
      const href = /^a$/i.test(node.nodeName) ? (node.getAttribute("href") ?? "") : "";
      if (safe.test(href)) parts.push({ text: node.textContent, href });
      else parts.push(...attributionParts(node.childNodes));
    }
  }
  return parts.filter((part) => part.text.trim() !== "");
}

function showAttributions(target, texts) {
  const found = new Map();
  for (const text of texts) {
    const { body } = new DOMParser().parseFromString(text, "text/html");
    const parts = attributionParts(body.childNodes);
    found.set(parts.map((part) => part.text).join(""), parts);
  }
  const lists = [...found.values()].map((parts) => {
    const item = document.createElement("span");
    item.append(...parts.map(({ text, href }) => (href ? link(text, href) : text)));
    return item;
  });
  target.replaceChildren(...lists);
  target.hidden = lists.length === 0;
}

function link(text, href) {
  const made = document.createElement("a");
  Object.assign(made, { textContent: text, href, target: "_blank", rel: "noopener noreferrer" });
  return made;
}
return { attributionParts, showAttributions };
})();
// panels/Footer.js
const module87 = (() => {
const { short } = module25;
const { scaleBar } = module85;
const { showAttributions } = module86;

const delay = 1000;

class Footer {
  #timer = 0;

  constructor({ scale, attribution, announcement }, map, stack) {
    const show = () => {
      const { label, points } = scaleBar(map.camera);
      scale.textContent = label;
      scale.style.width = `${points.toFixed(1)}px`;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => { announcement.textContent = spoken(map.camera); }, delay);
    };
    map.addEventListener("move", show);
    show();
    stack.addEventListener("change", () => {
      showAttributions(attribution, stack.shown.map((layer) => layer.document.attribution).filter(Boolean));
    });
  }
}

function spoken({ latitude, longitude, zoom, bearing, viewingAngle }) {
  const place = `${short(Math.abs(latitude), 2)}° ${latitude < 0 ? "south" : "north"}, `
    + `${short(Math.abs(longitude), 2)}° ${longitude < 0 ? "west" : "east"}`;
  const turned = bearing === 0 ? "" : `, turned ${short(bearing, 0)}°`;
  const tilted = viewingAngle === 0 ? "" : `, tilted ${short(viewingAngle, 0)}°`;
  return `${place}, zoom ${short(zoom, 1)}${turned}${tilted}`;
}
return { Footer, spoken };
})();
// panels/FullScreenButton.js
const module88 = (() => {
const { button } = module57;
const icons = module81;

class FullScreenButton {
  content = button("Full screen", () => this.#toggle(), { icon: icons.fit, "aria-pressed": "false" });

  constructor() {
    this.content.hidden = !document.fullscreenEnabled;
    document.addEventListener("fullscreenchange", () => {
      this.content.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
    });
  }

  async #toggle() {
    try {
      await (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    } catch {
    }
  }
}
return { FullScreenButton };
})();
// server/Server.js
const module89 = (() => {

class Server {
  #token = null;

  constructor(base = document.baseURI) {
    this.base = new URL(".", base).href;
  }

  get hasToken() {
    return this.#token !== null;
  }

  set token(text) {
    this.#token = text || null;
  }

  address(path) {
    return new URL(path, this.base).href;
  }

  async documents() {
    const response = await fetch(this.address("layers.json"), { cache: "no-cache" });
    if (!response.ok) throw new ServerError(response.status, "The list of layers is not available.");
    return response.json();
  }

  async places(layer) {
    try {
      const response = await fetch(this.address(`${layer}/places.json`), { cache: "no-cache" });
      return response.ok ? await response.json() : [];
    } catch {
      return [];
    }
  }

  async version() {
    const response = await fetch(this.address("version"), { cache: "no-cache" });
    if (!response.ok) throw await ServerError.of(response);
    return response.json();
  }

  async tokenFor(code) {
    const response = await fetch(this.address("admin/token"), {
      method: "POST", headers: { Authorization: `Bearer ${code}` }, cache: "no-store",
    });
    if (!response.ok) throw await ServerError.of(response);
    return (await response.json()).token;
  }

  clear(layer, { tile, box, isSoft } = {}) {
    if (tile && isSoft) return this.#administer("POST", `admin/expire/${layer}`, `${tile.z}/${tile.x}/${tile.y}\n`);
    return this.#administer("DELETE", clearPath(layer, { tile, box, isSoft }));
  }

  explain(layer, { z, x, y }, scale = 1) {
    return this.#administer("GET", `admin/explain/${layer}/${z}/${x}/${y}${scale === 1 ? "" : `@${scale}x`}`);
  }

  cache() {
    return this.#administer("GET", "admin/cache");
  }

  async metrics() {
    return (await this.#ask("GET", "metrics")).text();
  }

  async animation(map, body, signal) {
    const response = await fetch(this.address(`${map}/camera/animation`), {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "image/apng" }, body: JSON.stringify(body), signal,
    });
    if (!response.ok) throw await ServerError.of(response);
    return response.blob();
  }

  async #administer(method, path, body = null) {
    return (await this.#ask(method, path, body)).json();
  }

  async #ask(method, path, body = null) {
    const headers = this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.address(path), { method, headers, body, cache: "no-store" });
    if (response.status === 401) this.#token = null;
    if (!response.ok) throw await ServerError.of(response);
    return response;
  }
}

function clearPath(layer, { tile, box, isSoft } = {}) {
  const path = tile ? `admin/cache/${layer}/${tile.z}/${tile.x}/${tile.y}` : `admin/cache/${layer}`;
  const query = [];
  if (box) {
    const edges = [box.longitudes.west, box.south, box.longitudes.east, box.north];
    query.push(`bbox=${edges.map((edge) => Number(edge.toFixed(9))).join(",")}`);
  }
  if (isSoft) query.push("soft=1");
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}

class ServerError extends Error {
  constructor(status, title, code = null) {
    super(title);
    this.name = "ServerError";
    this.status = status;
    this.code = code;
  }

  static async of(response) {
    try {
      const { title, code } = await response.json();
      return new ServerError(response.status, title ?? `The server answers ${response.status}.`, code);
    } catch {
      return new ServerError(response.status, `The server answers ${response.status}.`);
    }
  }
}
return { Server, clearPath, ServerError };
})();
// panels/kinds.js
const module90 = (() => {
const { likelyBase } = module80;

const names = {
  url: "URL", generator: "generator", geojson: "GeoJSON", mbtiles: "MBTiles", pmtiles: "PMTiles", directory: "files", map: "map", program: "program",
};

function kindName({ kind }) {
  if (typeof kind !== "string" || kind === "") return null;
  return Object.hasOwn(names, kind) ? names[kind] : kind;
}

function summaryOf(document) {
  const { id, minzoom, maxzoom, description } = document;
  const zooms = minzoom === undefined || maxzoom === undefined ? null : `zoom\u00a0${minzoom}\u2060–\u2060${maxzoom}`;
  return [id, kindName(document), zooms, description].filter(Boolean).join(" · ");
}

function layerURLs(document, page) {
  const { id, tiles, format = "png" } = document;
  const base = likelyBase(document, page);
  const tail = tiles?.[0]?.split("?")[0].split(`/${id}/`).at(-1) ?? `{z}/{x}/{y}.${format}`;
  return [
    { name: "TileJSON", url: `${base}${id}.json` }, { name: "WMTS", url: `${base}${id}/wmts.xml` },
    { name: "XYZ tiles", url: `${base}${id}/${tail}` },
  ];
}
return { kindName, summaryOf, layerURLs };
})();
// panels/layerURLList.js
const module91 = (() => {
const { copyButton } = module61;
const { button, element } = module57;
const icons = module81;
const { layerURLs } = module90;

function layerURLList(layer) {
  const list = element("ul", { className: "urls", hidden: true });
  const toggle = button(`Copy a URL of ${layer.name}`, () => {
    if (list.hidden) list.replaceChildren(...layerURLs(layer.document, new URL(".", document.baseURI).href).map((each) => item(layer, each)));
    list.hidden = !list.hidden;
    toggle.setAttribute("aria-expanded", String(!list.hidden));
  }, { icon: icons.link, "aria-expanded": "false" });
  return { toggle, list };
}

function item(layer, { name, url }) {
  return element("li", { className: "code" }, [
    element("div", { className: "line" }, [element("strong", { text: name }), copyButton(() => url, `the URL ${name} of ${layer.name}`)]),
    element("code", { text: url }),
  ]);
}
return { layerURLList };
})();
// panels/layerRows.js
const module92 = (() => {
const { project } = module1;
const { ServerError } = module89;
const { local } = module50;
const { button, element } = module57;
const icons = module81;
const { kindName, summaryOf } = module90;
const { layerURLList } = module91;

function shownRow(layer, stack, actions) {
  const percent = element("output", { text: percentage(layer) });
  const slider = element("input", {
    type: "range", min: "0", max: "100", value: String(Math.round(layer.opacity * 100)), "aria-label": `Opacity of ${layer.name}`,
    oninput: () => {
      stack.setOpacity(layer, Number(slider.value) / 100);
      percent.textContent = percentage(layer);
    },
  });
  const place = () => stack.shown.indexOf(layer);
  const urls = layerURLList(layer);
  const kind = kindName(layer.document);
  const row = element("li", { className: "shown", draggable: true }, [
    element("div", { className: "line" }, [
      element("span", { className: "title" }, [
        element("strong", { text: layer.name }), kind ? element("small", { text: kind }) : null,
      ]),
      button(`Show where ${layer.name} is`, () => actions.fit(layer), { icon: icons.target }),
      button(`Raise ${layer.name}`, () => stack.move(layer, place() + 1), { icon: icons.up }),
      button(`Lower ${layer.name}`, () => stack.move(layer, place() - 1), { icon: icons.down }),
      button(`Hide ${layer.name}`, () => stack.hide(layer), { icon: icons.close }),
    ]),
    element("div", { className: "line" }, [
      slider, percent, button("Use it in …", () => actions.use(layer), { className: "small", "aria-label": `Use it in …: ${layer.name}` }),
      urls.toggle,
    ]),
    urls.list,
    element("p", { className: "away", hidden: true }, [
      element("span"), button("Go there", () => actions.goTo(layer), { className: "small", "aria-label": `Go there: ${layer.name}` }),
    ]),
    element("p", { className: "problem", text: layer.problem ?? "", hidden: !layer.problem }),
  ]);
  Object.assign(row.dataset, { layer: layer.id, name: layer.name });
  makeDraggable(row, layer, stack);
  return row;
}

function percentage(layer) {
  return local.percent(layer.opacity);
}

function makeDraggable(row, layer, stack) {
  row.addEventListener("dragstart", (event) => {
    if (document.activeElement?.matches("input[type=range]:active")) return event.preventDefault();
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("application/x-layer", layer.id);
    return undefined;
  });
  row.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("application/x-layer")) return;
    event.preventDefault();
    row.classList.add("target");
  });
  row.addEventListener("dragleave", () => row.classList.remove("target"));
  row.addEventListener("drop", (event) => {
    row.classList.remove("target");
    const moved = stack.entries.get(event.dataTransfer.getData("application/x-layer"));
    if (!moved || moved === layer) return;
    event.preventDefault();
    stack.move(moved, stack.shown.indexOf(layer));
  });
}

function catalogRow(layer, stack, onProblem) {
  const urls = layerURLList(layer);
  const check = element("input", {
    type: "checkbox", checked: layer.isVisible, onchange: () => (check.checked ? stack.show(layer) : stack.hide(layer)),
  });
  check.dataset.shows = layer.id;
  const row = element("li", {}, [element("label", {}, [
    thumbnail(layer, (text) => {
      if (layer.problem) return;
      [layer.problem, layer.cause] = [text, text];
      onProblem();
    }),
    element("span", { className: "names" }, [
      element("strong", { text: layer.name }),
      element("small", { text: summaryOf(layer.document) }),
      element("small", { className: "away", hidden: true }), element("small", { className: "problem", hidden: true }),
    ]),
    check,
  ]), urls.toggle, urls.list]);
  row.dataset.layer = layer.id;
  return row;
}

function thumbnail(layer, onProblem) {
  const { z, x, y } = thumbnailTile(layer.document);
  const empty = element("span", { className: "thumbnail" });
  whenSeen(empty, async () => {
    const response = await fetch(`${layer.id}/${z}/${x}/${y}.png?empty=transparent`);
    if (!response.ok) return onProblem((await ServerError.of(response)).message);
    const src = URL.createObjectURL(await response.blob());
    const picture = element("img", { alt: "", width: 48, height: 48, className: "thumbnail", src });
    await picture.decode();
    URL.revokeObjectURL(src);
    return empty.replaceWith(picture);
  });
  return empty;
}

function whenSeen(target, action) {
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    try {
      await action();
    } catch {
    }
  });
  observer.observe(target);
}

function thumbnailTile({ bounds: [west, south, east, north], minzoom }) {
  const [first, last] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
  const width = last.x - first.x + (east < west ? 1 : 0);
  const z = Math.min(Math.max(Math.floor(-Math.log2(Math.max(width, last.y - first.y, 1e-9)) + 1e-9), minzoom, 0), 30);
  const span = 2 ** z;
  const place = (part) => Math.min(Math.max(Math.floor(part * span), 0), span - 1);
  const middle = first.x + width / 2;
  return { z, x: place(middle - Math.floor(middle)), y: place((first.y + last.y) / 2) };
}
return { shownRow, catalogRow, thumbnailTile };
})();
// panels/rowNotes.js
const module93 = (() => {
const { absenceText } = module21;


function showNotes(row, layer, absence) {
  const away = row.querySelector(".away");
  away.hidden = absence === null;
  const sentence = away.querySelector("span");
  const problem = row.querySelector(".problem");
  problem.textContent = layer.problem ?? "";
  problem.hidden = !layer.problem || (sentence === null && layer.isVisible);
  if (sentence) sentence.textContent = absence ? absenceText(absence, layer.document) : "";
  else away.textContent = "Not here";
}
return { showNotes };
})();
// panels/LayerPanel.js
const module94 = (() => {
const { absenceOf } = module21;
const { element } = module57;
const { catalogRow, shownRow } = module92;
const { showNotes } = module93;

class LayerPanel {
  content = element("div", { className: "layers" });
  #stack;
  #actions;
  #wanted = "";
  #rows = new Map();
  #absences = new Map();
  #shown = element("ul", { className: "stack" });
  #nothing = element("p", { className: "hint", text: "No layer is shown. Choose a map or a layer below." });
  #maps = element("ul", { className: "catalog" });
  #layers = element("ul", { className: "catalog" });
  #mapsHead = element("h3", { text: "Maps" });
  #layersHead = element("h3", { text: "Layers" });
  #none = element("p", { className: "hint", text: "No layer has this name." });

  constructor(stack, actions) {
    this.#stack = stack;
    this.#actions = actions;
    this.content.append(
      element("h3", { text: "Shown" }), this.#shown, this.#nothing, this.#mapsHead, this.#maps, this.#layersHead,
      this.#layers, this.#none);
    stack.addEventListener("change", () => this.#showStack());
    stack.addEventListener("layers", () => {
      for (const layer of this.#rows.keys()) if (stack.entries.get(layer.id) !== layer) this.#rows.delete(layer);
      this.#showCatalog();
    });
    this.#showStack();
    this.#showCatalog();
  }

  filter(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted !== this.#wanted) {
      this.#wanted = wanted;
      this.#showCatalog();
      if (wanted !== "") this.content.querySelector(".catalog > li")?.scrollIntoView({ block: "nearest" });
    }
    return this.#maps.children.length + this.#layers.children.length;
  }

  showAbsences(plans) {
    const found = new Map(plans.map(({ layer, plan }) => [layer.id, absenceOf(plan)]));
    const changed = new Set([...found.keys(), ...this.#absences.keys()].filter((id) =>
      (found.get(id) ?? null) !== (this.#absences.get(id) ?? null)));
    this.#absences = found;
    for (const id of changed) this.#showNotes(id);
  }

  showProblem(layer) {
    this.#showNotes(layer.id);
  }

  #showNotes(id) {
    const layer = this.#stack.entries.get(id);
    const rows = this.content.querySelectorAll(`li[data-layer="${id}"]`);
    for (const row of layer ? rows : []) showNotes(row, layer, this.#absences.get(id) ?? null);
  }

  #showStack() {
    const { shown } = this.#stack;
    const present = /** @type {HTMLElement[]} */ ([...this.#shown.children]);
    const kept = new Map(present.map((row) => [row.dataset.layer, row]));
    const rowOf = (layer) => {
      const row = kept.get(layer.id);
      return row?.dataset.name === layer.name ? row : shownRow(layer, this.#stack, this.#actions);
    };
    const rows = [...shown].reverse().map(rowOf);
    if (rows.some((row, index) => this.#shown.children[index] !== row) || rows.length !== this.#shown.children.length) {
      const focused = /** @type {HTMLElement} */ (document.activeElement);
      this.#shown.replaceChildren(...rows);
      if (this.#shown.contains(focused)) focused.focus();
      for (const id of new Set([...kept.keys(), ...shown.map((layer) => layer.id)])) this.#showNotes(id);
    }
    this.#nothing.hidden = shown.length > 0;
    const boxes = this.content.querySelectorAll("input[data-shows]");
    for (const box of boxes) {
      box.checked = shown.some((layer) => layer.id === box.dataset.shows);
    }
  }

  #showCatalog() {
    const found = [...this.#stack.entries.values()].filter((layer) =>
      layer.id.includes(this.#wanted) || layer.name.toLowerCase().includes(this.#wanted));
    const fill = (list, head, layers) => {
      const rows = layers.map((layer) => this.#row(layer));
      const isSame = rows.length === list.children.length && rows.every((row, index) => row === list.children[index]);
      if (!isSame) list.replaceChildren(...rows);
      head.hidden = layers.length === 0;
    };
    fill(this.#maps, this.#mapsHead, found.filter((layer) => layer.isMap));
    fill(this.#layers, this.#layersHead, found.filter((layer) => !layer.isMap));
    this.#none.hidden = found.length > 0;
    this.#showStack();
  }

  #row(layer) {
    const text = JSON.stringify(layer.document);
    const kept = this.#rows.get(layer);
    const row = kept?.text === text ? kept.row : catalogRow(layer, this.#stack, () => this.#showNotes(layer.id));
    this.#rows.set(layer, { row, text });
    showNotes(row, layer, this.#absences.get(layer.id) ?? null);
    return row;
  }
}
return { LayerPanel };
})();
// panels/LoadingBar.js
const module95 = (() => {
const delay = 300;

class LoadingBar {
  #timer = 0;

  constructor(target, map) {
    map.addEventListener("frame", () => {
      if (!map.isLoading) {
        clearTimeout(this.#timer);
        this.#timer = 0;
        target.hidden = true;
      }
      else this.#timer ||= setTimeout(() => { target.hidden = false; }, delay);
    });
  }
}
return { LoadingBar };
})();
// panels/Notices.js
const module96 = (() => {
const { button, element } = module57;
const icons = module81;

class Notices {
  #target;
  #shown = new Map();

  constructor(target) {
    this.#target = target;
  }

  show(kind, text, actions = []) {
    this.close(kind);
    const buttons = actions.map(({ name, run }) => button(name, () => {
      this.close(kind);
      run();
    }, { className: "small" }));
    const notice = element("div", { className: "told" }, [
      element("p", { text }), buttons.length > 0 ? element("div", { className: "actions" }, buttons) : null,
      button("Close", () => this.close(kind), { icon: icons.close }),
    ]);
    this.#shown.set(kind, notice);
    this.#target.append(notice);
  }

  close(kind) {
    this.#shown.get(kind)?.remove();
    this.#shown.delete(kind);
  }
}
return { Notices };
})();
// map/outage.js
const module97 = (() => {
const { local } = module50;


const mostNames = 2;

function isServerFailure(answer) {
  return answer?.status === 0 || ([502, 503, 504].includes(answer?.status) && !answer.code);
}

function outagesOf(plans, before, now) {
  const begun = new Map(before.map(({ id, since }) => [id, since]));
  return plans.flatMap(({ layer, plan }) => {
    const lack = lackOf(layer, plan.tiles);
    return lack ? [{ id: layer.id, name: layer.name, lack, since: begun.get(layer.id) ?? now }] : [];
  }).sort((first, second) => first.since - second.since);
}

function lackOf(layer, places) {
  const tiles = places.map((place) => layer.tiles.get(place)).filter((tile) => tile?.answer);
  const failed = tiles.filter((tile) => tile.failures > 0);
  if (failed.some((tile) => isServerFailure(tile.answer))) return "server";
  if (failed.length > 0) return layer.tiles.isDown || failed.length === tiles.length ? "all" : "some";
  return tiles.some((tile) => tile.kind === "refused") ? "refused" : null;
}

function outageText(outages, options = {}) {
  const { now = Date.now(), text = local, isOnline = true } = options;
  const worst = /** @type {const} */ (["server", "all", "some", "refused"]).find((lack) => outages.some((each) => each.lack === lack));
  if (!worst) return "";
  const meant = outages.filter(({ lack }) => lack === worst);
  const since = `since ${text.moment(meant[0].since, now, "short")}`;
  if (worst === "server") return isOnline ? `The server has not answered ${since}.` : `This device has been offline ${since}.`;
  const names = namesText(meant.map(({ name }) => name));
  if (worst === "all") return `${names} ${meant.length === 1 ? "has" : "have"} been unavailable ${since}.`;
  if (worst === "some") return `Some tiles of ${names} have been missing ${since}.`;
  return `The server has refused tiles of ${names} ${since}.`;
}

function namesText(names) {
  if (names.length === 1) return names[0];
  if (names.length <= mostNames + 1) return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`;
}

function retryText(retryAt, now) {
  if (retryAt === Infinity) return "";
  const seconds = Math.ceil((retryAt - now) / 1000);
  return seconds > 0 ? `Trying again in ${local.number(seconds)} s.` : "Trying again …";
}
return { isServerFailure, outagesOf, outageText, namesText, retryText };
})();
// panels/OutageBar.js
const module98 = (() => {
const { isServerFailure, outagesOf, outageText, retryText } = module97;
const { button, element } = module57;

const [delay, pace] = [400, 1000];

class OutageBar {
  #map;
  #stack;
  #outages = [];
  #sentence = element("p", { role: "status" });
  #count = element("span", { className: "hint" });
  #more = element("p", { className: "line", hidden: true }, [this.#count, button("Try now", () => this.#retry(), { className: "small" })]);
  #target;
  #timer = 0;

  constructor(target, map, stack) {
    [this.#target, this.#map, this.#stack] = [target, map, stack];
    target.append(this.#sentence, this.#more);
    map.addEventListener("frame", (/** @type {import("../Viewer.js").FrameEvent} */ { detail }) => this.#take(detail.plans));
    map.addEventListener("tile", (/** @type {import("../Viewer.js").TileEvent} */ { detail }) => this.#hear(detail.tile?.answer));
    for (const name of ["online", "offline"]) addEventListener(name, () => this.#retry());
    this.#show();
  }

  #take(plans) {
    this.#outages = outagesOf(plans, this.#outages, Date.now());
    const isKnown = this.#timer !== 0;
    if (this.#outages.length === 0) {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#show();
    } else if (!isKnown) {
      this.#timer = setTimeout(() => this.#tick(), delay);
    } else if (!this.#more.hidden) {
      this.#show();
    }
  }

  #tick() {
    this.#show();
    this.#timer = setTimeout(() => this.#tick(), pace);
  }

  #hear(answer) {
    if (!answer || isServerFailure(answer) || !this.#outages.some(({ lack }) => lack === "server")) return;
    this.#retry((tile) => isServerFailure(tile.answer));
  }

  #retry(isMeant = (tile) => tile.failures > 0) {
    for (const layer of this.#stack.entries.values()) layer.tiles.retry(isMeant);
    this.#map.invalidate();
  }

  #show() {
    const text = outageText(this.#outages, { isOnline: navigator.onLine });
    if (this.#sentence.textContent !== text) this.#sentence.textContent = text;
    this.#target.classList.toggle("shown", text !== "");
    this.#count.textContent = retryText(this.#map.retryAt, performance.now());
    this.#more.hidden = this.#count.textContent === "";
  }
}
return { OutageBar };
})();
// panels/Panel.js
const module99 = (() => {
const { element, icon } = module57;

class Panel {
  #target;
  #tabs;
  #open = null;

  constructor(target, sections, onOpen = () => {}) {
    this.#target = target;
    this.onOpen = onOpen;
    this.#tabs = sections.map((section) => this.#tab(section));
    const buttons = this.#tabs.map((tab) => tab.button);
    const list = element("div", { className: "tabs", role: "tablist", "aria-label": "Panels" }, buttons);
    list.addEventListener("keydown", (event) => this.#step(event));
    target.append(list, ...this.#tabs.map((tab) => tab.section));
    this.open(null);
  }

  #tab({ id, name, icon: picture, content }) {
    const tab = element("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `section-${id}`,
      onclick: () => this.open(this.#open === id ? null : id),
    }, [icon(picture), element("span", { text: name })]);
    const section = element("section", {
      id: `section-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}`,
    }, [element("h2", { className: "unseen", text: name }), content]);
    return { id, button: tab, section };
  }

  get current() {
    return this.#open;
  }

  open(id) {
    this.#open = id;
    this.#tabs.forEach((tab, index) => {
      const isOpen = tab.id === id;
      tab.section.hidden = !isOpen;
      tab.button.setAttribute("aria-selected", String(isOpen));
      tab.button.tabIndex = isOpen || (id === null && index === 0) ? 0 : -1;
    });
    this.#target.classList.toggle("open", id !== null);
    this.onOpen(id);
  }

  #step(event) {
    const change = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!change) return;
    event.preventDefault();
    const buttons = this.#tabs.map((tab) => tab.button);
    const at = buttons.findIndex((button) => button === document.activeElement);
    buttons[(at + change + buttons.length) % buttons.length].focus();
  }
}
return { Panel };
})();
// map/position.js
const module100 = (() => {
const { pointsPerMetre, project, tilePoints, zoomAt } = module1;


const corners = 64;

const [highest, part] = [16, 0.6];

function markOf(position, projection) {
  const dot = projection.pointFor(position);
  const place = project(position);
  const x = place.x - projection.target.x;
  const center = { x: x - Math.round(x), y: place.y - projection.target.y };
  const radius = (position.accuracy * pointsPerMetre(position.latitude)) / tilePoints;
  const circle = Array.from({ length: corners }, (_, corner) => {
    const angle = (corner / corners) * 2 * Math.PI;
    return projection.pointAt({ x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) });
  });
  return { dot, circle: circle.includes(null) ? null : circle };
}

function zoomFor({ latitude, accuracy }, points) {
  return Math.min(zoomAt(latitude, 2 * Math.max(accuracy, 1), part * points), highest);
}

function positionProblem(code, isSecure) {
  if (!isSecure) return "Browsers tell a page where you are only over HTTPS. Open this page at an https:// address.";
  if (code === 1) return "The page may not know where you are. Allow it in the browser's settings for this page.";
  if (code === 3) return "The device did not find its position in time. Try again.";
  return "The device does not know its position now.";
}
return { markOf, zoomFor, positionProblem };
})();
// panels/PositionButton.js
const module101 = (() => {
const { markOf, positionProblem, zoomFor } = module100;
const { button } = module57;
const icons = module81;

const options = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 30_000 };

const namespace = "http://www.w3.org/2000/svg";

const shape = (name, className = "") => {
  const made = document.createElementNS(namespace, name);
  if (className) made.setAttribute("class", className);
  return made;
};

class PositionButton {
  content = button("Where am I", () => (this.#watch === null ? this.#start() : this.#stop()), {
    icon: icons.position, "aria-pressed": "false",
  });
  #map;
  #motion;
  #notices;
  #geolocation;
  #watch = null;
  #position = null;
  #drawing = shape("svg", "position");
  #circle = shape("path", "accuracy");
  #dot = shape("circle", "dot");

  constructor(target, map, motion, notices, geolocation = navigator.geolocation) {
    [this.#map, this.#motion, this.#notices, this.#geolocation] = [map, motion, notices, geolocation];
    this.content.hidden = !geolocation;
    this.#drawing.setAttribute("aria-hidden", "true");
    this.#dot.setAttribute("r", "7");
    this.#drawing.append(this.#circle, this.#dot);
    target.append(this.#drawing);
    map.addEventListener("frame", (/** @type {import("../Viewer.js").FrameEvent} */ { detail }) => this.#draw(detail.ground.projection));
    this.#stop();
  }

  #start() {
    this.#notices.close("position");
    this.#show("true");
    this.#watch = this.#geolocation.watchPosition(({ coords }) => this.#take(coords), (error) => this.#fail(error), options);
  }

  #stop() {
    if (this.#watch !== null) this.#geolocation.clearWatch(this.#watch);
    this.#watch = null;
    this.#position = null;
    this.#show("false");
    this.#map.invalidate();
  }

  #show(isPressed) {
    this.content.setAttribute("aria-pressed", isPressed);
    this.content.classList.toggle("waiting", isPressed === "true" && this.#position === null);
  }

  #take({ latitude, longitude, accuracy }) {
    const isFirst = this.#position === null;
    this.#position = { latitude, longitude, accuracy };
    this.#show("true");
    this.#map.invalidate();
    if (isFirst) this.#go();
  }

  #go() {
    const { view } = this.#map;
    const { width, height } = view.viewport;
    const zoom = zoomFor(this.#position, Math.min(width, height));
    const { latitude, longitude } = this.#position;
    const end = view.normalized({ ...this.#map.camera, latitude, longitude, zoom });
    const isThere = Math.hypot(end.latitude - latitude, end.longitude - longitude) < 1e-3;
    if (!isThere) this.#notices.show("position", "You are outside of the part of the world that this map shows.");
    else this.#motion.flyTo(end, { duration: 900, curve: "easeInOut" });
  }

  #fail({ code }) {
    if (this.#position !== null && code !== 1) return;
    this.#stop();
    this.#notices.show("position", positionProblem(code, isSecureContext));
  }

  #draw(projection) {
    const { dot, circle } = this.#position ? markOf(this.#position, projection) : { dot: null, circle: null };
    this.#drawing.toggleAttribute("hidden", dot === null);
    if (!dot) return;
    this.#dot.setAttribute("cx", dot.x.toFixed(2));
    this.#dot.setAttribute("cy", dot.y.toFixed(2));
    this.#circle.setAttribute("d", circle ? `M${circle.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}Z` : "");
  }
}
return { PositionButton };
})();
// input/namedPlaces.js
const module102 = (() => {

const most = 5;

function folded(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}

function placesNamed(rows, text) {
  const wanted = folded(text.trim());
  if (wanted.length < 2) return [];
  const [first, later] = [[], []];
  for (const row of rows) {
    const name = folded(row[0]);
    if (name.startsWith(wanted)) first.push(row);
    else if (name.includes(` ${wanted}`) || name.includes(`-${wanted}`)) later.push(row);
    if (first.length === most) break;
  }
  return [...first, ...later].slice(0, most)
    .map(([name, latitude, longitude, zoom]) => ({ label: name, latitude, longitude, zoom }));
}
return { placesNamed };
})();
// input/placeText.js
const module103 = (() => {
const { tileBounds } = module1;
const { cameraOf, short } = module25;


const nothing = Object.freeze({ places: [], problem: null });

const characters = /^[\d\s.,;:°'"+\-/@NSEWZ()]*\d[\d\s.,;:°'"+\-/@NSEWZ()]*$/i;

function readPlace(text) {
  const plain = normalized(text);
  const linked = fromAddress(plain);
  if (linked) return linked;
  if (!characters.test(plain)) return nothing;
  const slashes = /^#?(?:map=)?([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(plain);
  if (slashes) return fromSlashes(slashes.slice(1), plain.startsWith("#"));
  if (plain.includes("/")) return { places: [], problem: "Expected zoom/latitude/longitude, or a tile z/x/y." };
  return fromParts(plain);
}

function normalized(text) {
  return text.trim().replace(/[−–]/g, "-").replace(/[′’‘´`ʹ]/g, "'").replace(/[″”“]|''/g, '"').replace(/[º˚]/g, "°")
    .replace(/\b(lat|latitude|lon|lng|long|longitude)\b\s*[:=]?\s*/gi, "").replace(/\b(north|south|east|west)\b/gi, (word) => word[0]);
}

function fromAddress(text) {
  const own = cameraOf(/#([^&]*)/.exec(text)?.[1] ?? "");
  if (own) return withRange(own, own);
  const osm = /#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)/.exec(text);
  if (osm) return fromSlashes(osm.slice(1), true);
  const google = /@(-?[\d.]+),(-?[\d.]+)(?:,([\d.]+)z)?/.exec(text);
  if (google && /^https?:/i.test(text)) return pair(google[1], google[2], google[3]);
  const geo = /^geo:(-?[\d.]+),(-?[\d.]+)(?:.*[?&]z=([\d.]+))?/i.exec(text);
  return geo ? pair(geo[1], geo[2], geo[3]) : null;
}

function pair(latitude, longitude, zoom) {
  return withRange({ latitude: Number(latitude), longitude: Number(longitude), zoom: zoom === undefined ? null : Number(zoom) });
}

function fromSlashes(parts, isLink) {
  const [zoom, latitude, longitude] = parts.map(Number);
  const isWhole = parts.every((part) => /^\d+$/.test(part));
  const place = withRange({ latitude, longitude, zoom });
  if (!isWhole || isLink) return place;
  const [z, x, y] = [zoom, latitude, longitude];
  if (z > 30) return { places: [], problem: `Zoom ${z} of a tile is above 30.` };
  const isTile = x < 2 ** z && y < 2 ** z;
  if (isTile) return { places: [tile(z, x, y), ...place.places], problem: null };
  if (place.places.length > 0) return place;
  return { places: [], problem: `Tile ${z}/${x}/${y} does not exist: at zoom ${z}, x and y are at most ${2 ** z - 1}.` };
}

function tile(z, x, y) {
  const { north, south, west, east } = tileBounds({ z, x, y });
  return { label: `tile ${z}/${x}/${y}`, latitude: (north + south) / 2, longitude: (west + east) / 2, zoom: z };
}

function fromParts(text) {
  const hasLetters = /[NSEW]/i.test(text);
  const parts = coordinates(decimalPoints(text), hasLetters);
  const problem = parts.map(problemOf).find(Boolean);
  if (problem) return { places: [], problem };
  const [first, second, zoom] = parts;
  const isZoom = zoom === undefined || (zoom.numbers.length === 1 && zoom.axis === null);
  if (parts.length < 2 || parts.length > 3 || !isZoom) {
    return { places: [], problem: "Expected two numbers, such as 47.37, 8.54." };
  }
  if (first.axis !== null && first.axis === second.axis) {
    return { places: [], problem: `Both numbers are ${first.axis === "latitude" ? "latitudes" : "longitudes"}.` };
  }
  const isTurned = first.axis === "longitude" || second.axis === "latitude";
  const [latitude, longitude] = (isTurned ? [second, first] : [first, second]).map(degreesOf);
  return withRange({ latitude, longitude, zoom: zoom === undefined ? null : degreesOf(zoom) }, {}, hasLetters);
}

function decimalPoints(text) {
  if (text.includes(".")) return text;
  const numbers = text.match(/\d+,\d+/g) ?? [];
  const isDecimal = numbers.length >= 2 || /\d,\d+\s*[°'"NSEW]/i.test(text);
  return isDecimal ? text.replace(/(\d),(\d)/g, "$1.$2") : text;
}

function coordinates(text, hasLetters) {
  const parts = [];
  const begin = () => {
    parts.push({ numbers: [], axis: null, isNegative: false, hasUnit: false });
    return parts.at(-1);
  };
  let part = parts.at(-1);
  const tokens = text.matchAll(/([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)\s*([°'"]?)|([NSEW])|([,;])/gi);
  for (const [, sign, number, unit, letter, separator] of tokens) {
    if (separator) {
      if (part?.numbers.length > 0) part = undefined;
    } else if (letter) {
      if (!part || part.axis !== null) part = begin();
      part.axis = /[NS]/i.test(letter) ? "latitude" : "longitude";
      part.isNegative ||= /[SW]/i.test(letter);
      if (part.numbers.length > 0) part = undefined;
    } else {
      const isNew = unit === "°" || sign !== "" || (unit === "" && !hasLetters && !isAfterUnit(part));
      if (!part || (part.numbers.length > 0 && isNew)) part = begin();
      part.numbers.push(Number(number));
      part.hasUnit = unit !== "";
      part.isNegative ||= sign === "-";
    }
  }
  return parts;
}

function isAfterUnit(part) {
  return part?.hasUnit === true && part.numbers.length < 3;
}

function problemOf({ numbers }) {
  if (numbers.length === 0 || numbers.length > 3) return "Expected two numbers, such as 47.37, 8.54.";
  return numbers.slice(1).some((number) => number >= 60) ? "Minutes and seconds must be below 60." : null;
}

function degreesOf({ numbers, isNegative }) {
  const [degrees, minutes = 0, seconds = 0] = numbers;
  const size = degrees + minutes / 60 + seconds / 3600;
  return isNegative ? -size : size;
}

function withRange({ latitude, longitude, zoom }, more = {}, hasLetters = false) {
  const wrong = (problem) => ({ places: [], problem });
  if (![latitude, longitude, zoom ?? 0].every(Number.isFinite)) return wrong("Expected two numbers, such as 47.37, 8.54.");
  if (Math.abs(latitude) > 90) {
    const side = latitude > 0 ? "above 90" : "below -90";
    const isTurned = !hasLetters && Math.abs(latitude) <= 180 && Math.abs(longitude) <= 90;
    return wrong(`Latitude ${short(latitude, 6)} is ${side}${isTurned ? ": is it longitude first?" : "."}`);
  }
  if (Math.abs(longitude) > 180) return wrong(`Longitude ${short(longitude, 6)} is ${longitude > 0 ? "above 180" : "below -180"}.`);
  if (zoom !== null && (zoom < 0 || zoom > 30)) return wrong(`Zoom ${short(zoom, 3)} is not between 0 and 30.`);
  return { places: [{ ...more, label: labelOf(latitude, longitude, zoom), latitude, longitude, zoom }], problem: null };
}

function labelOf(latitude, longitude, zoom) {
  const [north, east] = [latitude, longitude].map((degrees) => `${short(Math.abs(degrees), 5)}°`);
  return `${north} ${latitude < 0 ? "S" : "N"}, ${east} ${longitude < 0 ? "W" : "E"}${zoom === null ? "" : `, zoom ${short(zoom, 2)}`}`;
}
return { readPlace };
})();
// panels/SearchField.js
const module104 = (() => {
const { placesNamed } = module102;
const { readPlace } = module103;
const { button, element } = module57;


class SearchField {
  content;
  #actions;
  #names = [];
  #request = null;
  #input = element("input", {
    type: "search", autocomplete: "off", spellcheck: false, placeholder: "Search places and layers",
    "aria-label": "Search places and layers, or coordinates such as 47.37, 8.54", "aria-describedby": "search-note", oninput: () => this.#typed(),
  });
  #offers = element("div", { className: "offers", hidden: true });
  #note = element("p", { className: "problem", id: "search-note", role: "status" });

  constructor(actions) {
    this.#actions = actions;
    this.content = element("form", { className: "search", role: "search", onsubmit: (event) => this.#submit(event) }, [
      this.#input, this.#offers, this.#note,
    ]);
  }

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
    if (found === 0 && problem) this.#actions.filter("");
    return { places, problem, found };
  }

  async #submit(event) {
    event.preventDefault();
    const text = this.#input.value;
    const { problem, found } = this.#read();
    if (found === 0 && problem === null) {
      await this.#loadNames();
      if (this.#input.value !== text) return;
    }
    const { places } = this.#read();
    if (places.length > 0) this.#go(places[0]);
    else this.#note.textContent = found > 0 ? "" : (problem ?? "No place and no layer has this name.");
  }

  #loadNames() {
    this.#request ??= this.#takeNames();
    return this.#request;
  }

  async #takeNames() {
    this.#names = await this.#actions.places();
    if (this.content.contains(document.activeElement)) this.#read();
  }

  #go(place) {
    this.#note.textContent = Math.abs(place.latitude) > 85.06 ? "The map ends at latitude 85." : "";
    this.#actions.go(place);
  }
}
return { SearchField };
})();
// panels/explanation.js
const module105 = (() => {
const { local } = module50;


const endless = 1e9;

const formats = { "image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WebP", "image/gif": "GIF" };

function explanationOf(answer, options = {}) {
  const { document = {}, now = Date.now(), text = local } = options;
  if (!answer.inside) return [outside(answer.tile, document)];
  if (!answer.drawn) return [`The layer has no tiles with ${answer.scale} pixels a point.`];
  return [
    ...held(answer, text), ...lifetimes(answer, text), ...source(answer, document.layers ? "The map" : "The layer", now, text),
    answer.fetching && (answer.upstream ? "The server asks the source for this tile now." : "The server makes or reads this tile now."),
    answer.offline && "The layer is offline: the server asks no source for it.",
    ...next(answer),
  ].filter(Boolean);
}

function outside(tile, { minzoom, maxzoom }) {
  const z = Number(tile.split("/")[0]);
  if (z < minzoom) return `The layer has no tile ${tile}: it begins at zoom ${minzoom}.`;
  if (z > maxzoom) return `The layer has no tile ${tile}: it ends at zoom ${maxzoom}.`;
  return `The layer has no tile ${tile}: the tile lies outside the layer's bounds.`;
}

function held({ memory, disk, fleet }, text) {
  const tiers = Object.entries({ "memory cache": memory, "disk cache": disk, "cache of the fleet": fleet }).filter(([, tile]) => tile);
  if (tiers.length === 0) return ["No cache holds this tile."];
  const [[first, tile], ...others] = tiers;
  const sentences = [`The ${first} ${contentOf(tile, text)}.`];
  for (const [name, other] of others) {
    const isSame = other.etag === tile.etag && other.content === tile.content && other.fresh === tile.fresh;
    sentences.push(isSame ? `The ${name} holds the same.` : `The ${name} ${contentOf(other, text)}.`);
  }
  return sentences;
}

function contentOf({ content, bytes, size, fresh, ttl }, text) {
  const left = ttl > endless ? "for ever" : `for another ${text.duration(ttl)}`;
  const age = `stale for ${text.duration(Math.max(-ttl, 0))}`;
  if (content === "no-tile") return `knows that there is no tile here, ${fresh ? left : age}`;
  const pixels = size ? `, ${size[0]}\u00a0×\u00a0${size[1]} pixels` : "";
  return `holds this tile: ${formats[content] ?? content}${pixels}, ${text.size(bytes ?? 0)}, ${fresh ? `fresh ${left}` : age}`;
}

function lifetimes({ memory, disk, fleet, freshness: policy, lastAnswer }, text) {
  const tile = memory ?? disk ?? fleet;
  if (!tile) return [];
  if (tile.fresh) return policy?.inherited ? ["Tiles of a map stay fresh as long as the tiles of its layers."] : [];
  const age = -tile.ttl;
  const [revalidated, kept] = [(tile.staleWhileRevalidate ?? 0) - age, (tile.staleIfError ?? 0) - age];
  const isFailing = lastAnswer?.result === "unavailable";
  if (isFailing && kept > 0) return [`Clients get the stale tile for another ${text.duration(kept)}, unless a new one comes.`];
  if (revalidated > 0) return ["The next client gets the stale tile at once, and the server gets a new one meanwhile."];
  if (kept > 0) return [`The next client waits for a new tile, and gets the stale one if there is none (another ${text.duration(kept)}).`];
  return ["The stale tile is too old to be served."];
}

function source({ lastAnswer, upstream, retryAfter = 0 }, name, now, text) {
  const sentences = [];
  if (lastAnswer) sentences.push(...lastSentences(lastAnswer, upstream?.url ? `The source ${upstream.url}` : name, now, text));
  else if (upstream?.url && !/open/.test(upstream.breaker)) sentences.push(`The source is ${upstream.url}.`);
  if (!upstream) return retryAfter > 0 ? [...sentences, `The server tries again in ${text.duration(retryAfter)}.`] : sentences;
  const { breaker, triedAgainIn = 0, pause = 0, waiting } = upstream;
  if (breaker === "half_open") sentences.push("The server tries the source again with one request.");
  else if (breaker === "open") {
    const when = triedAgainIn > 0 ? `in ${text.duration(triedAgainIn)}` : "with the next request";
    sentences.push(`The last ${text.number(upstream.failures)} requests to the source failed, so the server asks again only ${when}.`);
  } else if (pause > 0) {
    sentences.push(`The source asked the server to wait, so the server asks again in ${text.duration(pause)}.`);
  } else if (retryAfter > 0) {
    sentences.push(`The server asks again in ${text.duration(retryAfter)}.`);
  }
  if (waiting > 0) sentences.push(`${text.number(waiting)} ${waiting === 1 ? "request waits" : "requests wait"} for the source.`);
  return sentences;
}

function lastSentences({ result, at, error, status, failures = 1, why }, subject, now, text) {
  const time = `at ${text.moment(Date.parse(at), now)}`;
  if (result === "tile") return [`${subject} gave the tile ${time}.`];
  if (result === "no-tile") return [`${subject} had no tile here ${time}.`];
  const reasons = {
    status: `answered ${status}`, timeout: "did not answer in time", unreachable: "could not be reached",
    "not-an-image": "answered with something that is no image", placeholder: "answered with a picture that the configuration rejects",
    down: "was not asked, because it does not work", "backing-off": "was not asked, because it failed shortly before",
    offline: "was not asked, because the layer is offline", corrupt: "had a broken tile", "too-complex": "had too much to draw",
    overloaded: "was not asked, because the server had too much to do", failed: "failed",
  };
  const often = failures > 1 ? ` It has failed ${text.number(failures)} times in a row.` : "";
  const detail = why ? `: ${why}` : "";
  return [`${subject} ${reasons[error] ?? "was not available"} ${time}${detail}.${often}`];
}

function next({ memory, disk, fleet, fetching, offline, lastAnswer, upstream }) {
  if (memory || disk || fleet || fetching || offline || lastAnswer) return [];
  if (upstream) return upstream.breaker === "closed" ? ["The server asks it when a client wants the tile."] : [];
  return ["The server makes or reads the tile when a client wants it."];
}
return { explanationOf };
})();
// panels/TileCard.js
const module106 = (() => {
const { originOf, parsed } = module51;
const { local } = module50;
const { button, element } = module57;
const { explanationOf } = module105;
const icons = module81;

class TileCard {
  #target;
  #server;
  #token;
  #actions;
  #focusBefore = null;
  #shown = null;

  constructor(target, server, token, actions) {
    [this.#target, this.#server, this.#token, this.#actions] = [target, server, token, actions];
    target.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  get shown() {
    return this.#shown;
  }

  show(layer, { z, x, y }, tile, isFocused = false) {
    this.#shown = { layer, z, x, y };
    const name = `${z}/${x}/${y}`;
    const more = element("div", { className: "explanation", "aria-live": "polite" });
    const close = button("Close", () => this.close(), { icon: icons.close });
    this.#target.replaceChildren(
      element("header", {}, [element("h2", { text: `${layer.name} ${name}` }), close]),
      list(tile ? facts(tile) : [["Status", "not requested yet"]]),
      element("div", { className: "actions" }, [
        element("a", { href: layer.url({ z, x, y }), target: "_blank", rel: "noopener", text: "Open" }),
        button("Clear this tile", () => this.#actions.clear({ z, x, y })),
        button("Explain", () => this.#token.with(() => this.#explain(layer, { z, x, y }, more))),
      ]), more);
    this.#target.hidden = false;
    if (!isFocused) return;
    this.#focusBefore = document.activeElement;
    close.focus();
  }

  close() {
    if (!this.#shown) return;
    this.#shown = null;
    if (this.#target.contains(document.activeElement)) this.#focusBefore?.focus();
    this.#focusBefore = null;
    this.#target.hidden = true;
    this.#actions.closed();
  }

  async #explain(layer, coordinate, target) {
    try {
      const answer = await this.#server.explain(layer.id, coordinate, layer.scale);
      const sentences = explanationOf(answer, { document: layer.document });
      target.replaceChildren(
        element("ul", { className: "sentences" }, sentences.map((text) => element("li", { text }))),
        element("details", {}, [element("summary", { text: "Details" }), tree(answer)]));
    } catch (error) {
      target.replaceChildren(element("p", { className: "problem", text: error.message }));
    }
  }
}

function facts({ answer, kind, retryAt, ...tile }) {
  if (!answer) return [["Status", "loading"]];
  const { ttl } = parsed(answer.cacheStatus);
  const wait = kind === "failed" ? Math.max(Math.ceil((retryAt - performance.now()) / 1000), 0) : null;
  return [
    ["Status", answer.status === 0 ? "no response" : `${answer.status} ${answer.tileStatus ?? ""}`],
    ["From", originOf({ answer, kind, ...tile })?.name ?? ""], ["Cache-Status", answer.cacheStatus],
    ["Age", answer.age === null || answer.age === undefined ? null : local.duration(answer.age)],
    ["Fresh for", ttl === null || Number.isNaN(ttl) ? null : ttl < 0 ? `stale for ${local.duration(-ttl)}` : local.duration(ttl)],
    ["Time", `${local.number(answer.milliseconds)} ms`], ["Problem", answer.title], ["Code", answer.code],
    ["See", answer.code && `docs/reference/http.md#${answer.code}`],
    ["Retry in", wait === null ? null : local.duration(wait)], ["Missing layers", answer.degraded],
    ["Enlarged from zoom", answer.sourceZoom], ["Enlarged by", answer.upscaled], ["Request", answer.requestId],
  ].filter(([, text]) => text !== null && text !== undefined && text !== "");
}

function list(entries) {
  return element("dl", {}, entries.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
}

function tree(value) {
  if (value === null) return element("span", { text: "none" });
  if (value > Number.MAX_SAFE_INTEGER) return element("span", { text: "no limit" });
  if (typeof value !== "object") return element("span", { text: String(value) });
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return element("span", { text: value.join(", ") });
  return element("dl", {}, Object.entries(value).flatMap(([name, part]) => [
    element("dt", { text: name }), element("dd", {}, [tree(part)]),
  ]));
}
return { TileCard };
})();
// Viewer.js
const module107 = (() => {
const { ServerNews } = module5;
const { BoxTool } = module9;
const { BoxZoom } = module10;
const { CameraMotion } = module12;
const { PointerGestures } = module15;
const { Destinations } = module22;
const { WheelZoom } = module23;
const { listenToKeys } = module24;
const { AddressBar } = module26;
const { unknownLayers } = module27;
const { LayerStack } = module28;
const { MapCanvas } = module46;
const { MapLayer } = module49;
const { TileOverlay } = module53;
const { firstCamera } = module20;
const { problemOf } = module54;
const { AboutPanel } = module60;
const { BoxPanel } = module62;
const { CachePanel } = module63;
const { CameraPanel } = module65;
const { ChosenTile } = module67;
const { ClientsDialog } = module82;
const { Controls } = module83;
const { FlightPanel } = module84;
const { Footer } = module87;
const { FullScreenButton } = module88;
const { LayerPanel } = module94;
const { LoadingBar } = module95;
const { Notices } = module96;
const { OutageBar } = module98;
const { Panel } = module99;
const { PositionButton } = module101;
const { SearchField } = module104;
const { TileCard } = module106;
const { TokenForm } = module59;
const icons = module81;


const byId = (id) => document.getElementById(id);

function boxesOverMap() {
  const found = document.querySelectorAll(".controls, .search, .tabs, .panel section, .foot > *, .over > *");
  return [...found].map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
}

const isWide = () => matchMedia("(min-width: 900px)").matches;

class Viewer {
  #server;

  constructor(server, documents) {
    this.#server = server;
    this.map = new MapCanvas(byId("tiles"), { isFlat: location.search === "?flat" });
    this.motion = new CameraMotion(this.map);
    this.destinations = new Destinations(this.map, this.motion, () => this.#covered);
    this.stack = new LayerStack();
    this.overlay = new TileOverlay(byId("overlay"), this.map, boxesOverMap);
    this.notices = new Notices(byId("notices"));
    this.address = new AddressBar(this.map, this.stack);
    this.setDocuments(documents);
    this.#listen();
    this.#makePanels();
    this.news = new ServerNews(this, server);
  }

  get current() {
    const { entries } = this.stack;
    const list = [...entries.values()];
    return entries.get(this.address.id) ?? list.find((layer) => layer.isMap) ?? list[0];
  }

  get pictured() {
    const { shown } = this.stack;
    return shown.includes(this.current) ? this.current : (shown.at(-1) ?? this.current);
  }

  setDocuments(documents) {
    this.stack.setDocuments(documents, (document) => new MapLayer(document, this.map.release));
    this.map.setDocument(this.current?.document ?? {});
  }

  begin({ camera, layers }) {
    const { current } = this;
    this.home = current ? firstCamera(current.document, this.map.view, this.#covered) : this.map.camera;
    this.address.home = current ? [{ id: current.id, opacity: current.document.opacity ?? 1 }] : [];
    this.stack.setShown(layers ?? this.address.home);
    this.map.camera = camera ?? this.home;
    document.title = current ? `${current.name} · tileserver` : "tileserver";
    this.#tellUnknown([this.address.id, ...(layers ?? []).map(({ id }) => id)].filter(Boolean));
    this.address.onLayers = (ids) => this.#tellUnknown(ids);
    this.address.follow();
    this.news.start();
  }

  #tellUnknown(ids) {
    const unknown = unknownLayers(ids, this.stack.entries);
    if (!unknown) return this.notices.close("unknown");
    const offers = unknown.near.map((layer) => ({ name: `Show ${layer.name}`, run: () => this.stack.show(layer) }));
    return this.notices.show("unknown", unknown.text, offers);
  }

  #listen() {
    const { map, motion, stack } = this;
    const view = byId("view");
    stack.addEventListener("change", () => {
      map.layers = stack.shown;
      map.invalidate();
    });
    map.addEventListener("frame", (/** @type {FrameEvent} */ { detail }) => {
      this.layerPanel.showAbsences(detail.plans);
      this.chosen.follow(detail);
    });
    map.addEventListener("tile", (/** @type {TileEvent} */ { detail }) => this.#noteProblem(detail));
    this.boxTool = new BoxTool(view, map, this.overlay);
    new BoxZoom(view, map, motion, () => this.#covered);
    new PointerGestures(view, map, motion, (point) => this.chosen.show(point));
    new WheelZoom(view, map, motion);
    listenToKeys(view, map, motion, () => this.home);
    view.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target !== view) return;
      event.preventDefault();
      this.chosen.show(map.projection.center, true);
    });
    new Controls(
      byId("controls"), map, motion, new PositionButton(view, map, motion, this.notices).content, new FullScreenButton().content);
    new OutageBar(byId("outage"), map, stack);
    new LoadingBar(byId("loading"), map);
    new Footer({ scale: byId("scale"), attribution: byId("attribution"), announcement: byId("announcement") }, map, stack);
  }

  #makePanels() {
    const { map, motion, stack, overlay } = this;
    const token = new TokenForm(this.#server);
    const boxes = new BoxPanel(map, motion, this.boxTool, overlay, () => this.#covered);
    const flight = new FlightPanel(map, motion, this.#server, stack, () => this.pictured);
    const uses = new ClientsDialog(this.#server, map);
    document.body.append(uses.content);
    this.layerPanel = new LayerPanel(stack, {
      fit: (layer) => this.destinations.fit(layer), goTo: (layer) => this.destinations.goTo(layer), use: (layer) => uses.open(layer),
    });
    const search = new SearchField({
      filter: (text) => this.#filter(text), go: (place) => this.#goToPlace(place), places: () => this.#places(),
    });
    byId("panel").append(search.content);
    const camera = new CameraPanel(map, this.#server, stack, () => this.current, boxes.content, flight.content);
    this.cachePanel = new CachePanel(map, stack, overlay, this.#server, token, boxes);
    const about = new AboutPanel(this.#server, stack);
    this.panel = new Panel(byId("panel"), [
      { id: "layers", name: "Layers", icon: icons.layers, content: this.layerPanel.content },
      { id: "camera", name: "Camera", icon: icons.camera, content: camera.content },
      { id: "cache", name: "Cache", icon: icons.tiles, content: this.cachePanel.content },
      { id: "about", name: "About", icon: icons.about, content: about.content },
    ], (id) => {
      camera.isOpen = id === "camera";
      about.isOpen = id === "about";
      if (id !== "cache") this.card?.close();
      map.invalidate();
    });
    this.card = new TileCard(byId("card"), this.#server, { with: (action) => this.#askForToken(token, action) }, {
      clear: (tile) => {
        this.panel.open("cache");
        this.cachePanel.clear({ tile });
      },
      closed: () => {
        overlay.selected = null;
        map.invalidate();
      },
    });
    this.chosen = new ChosenTile(map, overlay, this.card, () => this.panel.current === "cache");
    if (isWide()) this.panel.open("layers");
  }

  #askForToken(token, action) {
    if (!this.#server.hasToken) this.panel.open("cache");
    token.with(action);
  }

  get #covered() {
    const { right, width } = byId("panel").getBoundingClientRect();
    return byId("panel").classList.contains("open") && width < innerWidth / 2 ? right : 0;
  }

  #filter(text) {
    if (text.trim() !== "" && this.panel.current !== "layers") this.panel.open("layers");
    return this.layerPanel.filter(text);
  }

  #goToPlace(place) {
    this.destinations.goToPlace(place);
    if (!isWide()) this.panel.open(null);
    byId("view").focus({ preventScroll: true });
  }

  async #places() {
    const { current, stack } = this;
    const named = [current, ...stack.entries.values()].find((layer) => layer?.document.places);
    return named ? this.#server.places(named.id) : [];
  }

  #noteProblem({ layer, tile }) {
    if (!tile?.answer) return;
    const problem = problemOf(layer, tile);
    if (layer.problem === problem) return;
    layer.problem = problem;
    this.layerPanel.showProblem(layer);
  }
}
return { Viewer };
})();
// server/token.js
const module108 = (() => {
async function startingToken({ token, code }, server) {
  if (token !== null) return token;
  if (code === null) return null;
  try {
    return await server.tokenFor(code);
  } catch {
    return null;
  }
}
return { startingToken };
})();
const { Viewer } = module107;
const { readHash } = module25;
const { Server } = module89;
const { startingToken } = module108;

const server = new Server();
const asked = readHash(location.hash);
if (asked.token !== null || asked.code !== null) {
  history.replaceState(null, "", location.pathname);
}

try {
  server.token = await startingToken(asked, server);
  const viewer = new Viewer(server, await server.documents());
  viewer.begin(asked);
  globalThis.viewer = viewer;
} catch (error) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = `The map cannot be shown. ${error.message}`;
  document.querySelector("main").append(notice);
  throw error;
}

