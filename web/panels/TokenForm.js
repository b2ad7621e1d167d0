// @ts-check
import { button, element, field } from "./element.js";

/** A form that asks for the admin token once. Only this page's Server object keeps the token. */
export class TokenForm {
  content;
  #server;
  #input = element("input", { type: "password", autocomplete: "off", spellcheck: false, required: true });
  #onToken = () => {};

  constructor(server) {
    this.#server = server;
    this.content = element("form", { className: "token", onsubmit: (event) => this.#take(event) }, [
      element("p", {
        className: "hint", text: "Enter the server's admin token. The page keeps the token until it is closed.",
      }),
      field("Admin token", this.#input), button("Use token", null, { type: "submit" }),
    ]);
    this.#hide();
  }

  /**
   * Calls `action` when the token is known: at once, or after the user has entered it. `isFocused` moves the focus into
   * the form.
   */
  with(action, { isFocused = true } = {}) {
    if (this.#server.hasToken) {
      this.#hide();
      return action();
    }
    this.#onToken = action;
    this.content.hidden = false;
    if (isFocused) this.#input.focus();
    return undefined;
  }

  #hide() {
    this.content.hidden = true;
  }

  #take(event) {
    event.preventDefault();
    this.#server.token = this.#input.value.trim();
    this.#input.value = "";
    this.#hide();
    const action = this.#onToken;
    this.#onToken = () => {};
    action();
  }
}
