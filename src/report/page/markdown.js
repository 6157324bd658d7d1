/*
 * Copies parts of the page. "Copy as Markdown" copies the summary, the visible rows and the details
 * of one layer or node, for a review. Names are put into code spans, because a name may contain any
 * character that Markdown interprets.
 */
import { count, noun, safe } from "./words.js";

/** @typedef {import("./types").PasteForm} PasteForm */
/** @typedef {{name: string, type: string}} Named */
/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").Section} Section */
/** @typedef {import("./types").Subject} Subject */

/** Maximum number of rows in a table: a comment on GitHub has at most 65,536 characters. */
const ROWS = 200;

/** @param {string} text */
const escaped = (text) => safe(text).replace(/[\\`*_[\]<>|]/g, "\\$&");

/** @param {string} name */
function code(name) {
    const text = safe(name);
    const fence = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length)) + 1);
    const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
    return text && `${fence}${pad}${text}${pad}${fence}`;
}

/** A cell of a table. Bars are escaped, because a bar ends a cell even in code. @param {string} markdown */
const cell = (markdown) => markdown.replace(/\\?\|/g, "\\|");

/** @param {Pieces} pieces @returns {string} */
const pieces_text = (pieces) => pieces.map((p) => (typeof p === "string" ? escaped(p) : "pieces" in p ? ` ${pieces_text(p.pieces)}` : p.chosen || p.look === "code" ? code(p.text) : escaped(p.text))).join("");

/** @param {string[]} head @param {string[][]} rows */
const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** @param {import("./types").Chip[]} chips */
const chips_text = (chips) => chips.map(({ text, rest }) => escaped(rest ? `${text} ${rest}` : text)).join(" ");

/** @param {string} text */
const fenced = (text) => `\`\`\`sh\n${text}\n\`\`\``;

/** @param {Section} section */
function section_markdown(section) {
    const title = `**${escaped(section.title)}**\n\n`;
    if ("pairs" in section) return title + section.pairs.map(([name, value]) => `- ${escaped(name)}: ${pieces_text(value)}`).join("\n");
    if ("head" in section) return title + table(section.head.map(escaped), section.rows.map((row) => row.map(pieces_text)));
    if ("lines" in section) return title + section.lines.map((line, i) => `${section.ordered ? `${i + 1}.` : "-"} ${pieces_text(line)}`).join("\n");
    if ("forms" in section) return title + section.forms.map(({ form, code: text }) => `${escaped(form)}:\n\n${fenced(text)}`).join("\n\n");
    return title + fenced(section.code);
}

/** @param {import("./types").Story} record */
export function record_markdown(record) {
    return [`#### ${escaped(record.kind)} ${code(record.title)}`, chips_text(record.chips ?? []), ...record.sections.map(section_markdown)].filter(Boolean).join("\n\n") + "\n";
}

/** @param {Item} item */
function item_markdown(item) {
    return [item.index && escaped(item.index), item.word && escaped(item.word), code(item.name), chips_text(item.chips)].filter(Boolean).join(" ");
}

/** @param {Subject} subject @param {Block[]} blocks the blocks that are shown @param {string[]} sums the sums of these blocks */
export function rows_markdown(subject, blocks, sums) {
    const { sides, measures } = subject;
    const rows = blocks.slice(0, ROWS).map((block) => {
        const { left, right } = block.items();
        const numbers = measures.map((measure) => {
            const value = measure.of(block);
            return value === null ? "" : measure.print(value);
        });
        return [...sides.map((_, i) => ([left, ...right][i] ?? []).map(item_markdown).join("<br>")), ...numbers];
    });
    const rest = blocks.length > ROWS ? `\n\nand ${count(blocks.length - ROWS)} more rows` : "";
    return `${escaped(sums.join(", "))}\n\n${table([...sides, ...measures.map(({ title }) => title)].map(escaped), rows)}${rest}\n`;
}

/** @param {Subject} subject @param {Pieces[]} todo @param {string} command */
export function summary_markdown(subject, todo, command) {
    const loud = subject.rules.filter((rule) => rule.findings.length);
    const facts = subject.brief.filter(({ topic }) => topic !== "to do");
    return [
        `### ${subject.from ? `${code(subject.from)} → ` : ""}${code(subject.to)}${subject.verdict ? `: ${escaped(subject.verdict.text)}` : ""}`,
        todo.length ? `**What to do**\n\n${todo.map((line, i) => `${i + 1}. ${pieces_text(line)}`).join("\n")}` : "",
        facts.map(({ topic, text }) => `- ${escaped(topic)}: ${escaped(text)}`).join("\n"),
        table(["", "", ""], subject.tiles.map(({ title, value, note }) => [escaped(title), `**${escaped(value)}**`, escaped(note)])),
        loud.length ? table(["finding", "", "what to do"], loud.map((rule) => [code(rule.rule), noun(rule.findings.length, "place"), escaped(rule.fix ?? "")])) : "",
        subject.accept ? `To accept what changed:\n\n${fenced(subject.accept)}` : "",
        fenced(command),
    ].filter(Boolean).join("\n\n") + "\n";
}

/* -------------------------------------------------------------------- names
 * Names to paste into what builds the engine, or makes its model: the forms of the view `names`
 * (report/view/names.c), of which the page has those that the engine's builder takes.
 *
 *     {"form":"layerPrecisions", "text":"<--layerPrecisions='{held!}'\n>...", "row":"{name}:{trtexec}", ...}
 */

/** Names of types in polygraphy; other types have the same name there. @type {Record<string, string>} */
const POLYGRAPHY = { fp32: "float32", tf32: "float32", fp16: "float16", bf16: "bfloat16", int16: "float16", uint16: "float16" };

/** Maps a placeholder in the row of a form to a function that returns the text for it.
 * @type {Record<string, (n: Named) => string>} */
const PIECES = {
    name: (n) => n.name,
    trtexec: (n) => (n.type === "tf32" ? "fp32" : n.type),
    polygraphy: (n) => POLYGRAPHY[n.type] ?? n.type,
    quoted: (n) => `"${n.name.replace(/["\\]/g, "\\$&")}"`,
    pattern: (n) => `^${n.name.replace(/[.^$*+?{}[\]\\|()]/g, "\\$&")}$`,
};

/** Leaves out a name that the form cannot express, or that contains hidden characters.
 * @param {Named[]} names @param {PasteForm} form */
function held_by(names, form) {
    return names.filter(({ name }) => name && safe(name) === name && !/##|^\s*::/.test(name) && ![...form.cannot].some((c) => name.includes(c)) && !(form.words && name.startsWith("-")));
}

/** Puts the names into each form. Forms that then have equal texts share an entry.
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
