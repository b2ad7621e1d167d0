// @ts-check
import { button } from "./element.js";

/** A button that copies what `text()` is then, and says so. `what` names it for those who do not see where it stands. */
export function copyButton(text, what) {
  const made = button("Copy", async () => {
    made.textContent = (await copy(text())) ? "Copied" : "Select and copy by hand";
    setTimeout(() => { made.textContent = "Copy"; }, 2000);
  });
  made.setAttribute("aria-label", `Copy ${what}`);
  return made;
}

/** Whether the text is in the clipboard, which a page without TLS may not have. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Refused, or not there: the text can still be selected.
    return false;
  }
}
