/*
 * Decides which blocks are shown. The selected values of one facet are alternatives; all facets and
 * all words of the search must match: "reformat or copy, and below encoder/, and named conv".
 */
import { key_of, same_chosen } from "./state.js";
import { once, safe } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").State} State */

/** @param {Block} block @param {string} facet @param {Set<string>} values */
function has(block, facet, values) {
    return block.facets[facet]?.some((value) => values.has(value)) ?? false;
}

/** @param {string} query */
function words_of(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {Block} block @param {State} state @param {string[]} words @param {string} but */
function passes(block, state, words, but) {
    for (const [facet, values] of state.picks) if (facet !== but && !has(block, facet, values)) return false;
    return words.every((word) => block.text().includes(word));
}

/** @param {Block[]} blocks @param {State} state @param {string} [but] a facet that is not looked at */
export function filtered(blocks, state, but = "") {
    const words = words_of(state.query);
    if (!words.length && !state.picks.size) return blocks;
    return blocks.filter((block) => passes(block, state, words, but));
}

/** Counts the objects of each value of a facet, as if no value of the facet were selected. The
 * objects are nodes, layers or findings, each counted once, if the blocks state them; otherwise
 * they are the blocks.
 * @param {Block[]} blocks @param {State} state @param {string} facet @returns {Map<string,
 * number>} */
export function tally(blocks, state, facet) {
    /** @type {Map<string, Set<unknown>>} */
    const counted = new Map();
    for (const block of filtered(blocks, state, facet)) {
        const units = block.units?.()[facet];
        (block.facets[facet] ?? []).forEach((value, i) => {
            const known = counted.get(value) ?? new Set();
            counted.set(value, known.add(units?.[i] ?? block));
        });
    }
    for (const value of state.picks.get(facet) ?? []) if (!counted.has(value)) counted.set(value, new Set());
    return new Map([...counted].map(([value, units]) => [value, units.size]));
}

/** The values of a facet in the order in which they are shown.
 * @param {Map<string, number>} sums @param {string[] | undefined} order @returns {[string, number][]} */
export function ordered(sums, order) {
    /** @param {string} value */
    const place = (value) => (order?.includes(value) ? order.indexOf(value) : Infinity);
    return [...sums].sort(
        (a, b) => (place(a[0]) === place(b[0]) ? b[1] - a[1] || (a[0] < b[0] ? -1 : 1) : place(a[0]) - place(b[0]))
    );
}

/** The text that a search examines. @param {string[]} names */
export function search_text(names) {
    return names.map((name) => (name + (safe(name) === name ? "" : ` ${safe(name)}`)).toLowerCase()).join("\n");
}

/** @param {Block} block */
const keys_of = (block) => block.keys();
/** @param {Block} block */
const nodes_of = (block) => (block.nodes ?? []).map((id) => key_of({ kind: "node", id }));

/** Finds the first block that shows the selection, or else the first one that contains the node of
 * that name, and its item: the selected one, or else the first one that can be selected.
 * @param {Block[]} blocks @param {(chosen: Chosen) => Chosen | null} settled @returns {(chosen: Chosen) => {block: Block, item: import("./types").Item} | null} */
export function finder(blocks, settled) {
    /** @type {() => Map<string, Block>} */
    const places = once(() => {
        const first = new Map();
        for (const keys of [keys_of, nodes_of]) for (const block of blocks) for (const key of keys(block)) if (!first.has(key)) first.set(key, block);
        return first;
    });
    return (asked) => {
        const chosen = settled(asked);
        const block = chosen && places().get(key_of(chosen));
        const items = block ? [...block.items().right.flat(), ...block.items().left] : [];
        const item = items.find((i) => same_chosen(chosen, i.chosen)) ?? items.find((i) => i.chosen);
        return block && item ? { block, item } : null;
    };
}
