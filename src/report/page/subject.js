/*
 * What all subjects have in common: how blocks, measures and rules are made, and how a selection is
 * found in the blocks and in the pictures.
 */
import { finder } from "./filter.js";
import { key_of } from "./state.js";
import { grouped, safe } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Subject} Subject */

/** Number of colors of groups. Pictures have the same number (diff_label.c). */
export const TINTS = 6;
/** Maps a block's mark to the block's level. The style sheet colors rows by level. */
const LEVELS = { "": "plain", "+": "added", "-": "removed", "?": "doubtful", "~": "changed" };

/** Makes the measures of a subject. Measures with the same `print` form a group. All
 * bars of a group have the same scale. A group is left out if its measures are 0 or
 * unknown in all blocks.
 * @param {import("./types").OwnMeasure[]} measures @param {Block[]} blocks @returns {import("./types").Measure[]} */
function measures_of(measures, blocks) {
    const largest = measures.map((_, i) => blocks.reduce((most, b) => Math.max(most, Math.abs(b.measures?.[i] ?? 0)), 0));
    return measures.flatMap((m, at) => {
        const most = Math.max(...largest.filter((_, i) => measures[i]?.print === m.print));
        return most > 0 ? [{ signed: false, total: null, ...m, at, most, of: (b) => b.measures?.[at] ?? null }] : [];
    });
}

/** Makes a block of few items. The items are made here, not when items() is first
 * called. Each item selects the block.
 * @param {import("./types").SmallBlock} own @returns {Block} */
export function block_of({ place, left, right, ...own }) {
    /** @param {import("./types").Item[]} side */
    const placed = (side) => side.map((one) => ({ ...one, ...place }));
    const items = { left: placed(left), folded: null, right: right.map(placed) };
    return {
        tint: 0,
        level: LEVELS[own.mark],
        counts: { left: left.length, folded: 0, right: Math.max(0, ...right.map(({ length }) => length)) },
        items: () => items,
        keys: () => [key_of(place.chosen)],
        ...own,
    };
}

/** Groups findings by rule. `state_of` returns the state of a rule; its argument is the
 * list of the rule's findings.
 * @template {{rule: string, severity: string, message: string, where: import("./types").Pieces, todo?: string}} F
 * @param {F[]} findings @param {(found: F[]) => string} state_of @returns {import("./types").RuleRow[]} */
export function rules_of(findings, state_of) {
    return [...grouped(findings, (f) => [f.rule])].map(([rule, found]) => ({
        rule,
        state: state_of(found),
        findings: found.map(({ severity, message, where, todo }) => ({ severity, message: safe(message), where, ...(todo && { todo: safe(todo) }) })),
    }));
}

/** For pictures of two builds or exports, returns box_of(), which finds the box of a block,
 * and chosen_of(), which finds the block of a box. A block is identified by `kind` and
 * a number, or the name of its node. A box on the new side, "n", precedes one on the old.
 * @param {string} kind @returns {Pick<Subject, "box_of" | "chosen_of">} */
export function placed(kind) {
    return {
        box_of(chosen, { places = {}, nodes = {} }) {
            const groups = Object.entries(places).flatMap(([side, all]) => all.map((place, i) => [`${side}${i}`, String(place)]));
            const own = [...groups, ...Object.entries(nodes)].flatMap(([box = "", id]) => (chosen.kind === kind && chosen.id === id ? box : []));
            return own.find((box) => box.startsWith("n")) ?? own[0] ?? null;
        },
        chosen_of(box, { places, nodes }) {
            const id = nodes?.[box] ?? places?.[box.charAt(0)]?.[Number(box.slice(1))];
            return id === undefined ? null : { kind, id: String(id) };
        },
    };
}

/** @param {import("./types").Own} own @returns {Subject} */
export function make_subject({ settled = (chosen) => chosen, others = () => null, ...own }) {
    const find = finder(own.blocks, settled);
    const measures = measures_of(own.measures ?? [], own.blocks);
    const key = measures.find((m) => m.signed) ?? measures[0];
    return {
        title: own.from ? `${own.from} → ${own.to}` : own.to,
        verdict: null,
        left: 13,
        chart_note: "",
        legend: [],
        first_filters: [],
        tables: [],
        brief: [],
        rules: [],
        rules_title: "",
        waterfall: null,
        roofline: null,
        sources: null,
        first_view: "diff",
        ...own,
        measures,
        key,
        weight: (block) => Math.abs(key?.of(block) ?? 0),
        charts: own.facets.filter((f) => f.chart).map(({ name, title }) => ({ facet: name, title })),
        find,
        record: (chosen) => find(chosen)?.item.record?.() ?? others(chosen),
        box_of(chosen, picture) {
            const item = find(chosen)?.item;
            return item?.box ?? own.box_of?.(item?.chosen ?? chosen, picture) ?? null;
        },
    };
}
