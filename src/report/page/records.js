/*
 * Shows records with the titles of their columns (report/sheet/sheet_columns.c). One
 * record is shown as pairs, several records as a table. A path such as
 * "compare/regions/old" names a type of record: it begins with a document, and then
 * names members. If a record has a member for the old build and one for the new build,
 * both are shown as a change, "int8 → fp16".
 */
import { embedded } from "./dom.js";
import { bytes, count, macs, millis, percent, safe, signed_millis } from "./words.js";

/** @typedef {import("./types").Column} Column */
/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").Row} Row */
/** @typedef {import("./types").Section} Section */
/** Members that a subject shows in its own way. Maps the key of a member to its title
 * and value; null: the member is hidden.
 * @typedef {Record<string, [string, Pieces] | null>} Own */

/** Titles of members that have other titles in tables and JSON.
 * @type {Record<string, string>} */
const CALLED = { fate: "outcome", moves: "inserted layers", ms: "time", macs: "multiply-adds", precision: "runs in", realised: "runs in" };
/** Kinds of columns that state a cost. */
const COSTS = new Set(["ms", "bytes", "macs", "share"]);
/** Kinds whose values need no title in a line: "int8 chw32". */
const WORDS = new Set(["name", "text", "type"]);
/** Words that are good or bad news, with their look. @type {Record<string, string>} */
export const LOOKS = {
    differs: "alarm", changed: "alarm", "fusion-lost": "alarm", regrouped: "alarm", opaque: "alarm", "only-old": "alarm", "only-new": "alarm", widened: "alarm", retyped: "alarm", unexplained: "alarm",
    "fusion-gained": "good", narrowed: "good", explained: "good",
};
const CODE = new Set(["name", "names"]);
const OLD = /(?<![a-z])(before|old)(?![a-z])/;

/** @param {Record<string, string | number>} tally */
const tally_text = (tally) => Object.entries(tally).map(([word, n]) => `${word} ${typeof n === "number" && n % 1 ? Number(n.toPrecision(6)) : n}`).join(", ");
/** @param {(string | number)[]} list */
const list_text = (list) => list.join(", ");

/** @type {Record<string, (value: any) => string>} */
const PRINT = {
    count: (n) => count(Number(n)),
    number: (n) => String(Number(n.toPrecision(4))),
    ms: millis,
    share: (n) => percent(n, 1),
    bytes: (n) => `${bytes(Number(n))} (${count(Number(n))})`,
    macs: (n) => `${macs(Number(n))} (${count(Number(n))})`,
    flag: (is) => (is ? "yes" : ""),
    words: list_text,
    names: list_text,
    ids: list_text,
    sizes: (dims) => `[${list_text(dims.map((/** @type {number | string} */ d) => (d === -1 ? "?" : d)))}]`,
    tally: tally_text,
    facts: tally_text,
};

/** @type {Map<string, Columns>} */
const types = new Map();

/** @param {string} path @returns {Columns} */
function columns_of(path) {
    const up = path.lastIndexOf("/");
    const found = types.get(path) ?? (up < 0 ? embedded(`columns-${path}`) : columns_of(path.slice(0, up))[path.slice(up + 1)]?.of) ?? {};
    types.set(path, found);
    return found;
}

/** Converts the key of a member of the old build into the key of the new build's
 * member, such as "old" into "new". Other keys stay unchanged. @param {string} key */
const later_of = (key) => key.replace(OLD, (word) => (word === "old" ? "new" : "after"));

/** Leaves out columns of the kind "rows", because such rows have their own tables. Also
 * leaves out members of the new build, because they are shown with the members of
 * the old build.
 * @param {Columns} columns @returns {[string, Column][]} */
function shown(columns) {
    const later = new Set(Object.keys(columns).map((key) => (later_of(key) === key ? "" : later_of(key))));
    return Object.entries(columns).filter(([key, { kind }]) => kind !== "rows" && !later.has(key));
}

