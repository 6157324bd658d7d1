/*
 * The state of the page. The part of the address after "#" is the whole state, so that
 * a link, back, forward and a reload all show the same state:
 *
 *     #layer=12                          a layer is chosen
 *     #node=Conv_34                      a node is chosen by its name
 *     #node=#34                          a node whose name is not unique is chosen by
 *                                        its number
 *     #view=graph&kind=reformat&q=conv   a view, a filter, a search
 */

/** @typedef {import("./types").State} State */

const CHOSEN = new Set(["layer", "node", "region", "row", "change", "check", "source"]);

/** @param {string} hash @returns {State} */
export function read_state(hash) {
    /** @type {State} */
    const state = { view: "", picture: 0, q: "", sort: "", picks: new Map(), chosen: null };
    for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
        if (CHOSEN.has(name)) state.chosen = { kind: name, id: value };
        else if (name === "view" || name === "q" || name === "sort") state[name] = value;
        else if (name === "picture") state.picture = Number(value) || 0;
        else state.picks.set(name, (state.picks.get(name) ?? new Set()).add(value));
    }
    return state;
}

/** Escapes as few characters as possible, because people read and type links. @param {string} text */
function escaped(text) {
    return encodeURIComponent(text).replace(/%(2F|3A|2C|23|40|24)/g, (c) => decodeURIComponent(c));
}

/** @param {State} state */
export function print_state({ view, picture, picks, q, sort, chosen }) {
    const filters = [...picks].flatMap(([name, values]) => [...values].map((value) => [name, value]));
    /** @param {string} name @param {string} value */
    const text = (name, value) => (value ? [[name, value]] : []);
    const pairs = [...text("view", view), ...text("picture", String(picture || "")), ...filters, ...text("q", q), ...text("sort", sort), ...(chosen ? [[chosen.kind, chosen.id]] : [])];
    return `#${pairs.map((pair) => pair.map(escaped).join("=")).join("&")}`;
}

/** Returns a copy in which the value is added to the filter or, if the filter already
 * has it, removed from the filter.
 * @param {State} state @param {string} facet @param {string} value */
export function toggled(state, facet, value) {
    const picks = structuredClone(state.picks);
    const values = picks.get(facet) ?? new Set();
    if (!values.delete(value)) values.add(value);
    if (values.size) picks.set(facet, values);
    else picks.delete(facet);
    return { ...state, picks };
}

/** @param {import("./types").Chosen} chosen */
export const key_of = (chosen) => `${chosen.kind} ${chosen.id}`;

/** @param {string} key @returns {import("./types").Chosen} */
export function chosen_of_key(key) {
    const at = key.indexOf(" ");
    return { kind: key.slice(0, at), id: key.slice(at + 1) };
}

/** @param {import("./types").Chosen | null} a @param {import("./types").Chosen | null | undefined} b */
export const same_chosen = (a, b) => a?.kind === b?.kind && a?.id === b?.id;
