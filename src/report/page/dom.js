/*
 * Creates elements. A string becomes a text node, never markup, so no name from a file can become
 * an element or a script.
 */

import { DATA, NAME } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */
/** Maps the name of an attribute to its value, or to a boolean that states whether it
 * is set. Maps the name of an event, such as "click", to its handler.
 * @typedef {Record<string, string | number | boolean | undefined | ((event: any) => void)>} Attributes */

/** Sets the attributes of an element and appends the children. Styles and event
 * handlers become properties, because the page's policy forbids them as attributes.
 * @template {HTMLElement | SVGElement} T
 * @param {T} element @param {Attributes} attributes @param {Child[]} [children] @returns {T} */
export function fill(element, attributes, children = []) {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name, value);
        else if (name === "style") element.style.cssText = String(value);
        else if (typeof value === "boolean") element.toggleAttribute(name, value);
        else if (value !== undefined) element.setAttribute(name, String(value));
    }
    element.append(...children.flatMap((child) => child || []));
    return element;
}

/** @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} attributes @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]} */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** @param {string} tag @param {Attributes} attributes @param {...Child} children */
export const svg = (tag, attributes = {}, ...children) => fill(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), attributes, children);

/** Returns the element of the static page with that id. @param {string} id @returns {HTMLElement} */
export function by_id(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
}

/** Returns the data that was embedded in the page under that name; null if there are none.
 * @param {string} name */
export function embedded(name) {
    const text = document.getElementById(`data-${name}`)?.textContent;
    return text ? JSON.parse(text) : null;
}

const LONG = 28; /* words with fewer characters are broken only if they are a CHAIN */
const LONGER = 60; /* paths with fewer characters are broken only between their parts */

/** A chain of fused operators. */
const CHAIN = /[A-Za-z]\+[A-Za-z]/;
/** The places between the parts of a path. */
const PATH = /(?<=[/+,])(?=[^\s/+,])/;

/** @param {string} text @param {RegExp} where @returns {Child[]} */
const parted = (text, where) => text.split(where).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));

/** Splits a name into parts. Lines may be broken between them. @param {string} name */
const in_parts = (name) => parted(name, NAME);

/** A text in which lines may be broken inside long paths, names and chains of operators, but
 * only after a separator.
 * @param {string} text @returns {Child[]} */
export const breakable = (text) =>
    text.split(/(?<=\s)(?=\S)/).flatMap((word) => (word.length < LONG && !CHAIN.test(word) ? [word] : parted(word, word.includes("/") && word.length < LONGER ? PATH : NAME)));

/* -------------------------------------------------------------------- fitting */

/** Maps an element to a function that shows the element's text in at most `most`
 * characters.
 * @type {WeakMap<Element, (most: number) => void>} */
const shorter = new WeakMap();

/** Shows the result of `text` in the element. If the cell is too narrow, fit() calls
 * `text` again with a smaller `most`. `text` may pass names to `parts`, which splits
 * each name where a line may break. If the cell may have only one line, the name stays
 * whole, because a screen reader pauses between parts.
 * @param {HTMLElement} element @param {number} most @param {(most: number, parts: (name: string) => Child[]) => Child[]} text */
export function giving_way(element, most, text) {
    element.classList.add("gives-way");
    const put = (/** @type {number} */ n) => element.replaceChildren(...text(Math.min(n, most), element.closest(".tight, .tall") ? in_parts : (name) => [name]).map((child) => child || ""));
    shorter.set(element, put);
    put(most);
    return element;
}

