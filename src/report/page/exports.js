/*
 * Two exports as a subject: blocks are the nodes that changed, that of the old export on the
 * left and that of the new one on the right, a line for each change of it.
 */
import { item, rank, word_chip } from "./chips.js";
import { finder, search_text } from "./filter.js";
import { cut_modules, module_of_name } from "./modules.js";
import { command_section } from "./markdown.js";
import { key_of } from "./state.js";
import { apart, base_name, count, noun, once, safe } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").ExportChange} ExportChange */
/** @typedef {import("./types").ExportsDocument} ExportsDocument */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Subject} Subject */

const WHAT = ["quantization", "cast", "added", "removed", "reads", "attribute", "constant", "type", "shape", "port", "model"];

/** The type that a text begins with gives it its colour: "int8 scale 0.05".
 * @param {string | undefined} text */
function value_chip(text) {
    const first = text?.match(/^\w+/)?.[0] ?? "";
    return word_chip(text || "–", rank(first) ? `type-${rank(first)}` : "why");
}

/** Changes of one node, or of the model as a whole, are one block's.
 * @param {ExportChange} c */
const place_of = (c) => (c.old === undefined && c.new === undefined ? `${c.what} ${c.of ?? ""}` : `${c.old ?? ""}\n${c.new ?? ""}`);

/** @param {ExportChange[]} changes of one block @param {number} at @returns {Chosen} */
function choose(changes, at) {
    const name = changes[0]?.new ?? changes[0]?.old;
    return name === undefined ? { kind: "change", id: String(at) } : { kind: "node", id: name };
}

/** @param {ExportChange[]} changes @param {"old" | "new"} side @param {Chosen} chosen @returns {Item[]} */
function side_items(changes, side, chosen) {
    const name = changes[0]?.[side];
    const whole = changes[0]?.old === undefined && changes[0]?.new === undefined;
    if (name === undefined && !whole) return [];
    return changes.map((c, i) => ({
        ...item(i ? "" : c.op ?? c.what, i ? "" : name ?? "", [...(c.of ? [word_chip(c.of, "why")] : []), value_chip(side === "old" ? c.was : c.now)]),
        chosen,
    }));
}

/** @param {ExportChange[]} changes @param {number} at @param {(module: string) => string} cut @returns {Block} */
function change_block(changes, at, cut) {
    const chosen = choose(changes, at);
    const [left, right] = [side_items(changes, "old", chosen), side_items(changes, "new", chosen)];
    const name = changes[0]?.new ?? changes[0]?.old ?? "";
    return {
        at,
        tint: 0,
        mark: !left.length ? "+" : !right.length ? "-" : "~",
        level: !left.length ? "added" : !right.length ? "removed" : "changed",
        counts: { left: left.length, folded: 0, right: right.length },
        items: () => ({ left, folded: null, right: [right] }),
        keys: () => [key_of(chosen)],
        measures: [],
        facets: {
            what: [...new Set(changes.map((c) => c.what))],
            op: changes[0]?.op ? [changes[0].op] : [],
            module: name ? [cut(module_of_name(name))] : [],
            of: [...new Set(changes.flatMap((c) => c.of ?? []))],
        },
        text: once(() => search_text(changes.flatMap((c) => [c.old ?? "", c.new ?? "", c.op ?? "", c.what]))),
    };
}

/** @param {ExportsDocument} d @returns {import("./types").Tile[]} */
function tiles_of(d) {
    /** @type {Map<string, number>} */
    const by_what = new Map();
    for (const { what } of d.changes) by_what.set(what, (by_what.get(what) ?? 0) + 1);
    return [
        { title: "exports", value: d.changes.length ? "differ" : "are equal", note: noun(d.changes.length, "change"), look: d.changes.length ? "alarm" : "good" },
        { title: "nodes", value: `${count(d.old.nodes)} → ${count(d.new.nodes)}`, note: `${d.old.computing} → ${d.new.computing} of them compute` },
        { title: "aligned", value: count(d.aligned), note: d.renamed ? `${noun(d.renamed, "node")} renamed` : "computing nodes in both" },
        ...[...by_what].map(([what, n]) => ({ title: what, value: count(n), note: n === 1 ? "change" : "changes", look: "added", filter: /** @type {[string, string]} */ (["what", what]) })),
        ...(d.not_compared ? [{ title: "not compared", value: count(d.not_compared), note: "scales too large to read" }] : []),
    ];
}

