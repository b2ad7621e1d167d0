// @ts-check
/** Points by which an arrow key moves the map, and degrees by which it turns and tilts the map. */
const [step, turn, tilt] = [120, 15, 5];

/** Returns the camera with north at the top, looking straight down. */
export function northUp(camera) {
  return { ...camera, bearing: 0, viewingAngle: 0 };
}

/**
 * Returns the camera after a key from `camera` in `view`, a MapView. Returns null for a key without an effect. Arrows
 * move the map. With Shift they turn and tilt it. + and - zoom. n turns north up and looks straight down. Home goes to
 * `home`.
 */
export function cameraForKey({ key, shiftKey }, camera, view, home) {
  switch (key) {
    case "ArrowLeft": return shiftKey ? { ...camera, bearing: camera.bearing - turn } : view.scrolled(camera, -step, 0);
    case "ArrowRight": return shiftKey ? { ...camera, bearing: camera.bearing + turn } : view.scrolled(camera, step, 0);
    case "ArrowUp":
      return shiftKey ? { ...camera, viewingAngle: camera.viewingAngle + tilt } : view.scrolled(camera, 0, -step);
    case "ArrowDown":
      return shiftKey
        ? { ...camera, viewingAngle: Math.max(camera.viewingAngle - tilt, 0) } : view.scrolled(camera, 0, step);
    case "+": case "=": return view.zoomed(camera, camera.zoom + 1);
    case "-": case "_": return view.zoomed(camera, camera.zoom - 1);
    case "n": case "N": return northUp(camera);
    case "Home": return home;
    default: return null;
  }
}

/** Moves a map by the keyboard while `element` has the focus. `home()` returns the camera for the key Home. */
export function listenToKeys(element, map, motion, home) {
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey || event.target !== element) return;
    const end = cameraForKey(event, motion.goal, map.view, home());
    if (!end) return;
    event.preventDefault();
    motion.flyTo(end);
  });
}
