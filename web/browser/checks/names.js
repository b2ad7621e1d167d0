/** Fractional zooms and tilted views, whose tiles are smaller than their names. */
const cameras = ["8.54,47.37,15.51", "8.54,47.37,15.49@30,65", "8.54,47.37,8.49@45,60", "8.54,47.37,19.6@10,45"];

/** The names of tiles, their origins and times do not overprint each other. */
export async function names(check) {
  const page = await check.open("grid#8.54,47.37,15.51");
  await page.value(`viewer.panel.open(null);
    const context = document.getElementById('overlay').getContext('2d');
    const clear = context.clearRect.bind(context);
    context.clearRect = (...box) => { window.written = []; clear(...box); };
    const fill = context.fillText.bind(context);
    context.fillText = (text, x, y) => {
      const { width, fontBoundingBoxAscent: height } = context.measureText(text);
      window.written.push({ text, left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });
      fill(text, x, y);
    };
    Object.assign(viewer.overlay, { hasGrid: true, hasOrigins: true, layer: viewer.stack.shown.at(-1) }); 1`);
  for (const camera of cameras) {
    await page.value(`location.hash = '#${camera}'; viewer.map.invalidate()`);
    await page.until(`location.hash === '#${camera}' && viewer.map.camera.zoom === ${camera.split(/[,@]/)[2]}`);
    await check.settled(page);
    const { count, pairs } = await page.value(`(() => {
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      const pairs = written.flatMap((a, at) => written.slice(at + 1).filter((b) => meet(a, b)).map((b) => a.text + ' | ' + b.text));
      return { count: written.filter(({ text }) => text.includes('/')).length, pairs };
    })()`);
    check.expect(count >= 4, `${camera}: ${count} names are written`);
    check.expect(pairs.length === 0, `${camera}: and none over another ${pairs.length > 0 ? `${pairs.length}: ${pairs[0]}` : ""}`);
    await check.picture(page, `names-${cameras.indexOf(camera)}`);
  }
  check.expectQuiet(page, "names");
}
