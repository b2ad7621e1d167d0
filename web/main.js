// @ts-check
import { Viewer } from "./Viewer.js";
import { readHash } from "./input/hash.js";
import { MapCanvas } from "./map/MapCanvas.js";
import { Server } from "./server/Server.js";
import { startingToken } from "./server/token.js";

const server = new Server();
const asked = readHash(location.hash);
if (asked.token !== null || asked.code !== null) {
  // Removed before anything is fetched. A browser's history may keep the address nevertheless: by then the code is used up.
  history.replaceState(null, "", location.pathname);
}

try {
  const answers = Promise.all([startingToken(asked, server), server.documents()]);
  // The canvas takes long without a graphics card, so the page makes it while it waits for the server.
  const map = new MapCanvas(document.getElementById("tiles"), { isFlat: location.search === "?flat" });
  const [token, documents] = await answers;
  server.token = token;
  const viewer = new Viewer(server, map, documents);
  viewer.begin(asked);
  // For the console, and for web/browser.
  globalThis.viewer = viewer;
} catch (error) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = `The map cannot be shown. ${error.message}`;
  document.querySelector("main").append(notice);
  throw error;
}
