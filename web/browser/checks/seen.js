import { greatestDifference } from "../cameras.js";
import { crossings, greatestShift } from "../crossings.js";
import { decode, difference } from "../png.js";
import { cameraOf } from "../../input/hash.js";

/** Cameras whose static images are compared with the page. */
const cameras = [
  ["world", "-118.6,50.2,6@30,30"], ["relief", "20,40,9@200,30"], ["grid", "151.2086,-33.8683,16@30,65"],
  ["grid", "10.3,40.2,5.4@75,20"],
];

/** The page's camera moves like the server's, and the page looks like its static images. */
export async function agrees(check) {
  const apart = await greatestDifference(check.base, "demo");
  check.expect(apart < 1e-9, `updates and flights lead where the server's do: ${apart} apart at most`);
  for (const [map, text] of cameras) {
    const page = await check.open(`${map}#${text}`, { width: 800, height: 600 });
    await page.value(`viewer.panel.open(null);
      for (const it of document.body.querySelectorAll('aside, .controls, .foot')) it.hidden = true`);
    await check.settled(page);
    const seen = decode(await page.screenshot());
    const response = await fetch(new URL(`${map}/static/${text}/800x600.png?attribution=false`, check.base));
    const drawn = decode(Buffer.from(await response.arrayBuffer()));
    const { mean, most } = difference(seen, drawn);
    check.expect(mean <= 2, `${map} ${text} is the static image: ${mean.toFixed(3)} levels in the mean, ${most} at most`);
    if (map !== "grid") continue;
    const { shift, count } = greatestShift(seen, drawn, crossings(cameraOf(text), 800, 600));
    check.expect(count >= 4 && shift <= 0.5, `${count} crossings of its grid are where they are there: ${shift} pixels off at most`);
  }
}

/** Pictures for people to look at, and the results of axe-core. */
export async function looks(check) {
  const phone = { width: 390, height: 844, scale: 2, isPhone: true };
  if (check.pictures) {
    await check.picture(await check.open("#-123.6,49.2,8@40,30"), "tilted");
    // The view of the README.
    await check.picture(await check.open("demo#-30,38,4.2@20,25"), "viewer.webp");
    await check.picture(await check.open("#-118.6,50.2,6@30,30", phone), "phone");
    await check.closePages();
  }
  for (const [name, path, view] of [["light", "", {}], ["dark", "world#10,48,4", { dark: true }], ["phone", "", phone]]) {
    const page = await check.open(path, view);
    for (const tab of ["layers", "camera", "cache", "about"]) {
      await page.value(`viewer.panel.open('${tab}')`);
      await check.settled(page);
      await check.picture(page, `${name}-${tab}`);
      await check.expectAccessible(page, `${tab}, ${name}`);
    }
    check.expectQuiet(page, name);
    await check.closePages();
  }
}
