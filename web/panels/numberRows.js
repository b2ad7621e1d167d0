// @ts-check
import { local } from "../text/LocalText.js";

/** Maximum number of layers in the list of sizes. */
const most = 12;

/** Returns the numbers of the server as [name, text]. Numbers that the server does not state are left out. */
export function numberRows(numbers, rate, text = local) {
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

/** Returns the state of an upstream host as [name, text]. */
export function upstreamRow({ host, state, requests, failures }, text = local) {
  const states = { open: "does not work, so the server sends no requests", "half open": "is tried again with one request" };
  const count = `${text.number(requests)} ${requests === 1 ? "request" : "requests"}`;
  const failed = failures === 0 ? "" : `, ${text.number(failures)} failed`;
  return [host, [states[state], `${count}${failed}`].filter(Boolean).join(": ")];
}

/**
 * Returns the sizes of layers (`layerSizes`) as [name, text], and the sum of the smallest ones in one row. `nameOf(id)`
 * returns a layer's name.
 */
export function sizeRows(sizes, nameOf, text = local) {
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
