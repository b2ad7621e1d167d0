import assert from "node:assert/strict";
import { test } from "node:test";

import { cameraOf, cameraText, readHash, slashCameraOf, writeHash } from "../../input/hash.js";
import { cameraForKey } from "../../input/keyboard.js";
import { pinch } from "../../input/pinch.js";
import { scaleBar } from "../../input/scaleBar.js";
import { Velocity, glide } from "../../input/Velocity.js";
import { wheelZoom } from "../../input/WheelZoom.js";
import { assertNear, camera, mapView } from "../vectors.js";

test("the hash holds the camera as a static image's path does", () => {
  assert.equal(cameraText(camera([50.2, -118.6, 6, 30, 30])), "-118.6,50.2,6@30,30");
  assert.equal(cameraText(camera([50.2, -118.6, 6, 30, 0])), "-118.6,50.2,6@30");
  assert.equal(cameraText(camera([0, -0.00001, 2, 0, 0])), "0,0,2");
  assert.equal(cameraText(camera([50.2, -118.6, 6, 0, 20])), "-118.6,50.2,6@0,20");
  for (const text of ["-118.6,50.2,6@30,30", "0,0,0", "151.20862,-33.86833,16.25@359.5,65"]) {
    assert.equal(cameraText(cameraOf(text)), text);
  }
});

test("a hash that is no camera is none", () => {
  for (const text of ["", "1,2", "a,b,c", "1,2,3@", "1,2,3@4,5,6", "1.1.1,2,3", "1,2,-3"]) {
    assert.equal(cameraOf(text), null, text);
  }
});

test("a hash may have the form of MapLibre and OpenStreetMap", () => {
  for (const text of ["14/47.37/8.54", "map=14/47.37/8.54", "14/47.37/8.54/0", "14/47.37/8.54/0/0"]) {
    assert.deepEqual(readHash(`#${text}`).camera, camera([47.37, 8.54, 14, 0, 0]), text);
  }
  assert.deepEqual(readHash("#4.5/-33.8/151.2/-30/45").camera, camera([-33.8, 151.2, 4.5, -30, 45]));
  for (const text of ["14/47.37", "14/97/8.54", "31/47/8", "14/47/8/1/2/3", "1.1.1/2/3", "a/b/c", "map=", "14,47/8"]) {
    assert.equal(slashCameraOf(text), null, text);
  }
});

test("layers of openstreetmap.org are no layers of this server", () => {
  assert.deepEqual(readHash("#map=14/47.37/8.54&layers=TN").layers, null);
  assert.deepEqual(readHash("#14,1,2&layers=").layers, []);
  assert.deepEqual(readHash("#map=14/47.37/8.54&layers=world").layers, [{ id: "world", opacity: 1 }]);
});

test("the hash holds layers and takes a token", () => {
  const layers = [{ id: "demo", opacity: 1 }, { id: "grid", opacity: 0.5 }];
  const hash = writeHash(camera([1, 2, 3]), layers);
  assert.equal(hash, "#2,1,3&layers=demo,grid:0.5");
  assert.deepEqual(readHash(hash), { camera: camera([1, 2, 3]), layers, token: null, code: null });
  assert.equal(readHash("#token=a%2Fb").token, "a/b");
  assert.equal(readHash("#token=%zz").token, "%zz");
  assert.deepEqual(readHash("#code=0a1b&1,2,3"), { camera: camera([2, 1, 3]), layers: null, token: null, code: "0a1b" });
  assert.deepEqual(readHash(""), { camera: null, layers: null, token: null, code: null });
});

test("arrows move, with Shift turn and tilt; other keys mean nothing", () => {
  const [view, start] = [mapView(), camera([0, 0, 4])];
  const key = (key, shiftKey = false) => cameraForKey({ key, shiftKey }, start, view, "home");
  assert.ok(key("ArrowUp").latitude > 0 && key("ArrowLeft").longitude < 0);
  assert.equal(key("ArrowRight", true).bearing, 15);
  assert.equal(key("ArrowUp", true).viewingAngle, 5);
  assert.equal(key("ArrowDown", true).viewingAngle, 0);
  assert.equal(key("+").zoom, 5);
  assert.equal(key("-").zoom, 3);
  assert.equal(key("Home"), "home");
  assert.equal(key("x"), null);
});

const fingers = (...numbers) => [{ x: numbers[0], y: numbers[1] }, { x: numbers[2], y: numbers[3] }];

test("two fingers zoom, turn and move", () => {
  const result = pinch(fingers(100, 100, 200, 100), fingers(50, 100, 250, 100));
  assert.deepEqual([result.kind, result.zoom, result.turn], ["pinch", 1, 0]);
  assert.deepEqual([result.from, result.to], [{ x: 150, y: 100 }, { x: 150, y: 100 }]);
  const turned = pinch(fingers(100, 100, 200, 100), fingers(150, 50, 150, 150));
  assertNear(turned.turn, 82);
  assert.equal(pinch(fingers(100, 100, 200, 100), fingers(101, 100, 201, 101)).turn, 0);
  assert.equal(pinch(fingers(100, 100, 200, 100), fingers(92, 100, 200, 100)).kind, "none");
  assert.equal(pinch(fingers(100, 100, 200, 100), fingers(80, 100, 200, 100)).kind, "pinch");
});

test("two fingers that go up side by side tilt", () => {
  assert.deepEqual(pinch(fingers(100, 100, 200, 100), fingers(100, 60, 200, 60)), { kind: "tilt", angle: 20 });
  assert.equal(pinch(fingers(100, 100, 200, 100), fingers(100, 95, 200, 95)).kind, "none");
  assert.equal(pinch(fingers(100, 100, 100, 200), fingers(100, 60, 100, 160)).kind, "pinch");
});

test("the wheel zooms, whatever it counts in, a zoom at a time at most", () => {
  assertNear(wheelZoom({ deltaY: -100, deltaMode: 0 }), 1 / 3);
  assertNear(wheelZoom({ deltaY: 3, deltaMode: 1 }), -0.2);
  assert.equal(wheelZoom({ deltaY: 1e6, deltaMode: 0 }), -1);
  assertNear(wheelZoom({ deltaY: 10, deltaMode: 0, ctrlKey: true }), -0.1);
});

test("a pointer that rests before it is lifted leaves no inertia", () => {
  const velocity = new Velocity();
  for (let time = 0; time <= 50; time += 10) velocity.add(time, 0, time);
  assert.deepEqual(velocity.at(50), { x: 1, y: 0 });
  assert.equal(velocity.at(200), null);
});

test("inertia ends", () => {
  let velocity = { x: 2, y: 0 };
  let way = 0;
  for (let frames = 0; velocity; frames += 1) {
    const step = glide(velocity, 16);
    way += step.x;
    velocity = step.velocity;
    assert.ok(frames < 1000);
  }
  assert.ok(way > 600 && way < 650);
});

test("the scale bar is a round length that fits", () => {
  const bar = scaleBar({ latitude: 0, zoom: 0 });
  assert.equal(bar.label, "10,000 km");
  assert.ok(bar.points <= 110);
  assert.equal(scaleBar({ latitude: 49, zoom: 15 }).label, "200 m");
  assert.match(scaleBar({ latitude: 49, zoom: 30 }).label, /cm$/);
});
