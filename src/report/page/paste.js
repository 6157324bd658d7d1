/*
 * Names to paste into what builds the engine, in the forms of the view `names`
 * (report/view/names.c); a test holds both to the same lines.
 */
import { is_plain } from "./words.js";
import { rank } from "./chips.js";

/** @typedef {{name: string, type: string}} Named */

/** @param {string} type */
const trtexec_type = (type) => (type === "tf32" ? "fp32" : type);

/** @param {string} type */
function polygraphy_type(type) {
    if (rank(type) === 4) return "float32";
    if (rank(type) === 3) return type === "bf16" ? "bfloat16" : "float16";
    return type;
}

/** @param {string} name */
const python_string = (name) => `"${name.replace(/["\\]/g, "\\$&")}"`;

/** @type {Record<string, {cannot: RegExp, head: string, tail: string, between: string, row: (n: Named) => string}>} */
const FORMS = {
    list: { cannot: /[\n\r]/, head: "", tail: "", between: "\n", row: (n) => n.name },
    layerPrecisions: {
        cannot: /[,:*'\n\r]/,
        head: "--precisionConstraints=obey --layerPrecisions='",
        tail: "'",
        between: ",",
        row: (n) => `${n.name}:${trtexec_type(n.type)}`,
    },
    nodes_to_exclude: {
        cannot: /[^\s\S]/,
        head: "nodes_to_exclude = [",
        tail: "]",
        between: ", ",
        row: (n) => python_string(n.name),
    },
    polygraphy: {
        cannot: /[:'\n\r]|^-/,
        head: "--precision-constraints obey --layer-precisions ",
        tail: "",
        between: " ",
        row: (n) => `'${n.name}:${polygraphy_type(n.type)}'`,
    },
};

/** A name that a form cannot hold, or that does not show as it is, is left out.
 * @param {Named[]} names @returns {{form: string, text: string, left_out: number}[]} */
export function pasted(names) {
    return Object.entries(FORMS).map(([form, f]) => {
        const held = names.filter((n) => n.name && is_plain(n.name) && !/##|^\s*::/.test(n.name) && !f.cannot.test(n.name));
        const text = held.length ? f.head + held.map(f.row).join(f.between) + f.tail : "";
        return { form, text, left_out: names.length - held.length };
    });
}