/** @param {Element} cell */
const overflows = (cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight;

/** Hides the last visible chip of a cell. A chip of class "cause" is hidden only if no
 * other chip is visible. Shows the number of hidden chips.
 * @param {Element} cell @returns {boolean} false: the cell has no visible chip */
function drop_chip(cell) {
    const all = [...cell.querySelectorAll(".chips > .chip:not([hidden], .dropped)")];
    const chip = all.filter((one) => !one.matches(".cause")).pop() ?? all.pop();
    if (!chip) return false;
    const dropped = /** @type {HTMLElement} */ (cell.querySelector(".dropped") ?? el("span", { class: "chip dropped" }));
    const arrow = chip.previousElementSibling?.matches(".arrow") && chip.previousElementSibling;
    for (const one of arrow ? [arrow, chip] : [chip]) one.setAttribute("hidden", "");
    dropped.title = `${chip.textContent}${dropped.title ? `, ${dropped.title}` : ""}`;
    dropped.textContent = `+${cell.querySelectorAll(".chip[hidden]:not(.arrow)").length}`;
    chip.parentElement?.append(dropped);
    return true;
}

/** Makes the contents of cells fit. First, names lose parts of their paths. Then the
 * font gets smaller. Then chips are hidden, and the number of hidden chips is shown. In
 * a cell that is still too narrow, long words lose their middle: see DATA in words.js.
 * To avoid repeated layout, each step changes all cells before any cell is measured.
 * @param {Element[]} cells */
export function fit(cells) {
    const narrow = cells.filter(overflows);
    const texts = narrow.flatMap((cell) => [...cell.querySelectorAll(".gives-way")].map((text) => ({ cell, put: shorter.get(text), most: 0 })));
    for (const { put } of texts) put?.(0);
    for (const cell of narrow.filter(overflows)) cell.classList.add("tight");
    for (let left = narrow.filter(overflows); left.length; left = left.filter(drop_chip).filter(overflows));
    const still_over = new Set(narrow.filter(overflows));
    for (const text of texts) if (still_over.has(text.cell)) text.put?.((text.most = DATA));
    for (let step = 128; step >= 1; step /= 2) {
        for (const text of texts) text.put?.(text.most + step);
        const still = new Set(narrow.filter(overflows));
        for (const text of texts) {
            if (!still.has(text.cell)) text.most += step;
            else text.put?.(text.most);
        }
    }
}

/** @param {import("./types").Chip} chip */
export const chip = ({ look, title, text, rest }) => el("span", { class: `chip ${look}`, title }, text, rest && el("span", { class: "rest" }, ` ${rest}`));

/** Calls the function that `keys` has for the pressed key. Shortcuts of the browser, and keys
 * without a function, are left to the browser.
 * @param {KeyboardEvent} event @param {Record<string, () => void>} keys */
export function on_key(event, keys) {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
}

/* --------------------------------------------------------------------- copying */

/** Copies the text to the clipboard. If the browser denies this, shows a dialog in
 * which the text is selected.
 * @param {string} text @param {HTMLElement} button @param {string} label of the button */
async function copy(text, button, label) {
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = label), 1500);
    } catch {
        const dialog = /** @type {HTMLDialogElement} */ (by_id("copy"));
        const area = /** @type {HTMLTextAreaElement} */ (by_id("copy-text"));
        area.value = text;
        dialog.showModal();
        area.select();
    }
}

/** @param {string} label @param {() => string} text @param {string} [title] */
export function copy_button(label, text, title = "") {
    return el("button", { type: "button", class: "copy", title: title || undefined, click: (event) => copy(text(), event.currentTarget, label) }, label);
}

/* ------------------------------------------------------------- groups of buttons */

const MEMBERS = "a[href], button, summary";

/** @param {HTMLElement} group @returns {HTMLElement[]} */
const members_of = (group) => /** @type {HTMLElement[]} */ ([...group.querySelectorAll(MEMBERS)]).filter((one) => one.getClientRects().length > 0);

/** Sets the member that gets the focus when the Tab key enters its group.
 * @param {HTMLElement[]} members @param {number} at */
function settle(members, at) {
    members.forEach((one, i) => one.setAttribute("tabindex", i === at ? "0" : "-1"));
}

/** @param {HTMLElement} group @param {KeyboardEvent} event */
function rove(group, event) {
    const members = members_of(group);
    const at = members.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    /** @param {number} to */
    const move = (to) => () => members[to]?.focus();
    const [next, previous] = [move(at + 1), move(at - 1)];
    on_key(event, { ArrowRight: next, ArrowDown: next, ArrowLeft: previous, ArrowUp: previous, Home: move(0), End: move(members.length - 1) });
}

/** Makes a group a single stop of the Tab key: the member that had the focus last. Arrow
 * keys move the focus within the group. Without groups, keyboard users would have to pass a hundred links to reach the
 * rows.
 * @param {HTMLElement} group */
export function group_of(group) {
    group.addEventListener("keydown", (event) => rove(group, event));
    group.addEventListener("focusin", () => {
        const members = members_of(group);
        const at = members.indexOf(/** @type {HTMLElement} */ (document.activeElement));
        if (at >= 0) settle(members, at);
    });
}

/** Renders the contents of groups again and keeps the focus on the member at the same position.
 * @param {HTMLElement[]} groups @param {() => void} render */
export function within_groups(groups, render) {
    const focused = groups.map((group) => members_of(group).indexOf(/** @type {HTMLElement} */ (document.activeElement)));
    render();
    groups.forEach((group, i) => {
        const members = members_of(group);
        const at = Math.min(focused[i] ?? -1, members.length - 1);
        settle(members, Math.max(at, 0));
        if (at >= 0) members[at]?.focus({ preventScroll: true });
    });
}
