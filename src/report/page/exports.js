/*
 * Two exports as a subject. A block is a changed node. Its left side shows the node in
 * the old export, its right side the node in the new export. Each change has a line.
 */
import { item, rank, word_chip } from "./chips.js";
import { cut_modules, module_of_name } from "./modules.js";
import { table_of } from "./records.js";
import { block_of, make_subject, placed } from "./subject.js";
import { apart, count, grouped, noun, safe } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").ExportChange} ExportChange */
/** @typedef {import("./types").ExportsDocument} ExportsDocument */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Subject} Subject */

const WHAT = ["quantization", "cast", "added", "removed", "reads", "attribute", "constant", "type", "shape", "port", "model"];

/** Colors a text such as "int8 scale 0.05" by the type at its beginning. @param {string | undefined} text */
function value_chip(text) {
    const first = text?.match(/^\w+/)?.[0] ?? "";
    return word_chip(text || "–", rank(first) ? `type-${rank(first)}` : "why");
}

/** A key for the block of a change. Changes of one node share a block, so the key is
 * the node's names in both exports. If a change belongs to no node, the key is the part
 * of the model that changed. @param {ExportChange} c */
const place_of = (c) => (c.old === undefined && c.new === undefined ? `${c.what} ${c.of ?? ""}` : `${c.old ?? ""}\n${c.new ?? ""}`);

/** @param {ExportChange[]} changes @param {"old" | "new"} side @returns {Item[]} */
function side_items(changes, side) {
    const name = changes[0]?.[side];
    const whole = changes[0]?.old === undefined && changes[0]?.new === undefined;
    if (name === undefined && !whole) return [];
    return changes.map((c, i) => item(i ? "" : c.op ?? c.what, i ? "" : name ?? "", [...(c.of ? [word_chip(c.of, "why")] : []), value_chip(side === "old" ? c.was : c.now)]));
}

/** @param {ExportChange[]} changes @param {number} at @param {(module: string) => string} cut @returns {Block} */
function change_block(changes, at, cut) {
    const [left, right] = [side_items(changes, "old"), side_items(changes, "new")];
    const name = changes[0]?.new ?? changes[0]?.old;
    return block_of({
        at,
        mark: !left.length ? "+" : !right.length ? "-" : "~",
        place: { chosen: name === undefined ? { kind: "change", id: String(at) } : { kind: "node", id: name }, record: () => change_record(changes, "") },
        left,
        right: [right],
        nodes: [changes[0]?.old ?? [], changes[0]?.new ?? []].flat(),
        facets: {
            what: [...new Set(changes.map((c) => c.what))],
            op: changes[0]?.op ? [changes[0].op] : [],
            module: name ? [cut(module_of_name(name))] : [],
            of: [...new Set(changes.flatMap((c) => c.of ?? []))],
        },
        names: () => changes.flatMap((c) => [c.old ?? "", c.new ?? "", c.op ?? "", c.what]),
    });
}

/** @param {ExportChange[]} changes of one block; empty: the node did not change @param {string} node the name of the node, used if `changes` is empty @returns {import("./types").Story} */
function change_record(changes, node) {
    const [one] = changes;
    const renamed = one?.old !== undefined && one.new !== undefined && one.old !== one.new;
    return {
        kind: one?.op ?? one?.what ?? "node",
        title: safe(one?.new ?? one?.old ?? one?.what ?? node),
        sections: [
            table_of("Aligned", "exports/changes", renamed ? [{ old: one.old, new: one.new }] : []),
            table_of("What changed", "exports/changes", changes.map(({ what, of, was, now }) => ({ what, of, was, now }))),
            { title: "What changed", lines: one ? [] : [["Nothing: this node is next to one that changed."]] },
        ],
    };
}

/** @param {ExportsDocument} d @returns {import("./types").Tile[]} */
function tiles_of(d) {
    return [
        { title: "exports", value: d.changes.length ? "differ" : "are equal", note: noun(d.changes.length, "change"), look: d.changes.length ? "alarm" : "good" },
        { title: "nodes", value: `${count(d.old.nodes)} → ${count(d.new.nodes)}`, note: `${d.old.computing} → ${d.new.computing} of them compute` },
        { title: "aligned", value: count(d.aligned), note: d.renamed ? `${noun(d.renamed, "node")} renamed` : "computing nodes in both" },
        ...[...grouped(d.changes, (c) => [c.what])].map(([what, { length }]) => ({ title: what, value: count(length), note: length === 1 ? "change" : "changes", look: "added", filter: /** @type {[string, string]} */ (["what", what]) })),
        ...(d.not_compared ? [{ title: "not compared", value: count(d.not_compared), note: "scales that were not read" }] : []),
    ];
}

/** @param {ExportsDocument} d @returns {Subject} */
export function exports_subject(d) {
    const groups = [...grouped(d.changes, (c) => [place_of(c)]).values()];
    const cut = cut_modules(groups.map(([c]) => module_of_name(c?.new ?? c?.old ?? "")));
    const blocks = groups.map((changes, i) => change_block(changes, i, cut));
    const [from = "", to = ""] = apart([d.old.model, d.new.model]);
    return make_subject({
        from,
        to,
        files: /** @type {const} */ (["old", "new"]).map((side) => [side, `${d[side].model}  (${d[side].exporter ?? "unknown exporter"})`]),
        verdict: d.changes.length ? { text: "exports differ", look: "alarm" } : { text: "no difference", look: "good" },
        sides: ["old export", "new export"],
        blocks,
        facets: [
            { name: "what", title: "What changed", order: WHAT, open: true, chart: true },
            { name: "of", title: "Where", open: true, chart: true },
            { name: "op", title: "Operator", open: true, chart: true },
            { name: "module", title: "Module", open: true, chart: true },
        ],
        chart_note: "Weights are not compared.",
        tiles: tiles_of(d),
        others: ({ kind, id }) => (kind === "node" ? change_record([], id) : null),
        ...placed("node"),
    });
}
