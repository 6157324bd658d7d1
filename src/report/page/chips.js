/* Chips that several subjects have in common. */
import { noun, safe } from "./words.js";

/** @typedef {import("./types").Chip} Chip */
/** @typedef {import("./types").Item} Item */
/** The type and layout of a port, or of the data before or after a data-movement layer.
 * @typedef {{type: string, layout?: string}} Form */

/** The rank, by number of bits, of each type that has a precision (model/graph/dtype.c). */
const RANKS = {
    fp64: 5, fp32: 4, tf32: 4, bf16: 3, fp16: 3, int16: 3, uint16: 3,
    fp8: 2, fp8e4m3fnuz: 2, fp8e5m2: 2, fp8e5m2fnuz: 2, fp8e8m0: 2, int8: 2, uint8: 2,
    fp4: 1, int4: 1, uint4: 1,
};

/** Returns 0 if the type has no precision. @param {string} type */
export function rank(type) {
    return /** @type {Record<string, number>} */ (RANKS)[type] ?? 0;
}

/** @param {string} type @param {string} [rest] @returns {Chip} */
export function type_chip(type, rest) {
    return { text: safe(type), look: `type-${rank(type)}`, ...(rest && { rest: safe(rest), title: safe(`${type} ${rest}`) }) };
}

/** @param {string} text @param {string} look @param {string} [title] @returns {Chip} */
export function word_chip(text, look, title = "") {
    return { text: safe(text), look, ...(title && { title }) };
}

/** @type {Chip} */
const ARROW = { text: "→", look: "arrow" };

/** Lists the types and layouts of one side of a layer, each once. Types without a
 * precision, such as those of shapes and masks, are listed only if there are no others.
 * @param {Form[]} ports */
function forms_of(ports) {
    const forms = new Map(ports.map((p) => [`${p.type} ${p.layout ?? ""}`, p]));
    const telling = [...forms].filter(([, p]) => rank(p.type));
    return telling.length ? telling : [...forms].filter(([, p]) => p.type !== "unknown");
}

/** Shows how `outputs` differ from `inputs`: "int8 chw4 → fp16 chw32".
 * @param {Form[]} inputs @param {Form[]} outputs @returns {Chip[]} */
export function change_chips(inputs, outputs) {
    const [from, to] = [forms_of(inputs), forms_of(outputs)];
    /** @param {[string, Form][]} forms */
    const types = (forms) => [...new Set(forms.map(([, p]) => p.type))].join();
    /** @param {[string, Form][]} forms @param {boolean} [whole] */
    const chips = (forms, whole = false) => forms.slice(0, 3).map(([form, p]) => (whole ? word_chip(form, `type-${rank(p.type)}`) : type_chip(p.type, p.layout)));
    if (from.map(([form]) => form).join() === to.map(([form]) => form).join()) return chips(to);
    if (!from.length || !to.length) return chips([...from, ...to]);
    const moved = types(from) === types(to); /* If only layouts change, show the layouts */
    return [...chips(from, moved), ARROW, ...chips(to, moved)];
}


/** Chips of layers that compute the same nodes.
 * @param {{kind: string, precision: string, layers: number}} g */
export function group_chips({ kind, precision, layers }) {
    const what = kind === "compute" ? [] : [word_chip(kind, `kind-${kind}`)];
    const several = layers > 1 ? [word_chip(`×${layers}`, "region", noun(layers, "layer"))] : [];
    return [type_chip(precision || "?"), ...what, ...several];
}

/** @param {string} word @param {string} name @param {Chip[]} [chips] @returns {Item} */
export function item(word, name, chips = []) {
    return { word, name, chips };
}