/** @param {string} key @param {Column} column */
function label_of(key, { kind, title }) {
    const rest = key.replace(OLD, "").replace(/^_|_$/, "").replaceAll("_", " ");
    const alone = kind === "ms" ? "time" : `${key} → ${later_of(key)}`;
    return CALLED[rest] ?? title?.replace(/^(layer|node)'s /, "") ?? (rest || alone);
}

/** @param {Column} column @param {any} value @param {string} [term] the value in terms of dynamic sizes @returns {string} */
function text_of({ kind, of }, value, term) {
    if (kind === "record") {
        const pairs = shown(of ?? {}).map(([key, column]) => [column, label_of(key, column), plain_of(of ?? {}, key, value)]);
        const known = pairs.filter(([, , text]) => text);
        const words = pairs.every(([column]) => WORDS.has(/** @type {Column} */ (column).kind));
        return words ? known.map(([, , text]) => text).join(" ") : known.map(([, label, text]) => `${label} ${text}`).join(", ");
    }
    return [value === undefined ? "" : PRINT[kind]?.(value) ?? String(value), term ?? ""].filter(Boolean).map(safe).join("  =  ");
}

/** @param {Columns} columns @param {string} key @param {Row} one */
function plain_of(columns, key, one) {
    const [column, later] = [/** @type {Column} */ (columns[key]), later_of(key)];
    /** @param {string} of */
    const text = (of) => (one[of] === undefined && one[`${of}_symbolic`] === undefined ? "" : text_of(column, one[of], one[`${of}_symbolic`]));
    const [was, is] = [text(key), text(later)];
    if (was === is && column.kind !== "ms") return was;
    const change = column.kind === "ms" && was && is ? `  (${signed_millis(one[later] - one[key])}, ${percent(one[later] - one[key], one[key])})` : "";
    return later === key ? was : was || is ? `${was || "–"} → ${is || "–"}${change}` : "";
}

/** @param {Columns} columns @param {string} key @param {Row} one @returns {Pieces} */
function pieces_of(columns, key, one) {
    const text = plain_of(columns, key, one);
    const look = CODE.has(columns[key]?.kind ?? "") ? "code" : LOOKS[text];
    return text ? [look ? { text, look } : text] : [];
}

/** False if a list or the code of the section is empty. @param {Section} section */
export const has_content = (section) => Object.values(section).every((part) => part === true || part.length > 0);

/** The sections of one record: first what it is, then what it costs.
 * @param {string} title @param {string} path @param {Row} one @param {Own} [own] @returns {Section[]} */
export function facts_of(title, path, one, own = {}) {
    const columns = columns_of(path);
    /** @param {Column} column @returns {boolean} */
    const costs = ({ kind, of }) => COSTS.has(kind) || Object.values(of ?? {}).some(costs);
    /** @param {string} title @param {(column: Column) => boolean} wanted @returns {Section} */
    const section = (title, wanted) => {
        const members = shown(columns).filter(([, column]) => wanted(column));
        const pairs = members.flatMap(([key, column]) => {
            const pair = own[key] === undefined ? /** @type {[string, Pieces]} */ ([label_of(key, column), pieces_of(columns, key, one)]) : own[key];
            return pair?.[1].length ? [pair] : [];
        });
        return { title, pairs };
    };
    return [section(title, (column) => !costs(column)), section("What it costs", costs)];
}

/** A table of the columns in which at least one row has a value. The columns that
 * identify the rows come first.
 * @param {string} title @param {string} path @param {Row[]} rows @param {Columns} [own] columns that precede all others, even if columns_of(path) does not have them @returns {Extract<Section, {head: string[]}>} */
export function table_of(title, path, rows, own = {}) {
    const columns = { ...own, ...columns_of(path), ...own };
    const known = shown(columns).filter(([key]) => rows.some((row) => plain_of(columns, key, row)));
    const filled = [...known.filter(([, c]) => c.kind === "names"), ...known.filter(([, c]) => c.kind !== "names")];
    return { title, head: filled.map(([key, column]) => label_of(key, column)), rows: rows.map((row) => filled.map(([key]) => pieces_of(columns, key, row))) };
}
