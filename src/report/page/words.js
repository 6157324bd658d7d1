/*
 * Words and numbers for the eye.  Names come from other people's files: a character that
 * cannot be seen, or that turns the order of others, is shown as "\u{202e}", as all other
 * reports do (base/text.c).
 */

const HIDDEN =
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;

/** @param {string} text */
export function safe(text) {
    return text.replace(HIDDEN, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The whole up to `most` characters; of a longer one both ends.
 * @param {string} text @param {number} most */
export function shorten(text, most) {
    if (text.length <= most) return safe(text);
    const head = Math.floor((most * 2) / 5);
    /* A cut within a pair leaves a half, which safe() shows as one. */
    return `${safe(text.slice(0, head))}…${safe(text.slice(text.length - (most - head - 1)))}`;
}

/** The last part of a path. @param {string} path */
export function base_name(path) {
    return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** As many last parts of paths as tell those that differ apart. @param {string[]} paths */
export function apart(paths) {
    const parts = paths.map((path) => path.split("/"));
    const [different, most] = [new Set(paths).size, Math.max(...parts.map((p) => p.length))];
    let n = 1;
    while (n < most && new Set(parts.map((p) => p.slice(-n).join("/"))).size < different) n++;
    return parts.map((p) => p.slice(-n).join("/"));
}

/** 1234567 as "1,234,567". @param {number} n */
export function count(n) {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** "1 layer", "2 layers". @param {number} n @param {string} noun */
export function noun(n, noun) {
    return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** @param {number} ms */
export function millis(ms) {
    const size = Math.abs(ms);
    return `${ms.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 4)} ms`;
}

/** @param {number} ms */
export function signed_millis(ms) {
    return (ms < 0 ? "" : "+") + millis(ms);
}

/** @param {number} n @param {string} unit */
function scaled(n, unit) {
    const steps = ["", "k", "M", "G", "T", "P"];
    let at = 0;
    while (n >= 1000 && at < steps.length - 1) {
        n /= 1000;
        at++;
    }
    const digits = at === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
    return `${n.toFixed(digits)} ${steps[at]}${unit}`.trim();
}

/** @param {number} n */
export const bytes = (n) => scaled(n, "B");
/** @param {number} n */
export const macs = (n) => scaled(n, "MAC");
/** @param {number} n */
export const short_number = (n) => (n !== 0 && n < 1 ? Number(n.toPrecision(2)).toString() : scaled(n, ""));

/** @param {number} part @param {number} whole */
export function percent(part, whole) {
    return whole > 0 ? `${((part / whole) * 100).toFixed(1)} %` : "";
}

/** A number that JSON holds as one or, where a double cannot, as a string.
 * @param {import("./types").Amount | undefined} amount @returns {number | null} */
export function number_of(amount) {
    return amount === undefined ? null : Number(amount);
}

/** A word for a POSIX shell. @param {string} word */
export function quoted(word) {
    return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** True where a word can be shown as it is, and so be copied. @param {string} word */
export function is_plain(word) {
    return safe(word) === word;
}

/** What is made when it is asked for, and then kept. @template T @param {() => T} make @returns {() => T} */
export function once(make) {
    /** @type {T | undefined} */
    let made;
    return () => (made ??= make());
}
