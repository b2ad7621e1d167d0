/** Gestures with a mouse. */
export async function mouse(check) {
  const page = await check.open("#-118.6,50.2,6");
  const start = await check.camera(page);
  await page.drag([700, 400], [500, 300]);
  await page.until(`viewer.map.camera.longitude > ${start.longitude} && viewer.map.camera.latitude < ${start.latitude}`);
  check.expect(true, "a drag moves the map");
  await check.settled(page);
  const { zoom } = await check.camera(page);
  await page.mouse("mouseWheel", 700, 400, { deltaX: 0, deltaY: -300 });
  await page.until(`viewer.map.camera.zoom > ${zoom + 0.5}`);
  await check.settled(page);
  check.expect(true, "the wheel zooms");
  await page.drag([700, 400], [800, 320], { button: "right" });
  await page.until("viewer.map.camera.bearing !== 0 && viewer.map.camera.viewingAngle > 0");
  check.expect(true, "the right button turns and tilts");
  await check.settled(page);
  await page.until("location.hash.includes('@')");
  check.expect(true, "the address holds the camera");
  const turned = await check.camera(page);
  await page.click(700, 400, 2);
  await page.until(`viewer.map.camera.zoom > ${turned.zoom + 0.9}`);
  check.expect(true, "a double click zooms in");
  await check.settled(page);
  check.expectQuiet(page, "mouse");
}

/** Gestures with fingers on a phone. */
export async function fingers(check) {
  const page = await check.open("world#0,20,4", { width: 390, height: 844, scale: 2, isPhone: true });
  await page.fingers([[200, 400]], [[100, 400]]);
  await page.until("viewer.map.camera.longitude > 1");
  await check.settled(page);
  check.expect(true, "a finger drags the map");
  await page.fingers([[150, 400], [250, 400]], [[100, 400], [300, 400]]);
  await page.until("viewer.map.camera.zoom > 4.8");
  check.expect(await page.value("viewer.map.camera.bearing") === 0, "two fingers zoom, and do not turn unless they are turned");
  await page.fingers([[150, 400], [250, 400]], [[200, 350], [200, 450]]);
  await page.until("viewer.map.camera.bearing !== 0");
  await page.fingers([[150, 500], [250, 500]], [[150, 440], [250, 440]]);
  await page.until("viewer.map.camera.viewingAngle > 15");
  await check.settled(page);
  check.expect(true, "two fingers turn, and tilt side by side");
  const { zoom } = await check.camera(page);
  await page.doubleTap(200, 300);
  await page.until(`viewer.map.camera.zoom > ${zoom + 0.9}`);
  check.expect(true, "a double tap zooms in");
  await check.settled(page);
  check.expectQuiet(page, "fingers");
}
