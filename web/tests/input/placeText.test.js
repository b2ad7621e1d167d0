import assert from "node:assert/strict";
import { test } from "node:test";

import { readPlace } from "../../input/placeText.js";
import { assertNear } from "../vectors.js";

/** Asserts the first place of a text: latitude, longitude, and zoom or null. */
function assertReads(text, latitude, longitude, zoom = null) {
  const { places, problem } = readPlace(text);
  assert.equal(problem, null, `${text}: ${problem}`);
  assert.ok(places.length > 0, text);
  assertNear(places[0].latitude, latitude, 1e-5);
  assertNear(places[0].longitude, longitude, 1e-5);
  assert.equal(places[0].zoom, zoom, text);
}

test("reads latitude and longitude in degrees", () => {
  for (const text of [
    "47.37, 8.54", "47.37,8.54", "47.37 8.54", "  47.37;8.54 ", "47.37° 8.54°", "47.37°, 8.54°", "+47.37 +8.54", "47,37 8,54", "47,37; 8,54",
    "47,37, 8,54", "(47.37, 8.54)", "lat: 47.37, lon: 8.54", "Latitude 47.37 Longitude 8.54", "47.37\t8.54",
  ]) assertReads(text, 47.37, 8.54);
  assertReads("-33.8683, 151.2086", -33.8683, 151.2086);
  assertReads("−33.8683 −70.5", -33.8683, -70.5);
  assertReads("47 8", 47, 8);
  assertReads("47,8", 47, 8);
  assertReads("47.37, 8.54, 12", 47.37, 8.54, 12);
  assertReads(".5, -.25", 0.5, -0.25);
  assertReads("0,0", 0, 0);
});

test("reads the letters of directions, in any order", () => {
  for (const text of [
    "47.37N 8.54E", "8.54E 47.37N", "47.37 N, 8.54 E", "N47.37 E8.54", "E 8.54 N 47.37", "47.37n8.54e", "47,37 N 8,54 E",
    "47.37° north, 8.54° east",
  ]) assertReads(text, 47.37, 8.54);
  assertReads("33.8683 S 70.5 W", -33.8683, -70.5);
  assertReads("47.37, 8.54 W", 47.37, -8.54);
  assertReads("8.54 E, 47.37", 47.37, 8.54);
});

test("reads degrees, minutes and seconds", () => {
  const [latitude, longitude] = [47 + 22 / 60, 8 + 32 / 60];
  for (const text of [
    "47°22'N 8°32'E", "47° 22′ N, 8° 32′ E", "N 47° 22' E 8° 32'", "47°22' 8°32'", "8°32'E 47°22'N", "47 22 N 8 32 E", "N 47 22 E 8 32",
    "47º22’N 8º32’E", "47°22 8°32",
  ]) assertReads(text, latitude, longitude);
  for (const text of [
    `47°22'12.5"N 8°32'30"E`, "47° 22′ 12.5″ N 8° 32′ 30″ E", "47 22 12.5 N, 8 32 30 E", "47°22'12.5''N 8°32'30''E",
  ]) assertReads(text, latitude + 12.5 / 3600, longitude + 30 / 3600);
  assertReads("33°52'6\"S 151°12'31\"E", -(33 + 52 / 60 + 6 / 3600), 151 + 12 / 60 + 31 / 3600);
  assertReads("-33°52' 151°12'", -(33 + 52 / 60), 151 + 12 / 60);
});

test("reads zoom/lat/lon and addresses of map pages", () => {
  assertReads("12/47.37/8.54", 47.37, 8.54, 12);
  assertReads("#map=12/47.37/8.54", 47.37, 8.54, 12);
  assertReads("https://www.openstreetmap.org/#map=12/-47.37/8.54&layers=N", -47.37, 8.54, 12);
  assertReads("https://www.openstreetmap.org/#map=6/47/8", 47, 8, 6);
  assertReads("https://www.google.com/maps/@47.37,8.54,12z", 47.37, 8.54, 12);
  assertReads("https://www.google.com/maps/place/Bern/@47.37,8.54,12.5z/data=x", 47.37, 8.54, 12.5);
  assertReads("geo:47.37,8.54?z=12", 47.37, 8.54, 12);
  assertReads("geo:47.37,8.54", 47.37, 8.54);
  const { places: [own] } = readPlace("https://maps.example/demo#8.54,47.37,12@30,45&layers=demo");
  assert.deepEqual(
    [own.latitude, own.longitude, own.zoom, own.bearing, own.viewingAngle], [47.37, 8.54, 12, 30, 45], "the address of this page");
});

test("reads tiles, and offers the other meaning of whole numbers", () => {
  assertReads("1/0/0", 42.52556, -90, 1);
  assertReads("0/0/0", 0, 0, 0);
  assert.deepEqual(readPlace("6/33/22").places.map(({ label }) => label), ["tile 6/33/22", "33° N, 22° E, zoom 6"]);
  assert.deepEqual(readPlace("12/2145/1434").places.map(({ label }) => label), ["tile 12/2145/1434"]);
  assertReads("5/40/12", 40, 12, 5);
});

test("says what is wrong with coordinates", () => {
  const problems = {
    "123.11, 49.2": "Latitude 123.11 is above 90: is it longitude first?",
    "-123.11 49.2": "Latitude -123.11 is below -90: is it longitude first?",
    "123.11N 49.2E": "Latitude 123.11 is above 90.",
    "200, 100": "Latitude 200 is above 90.",
    "47, 200": "Longitude 200 is above 180.",
    "47, -200": "Longitude -200 is below -180.",
    "47°75'N 8°E": "Minutes and seconds must be below 60.",
    "47N 8S": "Both numbers are latitudes.",
    "47E 8W": "Both numbers are longitudes.",
    "47.37": "Expected two numbers, such as 47.37, 8.54.",
    "1, 2, 3, 4": "Expected two numbers, such as 47.37, 8.54.",
    "3/90/200": "Tile 3/90/200 does not exist: at zoom 3, x and y are at most 7.",
    "31/0/0": "Zoom 31 of a tile is above 30.",
    "1/2/3/4": "Expected zoom/latitude/longitude, or a tile z/x/y.",
    "12/95/8.54": "Latitude 95 is above 90: is it longitude first?",
    "47, 8, 99": "Zoom 99 is not between 0 and 30.",
    "47.37.1, 8/": "Expected zoom/latitude/longitude, or a tile z/x/y.",
  };
  for (const [text, problem] of Object.entries(problems)) assert.deepEqual(readPlace(text), { places: [], problem }, text);
});

test("a name is no place and no mistake", () => {
  for (const text of ["", " ", "world", "Meridians and parallels", "3d model", "news", "west", "Zürich", "https://example.org/", "N", "sw"]) {
    assert.deepEqual(readPlace(text), { places: [], problem: null }, text);
  }
});

test("reads any text without an error", () => {
  const letters = [..."0123456789.,;°'\"NSEWnsew+-/#@ z"];
  let seed = 1;
  const next = (count) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % count;
  };
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: next(14) }, () => letters[next(letters.length)]).join("");
    const { places } = readPlace(text);
    for (const { latitude, longitude, zoom } of places) {
      assert.ok(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (zoom === null || (zoom >= 0 && zoom <= 30)), text);
    }
  }
});
