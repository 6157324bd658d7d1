/*
 * The modules of a model at a useful depth, as the view `scopes` has them (explain/cost/scope.c, which
 * tells of a run which module each node is in; a test holds both to the same).
 */

/** Modules: so many tell a model's parts apart, and more than so many tell nobody anything. */
const USEFUL = 6;
const TOO_MANY = 60;
const MOST_DEPTH = 32;

/** Of a node whose name alone is known, "" where it has none.  Of
 * "[RELU]-[aten_ops.relu.default]-[/layer1/relu]" the last is the module's. @param {string} name */
export function module_of_name(name) {
    const path = name.startsWith("[") ? name.match(/\]-\[(\/.*)/)?.[1] ?? "" : name;
    const last = path.lastIndexOf("/");
    return path.slice(0, Math.max(last > 0 ? last : path.lastIndexOf("."), 0));
}

/** Its first parts; "layers.3" is one: a number alone is no module's name.
 * @param {string} module @param {number} depth */
function module_at(module, depth) {
    const sign = module.includes("/") ? "/" : ".";
    /** @type {string[]} */
    const parts = [];
    for (const part of module.split(sign))
        if (parts.length && /^\d+$/.test(part)) parts.push(`${parts.pop()}${sign}${part}`);
        else parts.push(part);
    return parts.slice(0, depth + (parts[0] === "" ? 1 : 0)).join(sign);
}

/** Cuts each module to the first depth that tells some of them apart, but not so many that
 * nobody reads them. @param {Iterable<string>} modules @returns {(module: string | undefined) => string} */
export function cut_modules(modules) {
    const all = new Set(["", ...modules]);
    let best = 1;
    for (let depth = 1, last = 0; depth < MOST_DEPTH; depth++) {
        const found = new Set([...all].map((m) => module_at(m, depth))).size;
        if (depth > 1 && (found > TOO_MANY || found === last)) break;
        [best, last] = [depth, found];
        if (found > USEFUL) break;
    }
    return (module) => (module && module_at(module, best)) || "(none)";
}
