import { createServer } from "node:http";

/**
 * Images in a page of another origin: the browser shows its user why an image is missing, and does not hide the
 * response (ERR_BLOCKED_BY_ORB). The server's layer `down` has no upstream. Its layer `pictured` shows the error in a
 * picture.
 */
export async function errors(check) {
  // 500 stands for its class: an upstream that is down gives 502, and 503 while requests to it pause.
  const targets = {
    "demo/1/0/0.png": 200, "demo/1/9/0.png": 400, "no-such-layer/1/0/0.png": 404, "grid/30/0/0.png": 404, "down/1/0/0.png": 500,
    "pictured/1/0/0.png": 500, "demo/static/0,0,99/0x0.png": 400,
  };
  const images = Object.keys(targets).map((target) => `<img src="${check.base}${target}">`).join("");
  const other = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(request.url === "/" ? `<!doctype html><title>Elsewhere</title>${images}` : "");
  });
  await new Promise((resolve) => { other.listen(0, "127.0.0.1", resolve); });
  const page = await check.openAnything(`http://127.0.0.1:${other.address().port}/`);
  for (const [target, status] of Object.entries(targets)) {
    const request = page.requests.find(({ url }) => url === check.base + target);
    const { failure = "", fields = {} } = request;
    const problem = Object.entries(fields).find(([name]) => name.toLowerCase() === "x-problem")?.[1];
    const isRight = status === 500 ? request.status >= 500 : request.status === status;
    check.expect(!failure && isRight, `${target} of another origin is seen as ${status}: ${request.status} ${failure}`);
    if (status >= 400) check.expect(Boolean(problem), `and says why: ${problem}`);
  }
  const width = (target) => page.value(`document.querySelector('img[src$="${target}"]').naturalWidth`);
  check.expect(await width("demo/1/0/0.png") === 256, "a tile is shown");
  check.expect(await width("pictured/1/0/0.png") === 256, "and so is the picture of an error");
  check.expect(await width("down/1/0/0.png") === 0, "one without a picture is a broken image");
  await check.picture(page, "errors");
  other.closeAllConnections();
  other.close();
  const viewer = await check.open("#0,20,3&layers=down");
  await viewer.value("viewer.panel.open('cache')");
  await viewer.click(800, 400);
  await viewer.until("!document.getElementById('card').hidden");
  const text = await viewer.value("document.getElementById('card').textContent");
  check.expect(/docs\/reference\/http.md#(upstream-down|upstream-unreachable|backing-off)/.test(text), `the card names the page that explains the code: ${text}`);
}
