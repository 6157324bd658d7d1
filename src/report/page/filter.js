/*
 * Decides which blocks are shown. A facet is a property of blocks, such as the kind of
 * layer. A block passes a facet if it has at least one of the facet's selected values.
 * It is shown if it passes all facets and has all words of the search: "reformat or
 * copy, and in the module encoder, and named conv".
 */
import { key_of, same_chosen } from "./state.js";
import { once, safe } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").State} State */

/** The text that a search examines, made by the first search. @param {Block} block */
function text_of(block) {
    block.text ??= block.names().map((name) => (name + (safe(name) === name ? "" : ` ${safe(name)}`)).toLowerCase()).join("\n");
    return block.text;
}

/** @param {Block[]} blocks @param {State} state
 * @param {string} [but] a facet whose selected values are ignored */
export function filtered(blocks, state, but) {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const picks = [...state.picks].filter(([facet]) => facet !== but);
    return blocks.filter(
        (block) =>
            picks.every(([facet, values]) => block.facets[facet]?.some((value) => values.has(value))) &&
            words.every((word) => text_of(block).includes(word))
    );
}

/** Counts, for each value of a facet, the objects that have the value, such as nodes or
 * findings. Only blocks that pass the search and all other facets are examined. In a
 * block, the object units()[facet][i] has the value facets[facet][i]. If a block has no
 * `units` for the facet, the block itself is the object. If several blocks have the
 * same object, it is counted once for each value.
 * @param {Block[]} blocks @param {State} state @param {string} facet @returns {Map<string,
 * number>} */
export function tally(blocks, state, facet) {
    /** @type {Map<string, Set<unknown>>} */
    const counted = new Map([...(state.picks.get(facet) ?? [])].map((value) => [value, new Set()]));
    for (const block of filtered(blocks, state, facet)) {
        const units = block.units?.()[facet];
        (block.facets[facet] ?? []).forEach((value, i) => {
            const known = counted.get(value) ?? new Set();
            counted.set(value, known.add(units?.[i] ?? block));
        });
    }
    return new Map([...counted].map(([value, units]) => [value, units.size]));
}

/** The values of a facet in the order in which they are shown.
 * @param {Map<string, number>} sums
 * @param {string[]} [order] values to list first; the others follow by falling sum
 * @returns {[string, number][]} */
export function ordered(sums, order = []) {
    /** @param {string} value */
    const place = (value) => (order.includes(value) ? order.indexOf(value) : order.length);
    return [...sums].sort(([a, n], [b, m]) => place(a) - place(b) || m - n || (a < b ? -1 : 1));
}

/** The keys of all objects that users can select in the blocks. @param {Block[]} blocks */
export const keys_of = (blocks) => new Set(blocks.flatMap((block) => block.keys()));

/** Returns a function that finds the block and the item of a selection. The block is
 * the first block that has the selected item. If no block has it, the function takes
 * the first block that contains the selected node. If the block lacks the selected
 * item, the function returns the first selectable item of the block instead.
 * @param {Block[]} blocks @param {(chosen: Chosen) => Chosen | null} settled @returns {(chosen: Chosen) => {block: Block, item: import("./types").Item} | null} */
export function finder(blocks, settled) {
    /** @type {() => Map<string, Block>} */
    const places = once(() => {
        const own = blocks.flatMap((block) => block.keys().map((key) => /** @type {const} */ ([key, block])));
        const nodes = blocks.flatMap((block) => (block.nodes ?? []).map((id) => /** @type {const} */ ([key_of({ kind: "node", id }), block])));
        return new Map([...own, ...nodes].reverse()); /* a Map keeps the last of equal keys */
    });
    return (asked) => {
        const chosen = settled(asked);
        const block = chosen && places().get(key_of(chosen));
        const items = block ? [...block.items().right.flat(), ...block.items().left] : [];
        const item = items.find((i) => same_chosen(chosen, i.chosen)) ?? items.find((i) => i.chosen);
        return block && item ? { block, item } : null;
    };
}
