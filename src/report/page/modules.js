/*
 * Cuts the modules of a model to a useful depth, as explain/cost/scope.c does for the
 * view `scopes`; a test compares the results. If the page shows a run, the uncut
 * modules of the nodes also come from scope.c; otherwise, from module_of_name().
 */

/** A page with at most USEFUL modules does not tell the parts of a model apart; a page
 * with more than TOO_MANY is unreadable. */
const USEFUL = 6;
const TOO_MANY = 60;
const MOST_DEPTH = 32;

/** Finds the module of a node in its name, if nothing else is known of the node.
 * Returns "" if the name has no module. In
 * "[RELU]-[aten_ops.relu.default]-[/layer1/relu]", only the last part counts.
 * @param {string} name */
export function module_of_name(name) {
    const path = name.startsWith("[") ? name.match(/\]-\[(\/.*)/)?.[1] ?? "" : name;
    const last = path.lastIndexOf("/");
    return path.slice(0, Math.max(last > 0 ? last : path.lastIndexOf("."), 0));
}

/** The first `depth` parts of a module; "layers.3" is one part, because a number alone names no
 * module.
 * @param {string} module @param {number} depth */
function module_at(module, depth) {
    const [sign, between] = module.includes("/") ? ["/", /\/(?!\d+(?:\/|$))/] : [".", /\.(?!\d+(?:\.|$))/];
    const parts = module.split(between);
    return parts.slice(0, depth + (parts[0] === "" ? 1 : 0)).join(sign);
}

/** Returns a function that cuts all modules to one depth. It is the first depth with
 * more than USEFUL different modules. The search for it stops earlier if the next depth
 * has more than TOO_MANY modules, or just as many as the current depth.
 * @param {Iterable<string>} modules @returns {(module: string | undefined) => string} */
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
