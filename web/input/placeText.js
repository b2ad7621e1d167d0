// @ts-check
import { tileBounds } from "../geometry/mercator.js";
import { cameraOf, short } from "./hash.js";

/** @typedef {{ label: string, latitude: number, longitude: number, zoom: number | null, bearing?: number, viewingAngle?: number }} Place */
/** @typedef {{ places: Place[], problem: string | null }} Reading */
/** @typedef {{ numbers: number[], axis: "latitude" | "longitude" | null, isNegative: boolean, hasUnit: boolean }} Part */

/** A text without a place. */
const nothing = Object.freeze({ places: [], problem: null });

/** Characters of coordinates. A text with other characters is a name. */
const characters = /^[\d\s.,;:°'"+\-/@NSEWZ()]*\d[\d\s.,;:°'"+\-/@NSEWZ()]*$/i;

/**
 * Reads a place that a user typed or pasted: coordinates in usual forms, `zoom/lat/lon` or `z/x/y`, or the address of a
 * map page. Returns the places that the text may mean, the likeliest first. Returns a problem as a sentence if the text
 * looks like coordinates and is wrong. A name has neither.
 *
 * @param {string} text
 * @returns {Reading}
 */
export function readPlace(text) {
  const plain = normalized(text);
  const linked = fromAddress(plain);
  if (linked) return linked;
  if (!characters.test(plain)) return nothing;
  const slashes = /^#?(?:map=)?([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(plain);
  if (slashes) return fromSlashes(slashes.slice(1), plain.startsWith("#"));
  if (plain.includes("/")) return { places: [], problem: "Expected zoom/latitude/longitude, or a tile z/x/y." };
  return fromParts(plain);
}

/** Returns the text with one form of each sign, and without labels such as "lat:". */
function normalized(text) {
  return text.trim().replace(/[−–]/g, "-").replace(/[′’‘´`ʹ]/g, "'").replace(/[″”“]|''/g, '"').replace(/[º˚]/g, "°")
    .replace(/\b(lat|latitude|lon|lng|long|longitude)\b\s*[:=]?\s*/gi, "").replace(/\b(north|south|east|west)\b/gi, (word) => word[0]);
}

/** Reads the address of a page with a map: this page, openstreetmap.org, Google Maps, or a geo URI. Null for others. */
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

/**
 * Reads `zoom/lat/lon` and `z/x/y`. Whole numbers may be both. `isLink` rules out a tile.
 *
 * @param {string[]} parts
 * @param {boolean} isLink
 */
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

/** Reads two coordinates, and perhaps a zoom. */
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

/** Replaces decimal commas by points in a text such as "47,37 8,54", "47,37; 8,54" or "47,37, 8,54". */
function decimalPoints(text) {
  if (text.includes(".")) return text;
  const numbers = text.match(/\d+,\d+/g) ?? [];
  const isDecimal = numbers.length >= 2 || /\d,\d+\s*[°'"NSEW]/i.test(text);
  return isDecimal ? text.replace(/(\d),(\d)/g, "$1.$2") : text;
}

/**
 * Splits a text into coordinates. The numbers of a coordinate are its degrees, minutes and seconds.
 *
 * @returns {Part[]}
 */
function coordinates(text, hasLetters) {
  /** @type {Part[]} */
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
      // Without a unit and without letters, each number is a coordinate of its own.
      const isNew = unit === "°" || sign !== "" || (unit === "" && !hasLetters && !isAfterUnit(part));
      if (!part || (part.numbers.length > 0 && isNew)) part = begin();
      part.numbers.push(Number(number));
      part.hasUnit = unit !== "";
      part.isNegative ||= sign === "-";
    }
  }
  return parts;
}

/** Reports whether a number without a unit continues a coordinate, such as the minutes of "47°22". */
function isAfterUnit(part) {
  return part?.hasUnit === true && part.numbers.length < 3;
}

function problemOf({ numbers }) {
  if (numbers.length === 0 || numbers.length > 3) return "Expected two numbers, such as 47.37, 8.54.";
  return numbers.slice(1).some((number) => number >= 60) ? "Minutes and seconds must be below 60." : null;
}

/** @param {Part} part */
function degreesOf({ numbers, isNegative }) {
  const [degrees, minutes = 0, seconds = 0] = numbers;
  const size = degrees + minutes / 60 + seconds / 3600;
  return isNegative ? -size : size;
}

/** Returns a place, or the problem of its numbers. `hasLetters` says that the user wrote which number is the latitude. */
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
