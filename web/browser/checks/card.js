const target = "document.getElementById('card')";

/** A click belongs to the map unless the tab Cache is open. The card of a tile goes with its tile. */
export async function card(check) {
  const phone = { width: 390, height: 844, scale: 2, isPhone: true };
  for (const [name, view, point] of [["desktop", {}, [800, 500]], ["phone", phone, [150, 250]]]) {
    const page = await check.open("world#0,20,3", view);
    const tap = () => (view.isPhone ? page.fingers([point], [point], 1) : page.click(...point));
    await page.value("viewer.panel.open(null)");
    await tap();
    check.expect(await page.value(`${target}.hidden`), `${name}: a tap on the map opens no card`);
    // The next tap must not be the second one of a double tap.
    await page.value("new Promise((done) => setTimeout(done, 400))");
    const open = async () => {
      await page.value("viewer.panel.open('cache')");
      await tap();
      await page.until(`!${target}.hidden`);
      await page.value("new Promise((done) => setTimeout(done, 400))");
    };
    await open();
    check.expect(true, `${name}: but it does while the tab Cache is open`);
    const bottom = await page.value(`${target}.getBoundingClientRect().bottom`);
    const top = await page.value("document.querySelector('#section-cache').getBoundingClientRect().top");
    check.expect(!view.isPhone || bottom < top, `${name}: the card lies beside the panel: ${bottom} above ${top}`);
    await check.picture(page, `card-${name}`);
    await page.value("viewer.map.camera = { ...viewer.map.camera, zoom: 6 }");
    await page.until(`${target}.hidden && viewer.overlay.selected === null`);
    check.expect(true, `${name}: the card goes when the view shows other tiles`);
    await open();
    await page.value("viewer.panel.open('layers')");
    check.expect(await page.value(`${target}.hidden`), `${name}: with the tab`);
    await open();
    await page.value("viewer.stack.hide(viewer.stack.entries.get('world'))");
    await page.until(`${target}.hidden`);
    check.expect(true, `${name}: and with the layer`);
    await check.closePages();
  }
}
