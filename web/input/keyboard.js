// @ts-check
/** Points that an arrow moves the map, degrees that it turns and tilts it. */
const [step, turn, tilt] = [120, 15, 5];

/**
 * Where a key leads from a camera in `view`, a MapView: a camera, or null for a key that means nothing. Arrows move the map,
 * with Shift they turn and tilt it; + and - zoom; n turns north up and looks straight down; Home goes to `home`.
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
    case "n": case "N": return { ...camera, bearing: 0, viewingAngle: 0 };
    case "Home": return home;
    default: return null;
  }
}

/** Moves a map by the keyboard while `element` has the focus. `home()` is where Home leads. */
export function listenToKeys(element, map, motion, home) {
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey || event.target !== element) return;
    const end = cameraForKey(event, motion.goal, map.view, home());
    if (!end) return;
    event.preventDefault();
    motion.flyTo(end);
  });
}
