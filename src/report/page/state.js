/*
 * The state of the page and the link to it: the part of the address after "#" is the whole state,
 *
 *     #layer=12                          a layer is chosen
 *     #node=Conv_34                      a node, by its name if no other node has it, else #node=#34
 *     #view=graph&kind=reformat&q=conv   a view, a filter, a search
 *
 * so that a link, back, forward and a reload all show the same state.
 */

/** @typedef {import("./types").State} State */

const CHOSEN = new Set(["layer", "node", "region", "row", "change", "check", "source"]);
/** Keys of the address that are no filters. */
const OWN = new Set(["view", "q", "sort", "picture"]);

/** @param {string} hash @returns {State} */
export function read_state(hash) {
    /** @type {State} */
    const state = { view: "", query: "", sort: "", picks: new Map(), chosen: null, picture: 0 };
    for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
        if (name === "view") state.view = value;
        else if (name === "q") state.query = value;
        else if (name === "sort") state.sort = value;
        else if (name === "picture") state.picture = Number(value) || 0;
        else if (CHOSEN.has(name)) state.chosen = { kind: name, id: value };
        else if (!OWN.has(name)) {
            const values = state.picks.get(name) ?? new Set();
            state.picks.set(name, values.add(value));
        }
    }
    return state;
}

/** Escapes as few characters as possible, because people read and type links. @param {string} text */
function escaped(text) {
    return encodeURIComponent(text).replace(/%(2F|3A|2C|23|40|24)/g, (c) => decodeURIComponent(c));
}

/** @param {State} state */
export function print_state(state) {
    /** @type {string[]} */
    const parts = [];
    /** @param {string} name @param {string} value */
    const add = (name, value) => parts.push(`${escaped(name)}=${escaped(value)}`);
    if (state.view) add("view", state.view);
    if (state.picture) add("picture", String(state.picture));
    for (const [name, values] of state.picks) for (const value of values) add(name, value);
    if (state.query) add("q", state.query);
    if (state.sort) add("sort", state.sort);
    if (state.chosen) add(state.chosen.kind, state.chosen.id);
    return `#${parts.join("&")}`;
}

/** Returns a copy with some members changed.
 * @param {State} state @param {Partial<State>} change @returns {State} */
export function changed(state, change) {
    return { ...state, ...change };
}

/** Returns a copy in which the filter has the value or, if it already had the value, does not have
 * it.
 * @param {State} state @param {string} facet @param {string} value */
export function toggled(state, facet, value) {
    const picks = new Map([...state.picks].map(([name, values]) => [name, new Set(values)]));
    const values = picks.get(facet) ?? new Set();
    if (!values.delete(value)) values.add(value);
    if (values.size) picks.set(facet, values);
    else picks.delete(facet);
    return changed(state, { picks });
}

/** @param {import("./types").Chosen} chosen */
export const key_of = (chosen) => `${chosen.kind} ${chosen.id}`;

/** @param {import("./types").Chosen | null} a @param {import("./types").Chosen | null | undefined} b */
export function same_chosen(a, b) {
    return a === b || (!!a && !!b && a.kind === b.kind && a.id === b.id);
}
