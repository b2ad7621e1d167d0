// @ts-check
import { Viewer } from "./Viewer.js";
import { readHash } from "./input/hash.js";
import { Server } from "./server/Server.js";
import { startingToken } from "./server/token.js";

const server = new Server();
const asked = readHash(location.hash);
if (asked.token !== null || asked.code !== null) {
  // Removed before anything is fetched. A browser's history may keep the address nevertheless: by then the code is used up.
  history.replaceState(null, "", location.pathname);
}

try {
  server.token = await startingToken(asked, server);
  const viewer = new Viewer(server, await server.documents());
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
