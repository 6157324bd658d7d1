/*
 * Creates elements. A string becomes a text node, never markup, so no name from a file can become
 * an element or a script.
 */

import { DATA, NAME } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
    for (const child of children) if (child) element.append(child);
}

/** @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, string>} attributes @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]} */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name] ?? "");
    append(element, children);
    return element;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...Child} children
 * @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
    const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
    for (const name in attributes) element.setAttribute(name, String(attributes[name]));
    append(element, children);
    return element;
}

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

const LONG = 28; /* length in characters; shorter words are never broken */
const LONGER = 60; /* paths longer than this may be broken inside their parts */

/** A chain of fused operators. */
const CHAIN = /[A-Za-z]\+[A-Za-z]/;
/** The places between the parts of a path. */
const PATH = /(?<=[/+,])(?=[^\s/+,])/;

/** @param {string} text @param {RegExp} where @returns {Child[]} */
const parted = (text, where) => text.split(where).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));

/** A name whose line may be broken after any of its parts. @param {string} name */
const in_parts = (name) => parted(name, NAME);

/** A text in which lines may be broken inside long paths, names and chains of operators, but
 * only after a separator.
 * @param {string} text @returns {Child[]} */
export const breakable = (text) =>
    text.split(/(?<=\s)(?=\S)/).flatMap((word) => (word.length < LONG && !CHAIN.test(word) ? [word] : parted(word, word.includes("/") && word.length < LONGER ? PATH : NAME)));

/* -------------------------------------------------------------------- fitting */

/** By element: a function that shows its text with at most `most` characters.
 * @type {WeakMap<Element, (most: number) => void>} */
const shorter = new WeakMap();

/** An element whose text is shortened if its cell is too narrow (see fit()). A name is split
 * into parts only in cells of several lines, because a screen reader pauses between the parts.
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

/** Removes the last chip of a cell, and counts it. The chip of the cause is removed after all
 * others.
 * @param {Element} cell @returns {boolean} whether there was one */
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

/** Makes the contents of cells fit: first names lose parts of their paths, then the font gets
 * smaller, then chips are replaced by their number. No word is cut unless it is data. To avoid
 * repeated layout, all cells are changed before any is measured.
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
export function chip(chip) {
    const attributes = { class: `chip ${chip.look}` };
    return el("span", chip.title ? { ...attributes, title: chip.title } : attributes, chip.text, chip.rest ? el("span", { class: "rest" }, ` ${chip.rest}`) : null);
}

/* --------------------------------------------------------------------- copying */

/** If the browser denies access to the clipboard, shows the text selected in a dialog.
 * @param {string} text @param {HTMLElement} button */
async function copy(text, button) {
    const label = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const dialog = /** @type {HTMLDialogElement} */ (by_id("copy"));
        const area = /** @type {HTMLTextAreaElement} */ (by_id("copy-text"));
        area.value = text;
        dialog.showModal();
        area.select();
        return;
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
}

/** @param {string} label @param {() => string} text @param {string} [title] */
export function copy_button(label, text, title = "") {
    const button = el("button", { type: "button", class: "copy", ...(title && { title }) }, label);
    button.addEventListener("click", () => copy(text(), button));
    return button;
}

/* ------------------------------------------------------------- groups of buttons */

const MEMBERS = "a[href], button, summary";

/** @param {HTMLElement} group @returns {HTMLElement[]} */
const members_of = (group) => /** @type {HTMLElement[]} */ ([...group.querySelectorAll(MEMBERS)]).filter((one) => one.getClientRects().length > 0);

/** Sets the member of the group to which Tab moves the focus.
 * @param {HTMLElement[]} members @param {number} at */
function settle(members, at) {
    members.forEach((one, i) => one.setAttribute("tabindex", i === at ? "0" : "-1"));
}

/** @param {HTMLElement} group @param {KeyboardEvent} event */
function rove(group, event) {
    const members = members_of(group);
    const at = members.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const last = members.length - 1;
    /** @type {Record<string, number>} */
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    const next = to[event.key];
    if (at < 0 || next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const one = members[Math.min(Math.max(next, 0), last)];
    if (one) settle(members, members.indexOf(one));
    one?.focus();
}

/** A group is a single stop of Tab; the arrow keys move within it. This keeps a page with a
 * hundred links short for keyboard users.
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