/** @param {ExportsDocument} d @param {import("./types").Command} command @returns {Subject} */
export function exports_subject(d, command) {
    /** @type {Map<string, ExportChange[]>} */
    const places = new Map();
    for (const c of d.changes) places.set(place_of(c), [...(places.get(place_of(c)) ?? []), c]);
    const groups = [...places.values()];
    const cut = cut_modules(groups.map(([c]) => module_of_name(c?.new ?? c?.old ?? "")));
    const blocks = groups.map((changes, i) => change_block(changes, i, cut));
    /** By either name, which the drawing and links use. @type {Map<string, number>} */
    const by_name = new Map();
    groups.forEach(([c], i) => [c?.old, c?.new].forEach((name) => name !== undefined && by_name.set(name, i)));
    const found = finder(blocks);
    /** @param {Chosen} chosen @returns {Chosen} */
    const settled = (chosen) => {
        const at = chosen.kind === "node" ? by_name.get(chosen.id) : undefined;
        return at === undefined ? chosen : choose(groups[at] ?? [], at);
    };
    const [from = "", to = ""] = apart([d.old.model, d.new.model]);
    return {
        title: `${base_name(d.old.model)} → ${base_name(d.new.model)}`,
        from,
        to,
        files: [["old", `${d.old.model}  (${d.old.exporter ?? "unknown exporter"})`], ["new", `${d.new.model}  (${d.new.exporter ?? "unknown exporter"})`]],
        verdict: d.changes.length ? { text: "exports differ", look: "alarm" } : { text: "no difference", look: "good" },
        left: 13,
        sides: ["old export", "new export"],
        measures: [],
        blocks,
        facets: [
            { name: "what", title: "What changed", order: WHAT, open: true },
            { name: "of", title: "Where", open: true },
            { name: "op", title: "Operator", open: true },
            { name: "module", title: "Module", open: true },
        ],
        charts: [{ facet: "what", title: "What changed" }, { facet: "of", title: "Where" }, { facet: "op", title: "Operator" }, { facet: "module", title: "Module" }],
        chart_note: "Weights are not compared.",
        legend: [],
        first_filters: [],
        tables: [],
        tiles: tiles_of(d),
        brief: [],
        rules: [],
        rules_title: "",
        waterfall: null,
        roofline: null,
        sources: null,
        find: (chosen) => found(settled(chosen)),
        record(chosen) {
            const at = chosen.kind === "node" ? by_name.get(chosen.id) : chosen.kind === "change" ? Number(chosen.id) : undefined;
            const changes = at === undefined ? undefined : groups[at];
            if (!changes && chosen.kind !== "node") return null;
            const [one] = changes ?? [];
            const renamed = one?.old !== undefined && one.new !== undefined && one.old !== one.new;
            return {
                kind: one?.op ?? one?.what ?? "node",
                title: safe(one?.new ?? one?.old ?? (one ? one.what : chosen.id)),
                chips: [],
                sections: [
                    ...(renamed ? [{ title: "Aligned", pairs: /** @type {[string, import("./types").Pieces][]} */ ([["old", [safe(one?.old ?? "")]], ["new", [safe(one?.new ?? "")]]]) }] : []),
                    changes
                        ? { title: "What changed", head: ["what", "of", "was", "is now"], rows: changes.map((c) => [[c.what], [c.of ?? ""], [safe(c.was ?? "")], [safe(c.now ?? "")]]) }
                        : { title: "What changed", lines: [["Nothing: this node is next to one that changed."]] },
                    command_section(command.page),
                ],
            };
        },
        box_of(chosen, { nodes }) {
            const { id } = settled(chosen);
            return Object.entries(nodes ?? {}).find(([box, name]) => name === id && box[0] === "n")?.[0] ?? Object.entries(nodes ?? {}).find(([, name]) => name === id)?.[0] ?? null;
        },
        chosen_of(box, { nodes }) {
            const name = nodes?.[box];
            return name === undefined ? null : { kind: "node", id: name };
        },
        first_view: "diff",
    };
}
