import assert from "node:assert/strict";
import { test } from "node:test";

import { attributionParts } from "../../panels/attribution.js";
import { originOf, parsed } from "../../map/cacheStatus.js";
import { cameraCodes, imageSize, pictureLayers, pictureText, staticPath } from "../../panels/cameraCode.js";
import { LocalText } from "../../text/LocalText.js";
import { clearPath } from "../../server/Server.js";
import { CoordinateBounds } from "../../geometry/CoordinateBounds.js";
import { camera } from "../vectors.js";

test("writes the camera as the SDK's programs do", () => {
  const plain = camera([49.26, -123.11, 10]);
  const tilted = camera([-33.8683, 151.2086, 16.5, 30, 45]);
  assert.equal(cameraCodes.Swift(plain), "let camera = GMSCameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10)");
  assert.equal(
    cameraCodes.Swift(tilted),
    "let camera = GMSCameraPosition(latitude: -33.8683, longitude: 151.2086, zoom: 16.5, bearing: 30, viewingAngle: 45)");
  assert.equal(
    cameraCodes["Objective-C"](tilted),
    "GMSCameraPosition *camera = [GMSCameraPosition cameraWithLatitude:-33.8683 longitude:151.2086 zoom:16.5 bearing:30"
      + " viewingAngle:45];");
  assert.deepEqual(JSON.parse(cameraCodes.JSON(plain)), { lat: 49.26, lng: -123.11, zoom: 10, bearing: 0, viewingAngle: 0 });
});

test("a static image is of the same shape, and never too large", () => {
  const path = staticPath("demo", camera([50.2, -118.6, 6, 30, 30]), { width: 800, height: 600, scale: 2 });
  assert.equal(path, "demo/static/-118.6,50.2,6@30,30/800x600@2x.png");
  assert.deepEqual(imageSize(1280, 800, 1), [1280, 800]);
  for (const [width, height, scale] of [[5000, 100, 1], [4000, 4000, 1], [3000, 2000, 4], [1, 9000, 2]]) {
    const [across, down] = imageSize(width, height, scale);
    assert.ok(across >= 1 && down >= 1 && Math.max(across, down) * scale <= 4096);
    assert.ok(across * down * scale * scale <= 8_388_608);
  }
});

const tile = (kind, status, cacheStatus, tileStatus = null) => ({ kind, answer: { status, cacheStatus, tileStatus } });

test("tells where a tile came from", () => {
  const origin = (...parts) => originOf(tile(...parts))?.id;
  assert.equal(origin("image", 200, "tileserver; hit; ttl=86000; detail=memory"), "memory");
  assert.equal(origin("image", 200, "tileserver; hit; ttl=86000; detail=disk"), "disk");
  assert.equal(origin("image", 200, "tileserver; fwd=miss; stored"), "fetched");
  assert.equal(origin("image", 200, "tileserver; hit; ttl=-5; detail=memory"), "stale");
  assert.equal(origin("image", 200, "tileserver; fwd=stale; detail=error", "stale"), "stale");
  assert.equal(origin("image", 200, "tileserver; fwd=stale; detail=back-off"), "stale");
  for (const part of ["stored", "fwd-status=304; stored", "collapsed; stored", "stored; detail=store-skipped"]) {
    assert.equal(origin("image", 200, `tileserver; fwd=stale; ${part}`), "fetched", part);
  }
  assert.equal(origin("none", 204, "tileserver; detail=outside"), "none");
  assert.equal(origin("failed", 503, "tileserver; detail=down"), "failed");
  assert.equal(originOf({ kind: "unknown", answer: null }), null);
  assert.deepEqual(
    parsed("tileserver; fwd=miss; stored; collapsed, other; hit"),
    { fwd: "miss", detail: null, ttl: null, isHit: false, isCollapsed: true });
});

/** Returns a node like a parser's. */
const node = (nodeName, childNodes, href = null) => ({
  nodeType: 1, nodeName, childNodes, textContent: childNodes.map((child) => child.textContent).join(""),
  getAttribute: (name) => (name === "href" ? href : null),
});
const text = (textContent) => ({ nodeType: 3, textContent });

test("of an attribution, text and links are left", () => {
  const parts = attributionParts([
    text("© "), node("A", [text("OpenStreetMap")], "https://osm.example/copyright"), text(" "),
    node("A", [text("bad")], "javascript:alert(1)"), node("B", [text("bold"), node("A", [text("in it")], "http://a.example")]),
    node("SCRIPT", [text("alert(1)")]), node("IMG", []), { nodeType: 8, textContent: "a comment" },
  ]);
  assert.deepEqual(parts, [
    { text: "© ", href: null }, { text: "OpenStreetMap", href: "https://osm.example/copyright" }, { text: "bad", href: null },
    { text: "bold", href: null }, { text: "in it", href: "http://a.example" },
  ]);
});

test("clears a layer, a tile or a box", () => {
  assert.equal(clearPath("world"), "admin/cache/world");
  assert.equal(clearPath("world", { tile: { z: 3, x: 2, y: 1 } }), "admin/cache/world/3/2/1");
  const box = CoordinateBounds.box([-123.5, 49, -122.5, 50]);
  assert.equal(clearPath("world", { box, isSoft: true }), "admin/cache/world?bbox=-123.5,49,-122.5,50&soft=1");
});

test("the address of a static image is that of what the page shows", () => {
  const layer = (id, opacity = 1, document = {}) => ({ id, name: id.toUpperCase(), opacity, document });
  const [demo, grid, night] = [layer("demo"), layer("grid", 0.5), layer("night", 0.8, { opacity: 0.8 })];
  const path = (shown, own) =>
    staticPath(own.id, camera([50.2, -118.6, 6]), { width: 800, height: 600 }, pictureLayers(shown, own));
  const plain = "demo/static/-118.6,50.2,6/800x600.png";
  assert.equal(path([demo], demo), plain, "the page's own map alone");
  assert.equal(path([night], night), "night/static/-118.6,50.2,6/800x600.png", "a layer with its own opacity");
  assert.equal(path([layer("night", 1, { opacity: 0.8 })], { ...night }), "night/static/-118.6,50.2,6/800x600.png?layers=night");
  assert.equal(path([grid], demo), `${plain}?layers=grid:0.5`, "another layer, with the camera rules of the page's map");
  assert.equal(path([demo, grid], demo), `${plain}?layers=demo,grid:0.5`, "from the lowest up");
  assert.equal(path([demo, layer("away", 0)], demo), plain, "an invisible layer does not count");
  const many = Array.from({ length: 20 }, (_, index) => layer(`l${index}`));
  assert.equal(pictureLayers(many, demo).length, 16);
  assert.deepEqual(pictureLayers([], demo), []);
});

test("says what a static image shows", () => {
  const text = new LocalText("en-GB");
  const layer = (name, opacity = 1) => ({ id: "a", name, opacity, document: {} });
  assert.equal(pictureText([layer("World")], text), "The image shows World.");
  assert.equal(
    pictureText([layer("World"), layer("Grid", 0.5), layer("Night")], text), "The image shows World, and above it Grid (50%), Night.");
  assert.equal(pictureText([layer("World", 0)], text), "No layer is shown, so there is no image.");
  const many = Array.from({ length: 18 }, (_, index) => layer(`L${index}`));
  assert.match(pictureText(many, text), /L15\. An image has at most 16 layers, so the highest 2 are missing\.$/);
});
