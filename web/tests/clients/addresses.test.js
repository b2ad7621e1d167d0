import assert from "node:assert/strict";
import { test } from "node:test";

import { hintsFor, isLoopback } from "../../clients/addresses.js";
import { clients } from "../../clients/clients.js";

const hints = (id, base) => hintsFor(clients.find((client) => client.id === id), new URL(base));
const own = [
  "http://localhost:8080/", "http://127.0.0.1:8080", "http://127.5:80/", "https://[::1]:8443/", "http://a.localhost/", "http://0.0.0.0:8080/",
  "http://LOCALHOST./",
];
const others = [
  "http://192.168.1.20/", "http://mylocalhost/", "http://localhost.example/", "http://127.example/", "http://[fe80::1]/",
  "http://x127.0.0.1.example/",
];
const phones = [
  "gms-swift", "gms-objc", "mapkit", "google-flutter", "react-native-maps", "google-android", "maplibre-ios", "maplibre-android", "flutter-map",
  "home-assistant",
];

test("knows the addresses of the computer itself", () => {
  for (const base of own) assert.ok(isLoopback(new URL(base)), base);
  for (const base of others) assert.ok(!isLoopback(new URL(base)), base);
});

test("a phone cannot open an address of the computer itself", () => {
  for (const base of own) {
    for (const id of phones) {
      assert.equal(hints(id, base).length, 1, `${id} ${base}`);
      assert.match(hints(id, base)[0], /^A phone cannot open this address: .* `--host 0\.0\.0\.0`\.$/);
    }
    for (const { id } of clients.filter((client) => !phones.includes(client.id))) assert.deepEqual(hints(id, base), [], `${id} ${base}`);
  }
});

test("plain HTTP needs leave of the phone's system", () => {
  const systems = (id, base) => hints(id, base).map((hint) => hint.split(" ")[0]);
  const local = ["http://192.168.1.20:8080/", "http://[fe80::1]:8080/", "http://mac.local/", "http://server:8080/"];
  for (const base of [...local, "http://tiles.example.org/"]) {
    assert.deepEqual(["gms-swift", "google-android", "react-native-maps", "maplibre-ios", "leaflet"].map((id) => systems(id, base)),
      [["iOS"], ["Android"], ["iOS", "Android"], ["iOS"], []]);
    // Dart's own HTTP client does not ask the system.
    assert.deepEqual(["google-flutter", "flutter-map", "home-assistant"].map((id) => hints(id, base)), [[], [], []]);
    assert.equal(/NSAllowsLocalNetworking/.test(hints("mapkit", base)[0]), local.includes(base), base);
  }
});

test("nothing is said about an address that all can open", () => {
  for (const { id } of clients) {
    for (const base of ["https://tiles.example.org/maps/", "https://192.168.1.20:8443/"]) {
      assert.deepEqual(hints(id, base), [], `${id} ${base}`);
    }
  }
});
