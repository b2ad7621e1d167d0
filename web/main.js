import { Viewer } from "./Viewer.js";
import { readHash } from "./input/hash.js";
import { Server } from "./server/Server.js";

const server = new Server();
const asked = readHash(location.hash);
if (asked.token !== null) {
  server.token = asked.token;
  // Gone before anything is fetched, and from the history too.
  history.replaceState(null, "", location.pathname);
}

try {
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
