/*
 * Names to paste into what builds the engine, or makes its model: the forms of the view `names`
 * (report/view/names.c), of which the page has those that the engine's builder takes.
 *
 *     {"form":"layerPrecisions", "text":"<--layerPrecisions='{held!}'\n>...", "row":"{name}:{trtexec}", ...}
 */
import { is_plain, safe } from "./words.js";
import { rank } from "./chips.js";

/** @typedef {import("./types").PasteForm} PasteForm */
/** @typedef {{name: string, type: string}} Named */

/** The command that tells the same in a terminal. @param {string} code @returns {import("./types").Section} */
export const command_section = (code) => ({ title: "In a terminal", code: safe(code) });

/** @param {string} type */
function polygraphy_type(type) {
    if (rank(type) === 4) return "float32";
    if (rank(type) === 3) return type === "bf16" ? "bfloat16" : "float16";
    return type;
}

/** What a row of a form may hold. @type {Record<string, (n: Named) => string>} */
const PIECES = {
    name: (n) => n.name,
    trtexec: (n) => (n.type === "tf32" ? "fp32" : n.type),
    polygraphy: (n) => polygraphy_type(n.type),
    quoted: (n) => `"${n.name.replace(/["\\]/g, "\\$&")}"`,
    pattern: (n) => `^${n.name.replace(/[.^$*+?{}[\]\\|()]/g, "\\$&")}$`,
};

/** A name that a form cannot hold, or that does not show as it is, is left out.
 * @param {Named[]} names @param {PasteForm} form */
function held_by(names, form) {
    return names.filter(({ name }) => name && is_plain(name) && !/##|^\s*::/.test(name) && ![...form.cannot].some((c) => name.includes(c)) && !(form.words && name.startsWith("-")));
}

/** Each text once: forms that are alike stand together.
 * @param {Named[]} names @param {PasteForm[]} forms @returns {{form: string, code: string, left_out: number}[]} */
export function pasted(names, forms) {
    /** @type {Map<string, {form: string, code: string, left_out: number}>} */
    const by_code = new Map();
    for (const form of forms) {
        const held = held_by(names, form);
        const rows = held.map((n) => form.row.replace(/\{(\w+)\}/g, (_, piece) => PIECES[piece]?.(n) ?? ""));
        const [, head = "", tail = ""] = form.text.match(/^<([^]*?)\{held!\}([^]*?)\n>/) ?? [];
        const code = held.length ? head + rows.join(form.between) + tail : "";
        const alike = by_code.get(code);
        if (alike) alike.form += `, ${form.form}`;
        else by_code.set(code, { form: form.form, code, left_out: names.length - held.length });
    }
    return [...by_code.values()];
}
