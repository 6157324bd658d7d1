/*
 * Words and numbers for readers. Names come from other people's files: a character that is
 * invisible or reverses the direction of text is shown as "\u{202e}", as in all other reports
 * (base/text.c).
 */

const HIDDEN =
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;

/** @param {string} text */
export function safe(text) {
    return text.replace(HIDDEN, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A word loses its middle if it is longer than both LONGEST and `most`. If `most` is
 * DATA, the cell is too narrow for a single word, and the limit is SHORT instead. If a
 * part of the word (NAME) fits at each end, only whole parts are lost. */
const LONGEST = 160;
const SHORT = 40;
export const DATA = -1;

/** The places between the parts of a name, and of a kernel's name ("MovConcCastMul"). */
export const NAME = /(?<=[/+,_:→])(?=[^\s/+,_:])|(?<=\.)(?=[A-Za-z])|(?<=[a-z])(?=[A-Z][a-z])/;

/** @param {string} word @param {number} most */
function shorten_word(word, most) {
    const room = most === DATA ? SHORT : Math.max(most, LONGEST);
    if (word.length <= room) return safe(word);
    const head = Math.floor((room * 2) / 5);
    const [front, end] = [[""], [""]];
    const parts = word.split(NAME);
    while (front.join("").length + (parts[0] ?? word).length <= head) front.push(parts.shift() ?? "");
    while (end.join("").length + (parts[parts.length - 1] ?? word).length < room - head) end.unshift(parts.pop() ?? "");
    if (front.length > 1 && end.length > 1) return `${safe(front.join(""))}…${safe(end.join(""))}`;
    /* If a cut is inside a surrogate pair, half a character remains, which safe() shows
     * as an escape. */
    return `${safe(word.slice(0, head))}…${safe(word.slice(word.length - (room - head - 1)))}`;
}

/** Leaves out parts from the middle of a path. The last part always stays. Other parts
 * stay if they fit, in this order: the second last part, the first part, the third last
 * part, the one before it, and so on.
 * @param {string} path @param {number} most */
function shorten_path(path, most) {
    if (path.length <= most) return safe(path);
    /* A note in parentheses belongs to the part before it. */
    const parts = [...path.matchAll(/[^/ ]+(?: \([^)]*\))*/g)].map(({ 0: { length }, index }) => ({ at: index, end: index + length }));
    const [first, last] = [parts[0], parts[parts.length - 1]];
    if (!first || !last || first === last) return shorten_word(path, most);
    /** @param {number} head number of parts kept at the front @param {number} tail index of the first part kept at the end */
    const with_parts = (head, tail) => [path.slice(0, head ? parts[head]?.at : first.at), path.slice(parts[tail - 1]?.end)];
    /** @param {number} head @param {number} tail */
    const fits = (head, tail) => tail > head && with_parts(head, tail).join("…").length <= most;
    let [head, tail] = [0, parts.length - 1];
    if (fits(head, tail - 1)) tail--;
    if (fits(1, tail)) head = 1;
    while (fits(head, tail - 1)) tail--;
    const [front = "", end = ""] = with_parts(head, tail);
    const to_last = end.length - (path.length - last.at);
    const shorter = `${safe(front)}…${safe(end.slice(0, to_last))}${shorten_word(end.slice(to_last), most)}`;
    return shorter.length < path.length ? shorter : shorten_word(path, most);
}

/** Splits a list of names at " + ", except inside brackets. @param {string} text */
function names_in(text) {
    const names = [""];
    let depth = 0;
    for (const part of text.split(/( \+ )/)) {
        if (part === " + " && !depth) names.push("");
        else {
            names[names.length - 1] += part;
            for (const c of part) depth = Math.max(0, depth + Number("([{".includes(c)) - Number(")]}".includes(c)));
        }
    }
    return names;
}

/** The longest path with which all names begin. It never has the last part of a name.
 * @param {string[]} names */
function shared_path(names) {
    const parts = names.map((name) => name.split("/").slice(0, -1));
    const [first = []] = parts;
    const different = first.findIndex((part, i) => parts.some((other) => other[i] !== part));
    return first.slice(0, different < 0 ? first.length : different).join("/");
}

/** Shortens a text to `most` characters, as in reports (base/fit.c). A name loses whole
 * parts of its path. "a + b + c + d" may become "a + 2 more + d" or, if this is still
 * too long, "3 more + d". Only very long words lose letters (see LONGEST), so the
 * result may exceed `most`.
 * @param {string} text @param {number} most */
export function shorten(text, most) {
    if (text.length <= most) return safe(text);
    const names = names_in(text);
    const path = names.length > 1 ? shared_path(names) : "";
    const own = path ? names.map((name) => name.slice(path.length + 1)) : names;
    const last = own.pop() ?? "";
    const scope = path ? `${shorten_path(path, Math.max(most - own.join(" + ").length - last.length - 5, Math.floor(most / 3)))}: ` : "";
    const room = Math.max(most - scope.length - last.length, 0);
    const rest = own.length > 1 ? ` + ${own.length - 1} more + ` : " + ";
    let shown = own.length;
    /** @param {number} n */
    const length_of = (n) => own.slice(0, n).join(" + ").length + (n < own.length ? rest.length : 3);
    while (shown > 1 && length_of(shown) > room) shown--;
    const [one = "", ...more] = own.slice(0, shown);
    const front = own.length ? [shorten_path(one, shown > 1 ? one.length : Math.max(room - rest.length, Math.floor(room / 2))), ...more.map(safe), ...(shown < own.length ? [`${own.length - shown} more`] : [])] : [];
    const before = scope + front.map((name) => `${name} + `).join("");
    const shorter = before + shorten_path(last, most === DATA ? DATA : Math.max(most - before.length, 0));
    return shorter.length > most && own.length ? `${own.length} more + ${shorten_path(last, Math.min(most, 0))}` : shorter;
}

/** The first words of a sentence, up to `most` characters. @param {string} text @param {number} most */
export function first_words(text, most) {
    if (text.length <= most) return safe(text);
    const end = text.lastIndexOf(" ", Math.max(most - 2, 0));
    return `${safe(text.slice(0, end > 0 ? end : text.search(/ |$/)))} …`;
}

/** The last part of a path. @param {string} path */
export function base_name(path) {
    return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** Cuts each path to its last n parts. n is the smallest number that keeps different paths
 * different. @param {string[]} paths */
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

/** Converts an amount, such as a number of bytes. In JSON, an amount that a double
 * cannot hold is a string, and any other amount is a number.
 * @param {import("./types").Amount | undefined} amount @returns {number | null} */
export function number_of(amount) {
    return amount === undefined ? null : Number(amount);
}

/** Quotes a word for a POSIX shell. @param {string} word */
export function quoted(word) {
    return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** Groups values by their keys. Each group has its values in the order of `all`.
 * @template T, K @param {Iterable<T>} all @param {(one: T) => K[]} keys @returns {Map<K, T[]>} */
export function grouped(all, keys) {
    /** @type {Map<K, T[]>} */
    const found = new Map();
    for (const one of all)
        for (const key of keys(one)) {
            if (!found.has(key)) found.set(key, []);
            found.get(key)?.push(one);
        }
    return found;
}

/** A value that is computed at its first use and then kept.
 * @template T @param {() => T} make @returns {() => T} */
export function once(make) {
    /** @type {T | undefined} */
    let made;
    return () => (made ??= make());
}
