/*
 * The library in a worker: it reads the files that the page was given, in pieces and only when it
 * needs them, and has Graphviz lay pictures out.  Nothing leaves the browser: it can ask for nothing
 * but bytes of these files.
 *
 *     page -> {wasm}                       once
 *     page -> {files}                      all files, whenever there are others
 *             <- {kinds}                   what each of them is
 *     page -> {id, request}                a request (web.c)
 *             <- {id, status, bytes}       a report, or why there is none
 *     page -> {id, dot}                    a picture that is looked at
 *             <- {id, svg}                 its drawing; null: there is none
 */

/** FSD_E_MEMORY, for an instance that ended. */
const NO_MEMORY = 8;

/** @type {WebAssembly.Module} */
let module;
/** @type {File[]} */
let files = [];
/** @type {any} the instance's exports; null: the next request makes one */
let library = null;
/** @type {any} */
let graphviz = null;

const encode = new TextEncoder();
const decode = new TextDecoder();
const reader = new FileReaderSync();

/** Beyond 2 GiB an address comes as a negative number. */
const bytes_at = (at, n) => new Uint8Array(library.memory.buffer, at >>> 0, n >>> 0);

function text_at(at) {
    const all = new Uint8Array(library.memory.buffer);
    return decode.decode(all.subarray(at >>> 0, all.indexOf(0, at >>> 0)));
}

/** A text in the instance's memory. @param {string} text */
function hand(text) {
    const bytes = encode.encode(`${text}\0`);
    const at = library.hand(bytes.length);
    bytes_at(at, bytes.length).set(bytes);
    return at;
}

/** What the library asks of the page (web.c). */
const page = {
    read(number, offset, to, n) {
        try {
            bytes_at(to, n).set(new Uint8Array(reader.readAsArrayBuffer(files[number].slice(offset, offset + n))));
            return 1;
        } catch {
            return 0; /* the file was changed or removed */
        }
    },
    layout(dot, size, format) {
        try {
            return hand(graphviz.layout(decode.decode(bytes_at(dot, size)), text_at(format), "dot"));
        } catch {
            return 0;
        }
    },
};

/** The system that a program of WASI expects.  Here is none: each call is refused. */
const system = new Proxy({}, {
    get: (_, name) => (name === "proc_exit" ? () => { throw new Error("the library ended"); } : name === "fd_prestat_get" ? () => 8 /* EBADF: no folder */ : () => 52 /* ENOSYS */),
});

/** Another instance, with all files. */
function begin() {
    library = new WebAssembly.Instance(module, { page, wasi_snapshot_preview1: Object.fromEntries(WebAssembly.Module.imports(module).filter((i) => i.module !== "page").map((i) => [i.name, system[i.name]])) }).exports;
    library._initialize();
    for (const file of files) library.file(hand(file.path), file.size);
}

/** Memory that ran out ends the instance; the next one is as good as new. @param {() => any} use */
function guarded(use) {
    try {
        if (!library) begin();
        return use();
    } catch (error) {
        library = null;
        return { status: NO_MEMORY, bytes: encode.encode(`the browser ended the library: ${error.message}`) };
    }
}

function ask(text) {
    const status = library.ask(hand(text));
    const bytes = bytes_at(library.text(), library.size()).slice();
    library = null; /* its memory is given back */
    return { status, bytes };
}

function formats_of(subject) {
    const found = [];
    for (let i = 0, at; (at = library.format(hand(subject), i)); i++) found.push(text_at(at));
    return found;
}

/** In the order in which they come. */
let last = Promise.resolve();

/** Where Graphviz finds no way for curves, the lines are straight, as the library's own layout has
 * them.  An instance that failed is not used again. @param {string} dot */
async function draw(dot) {
    for (const text of [dot, dot.replace('labeljust="l"', 'labeljust="l" splines="line"')]) {
        try {
            return graphviz.layout(text, "svg", "dot");
        } catch {
            Graphviz.unload();
            graphviz = await Graphviz.load();
        }
    }
    return null;
}

async function handle({ wasm, files: given, id, request, dot }) {
    if (wasm) {
        module = await WebAssembly.compile(wasm);
        graphviz = await Graphviz.load();
        const formats = guarded(() => Object.fromEntries(["run", "compare", "lint", "check", "failed"].map((subject) => [subject, formats_of(subject)])));
        return postMessage({ formats });
    }
    if (given) {
        files = given.map(({ file, path }) => Object.assign(file, { path }));
        library = null;
        const kinds = guarded(() => files.map((file) => library.kind(hand(file.path))));
        return postMessage({ kinds: Array.isArray(kinds) ? kinds : files.map(() => 0) });
    }
    if (dot) return postMessage({ id, svg: await draw(dot) });
    const answer = guarded(() => ask(request));
    postMessage({ id, ...answer }, [answer.bytes.buffer]);
}

self.onmessage = ({ data }) => {
    last = last.then(() => handle(data)).catch((error) => postMessage({ failed: String(error) }));
};
