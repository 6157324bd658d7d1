/*
 * Makes the page one file:  node assemble.mjs WASM GRAPHVIZ PAGE_SOURCE OUT
 *
 * GRAPHVIZ is the module of @hpcc-js/wasm-graphviz, PAGE_SOURCE the C file that reports are made of:
 * its policy names the hashes of their script and style, which this page's policy has to allow, too,
 * since the frame inherits it.  The same inputs make the same bytes.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [wasm, graphviz, page_source, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const text_of = (name) => readFileSync(join(here, name), "utf8");
const hash_of = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The module's exports as members of one object: a worker made of a text imports nothing. */
function as_script(source) {
    const bare = source.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "");
    const [all, list] = bare.match(/export\{([^}]*)\};?\s*$/) ?? [];
    if (!all || /\bimport\s*[("'{*]|import\.meta/.test(bare)) throw new Error(`expected a module that imports nothing and ends with its exports: ${graphviz}`);
    const [, local] = list.match(/(\w+) as Graphviz\b/) ?? [];
    return `const Graphviz = (() => {${bare.slice(0, -all.length)}\nreturn ${local};\n})();\n`;
}

/** In a script element nothing may look like its end. */
const literal = (text) => JSON.stringify(text).replaceAll("<", "\\u003c");

const head = readFileSync(page_source, "utf8").match(/fsd_page_head\[\] = \{([^}]*)\}/)[1];
const policy = Buffer.from(head.match(/0x[0-9a-f]{2}/g).map(Number)).toString("utf8").match(/script-src ('sha256-[^']*'); style-src ('sha256-[^']*')/);
const style = text_of("app.css");
const worker = as_script(readFileSync(graphviz, "utf8")) + text_of("worker.js");
const script = `\nconst WORKER = ${literal(worker)};\nconst WASM = "${readFileSync(wasm).toString("base64")}";\n${text_of("app.js")}`;
const page = text_of("app.html")
    .replace("@SCRIPT_HASHES@", () => `${hash_of(script)} ${policy[1]}`)
    .replace("@STYLE_HASHES@", () => `${hash_of(style)} ${policy[2]}`)
    .replace("@STYLE@", () => style)
    .replace("@SCRIPT@", () => script);
writeFileSync(out, page);
