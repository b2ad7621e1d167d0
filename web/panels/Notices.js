// @ts-check
import { button, element } from "./element.js";
import * as icons from "./icons.js";

/** Messages on the map that stay until the user closes them. Screen readers announce them. */
export class Notices {
  #target;
  /** @type {Map<string, HTMLElement>} */
  #shown = new Map();

  /** @param {HTMLElement} target an element with the role `status` */
  constructor(target) {
    this.#target = target;
  }

  /**
   * Shows a message in place of an earlier one of the same kind. An action closes the message.
   *
   * @param {string} kind
   * @param {string} text
   * @param {{ name: string, run: () => void }[]} [actions]
   */
  show(kind, text, actions = []) {
    this.close(kind);
    const buttons = actions.map(({ name, run }) => button(name, () => {
      this.close(kind);
      run();
    }, { className: "small" }));
    const notice = element("div", { className: "told" }, [
      element("p", { text }), buttons.length > 0 ? element("div", { className: "actions" }, buttons) : null,
      button("Close", () => this.close(kind), { icon: icons.close }),
    ]);
    this.#shown.set(kind, notice);
    this.#target.append(notice);
  }

  /** Removes the message of a kind. */
  close(kind) {
    this.#shown.get(kind)?.remove();
    this.#shown.delete(kind);
  }
}
