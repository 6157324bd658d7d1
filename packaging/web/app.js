/*
 * The page onto which files are dropped. The library recognizes the kind of each file; the user can
 * change the build to which a file belongs. A worker makes reports with the library. A frame shows
 * them: it is a page of its own, with its own content security policy.
 */

/** Must equal enum fsd_file_kind. */
const KIND = { other: 0, model: 1, engine: 2, log: 3, profile: 4, times: 5, snapshot: 6, tuning: 7, metadata: 8 };
const ROLES = [["", "not used"], ["model", "model"], ["engine", "engine"], ["profile", "times of layers"], ["times", "times of runs"], ["log", "build log beside the engine"], ["model2", "second build: model"], ["engine2", "second build: engine"], ["profile2", "second build: times of layers"], ["times2", "second build: times of runs"], ["log2", "second build: log"], ["snapshot", "snapshot"]];
/** The reports. There are enough files for a report if they have all roles of one of its lists. */
const SUBJECTS = {
    run: { title: "Report", needs: [["engine"]] },
    compare: { title: "Compare", needs: [["engine", "engine2"], ["snapshot", "engine"]] },
    check: { title: "Check", needs: [["snapshot", "engine"]] },
    lint: { title: "Lint", needs: [["model"]] },
};
const ENDINGS = { text: "txt", markdown: "md", sarif: "sarif", junit: "xml", trace: "trace.json", nodedata: "nodedata.json", github: "txt", gitlab: "json" };

const by_id = (id) => document.getElementById(id);
const worker_script = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
const library = WebAssembly.compile(Uint8Array.from(atob(WASM), (c) => c.charCodeAt(0)));
/** @type {{file: File, path: string, kind: number, role: string}[]} */
let files = [];
let formats = {};
let subject = "";
/** Requests are answered one after the other. */
let last = Promise.resolve();

function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

function say(text, alarm = false) {
    by_id("status").textContent = text;
    by_id("status").classList.toggle("alarm", alarm);
    document.documentElement.dataset.state = text ? (alarm ? "failed" : "busy") : "ready";
}

/* ------------------------------------------------------------------------- the worker */

/** Returns the answer of a worker. Each request has its own worker, whose memory is freed at once. @returns {Promise<any>} */
function answer_to(message) {
    const given = files.map(({ file, path }) => ({ file, path }));
    const answer = last.then(async () => {
        const worker = new Worker(worker_script);
        try {
            const module = await library;
            return await new Promise((done, failed) => {
                worker.onmessage = ({ data }) => (data.failed ? failed(new Error(data.failed)) : done(data));
                worker.onerror = (event) => failed(new Error(event.message ?? "no worker"));
                worker.postMessage({ module, files: given, ...message });
            });
        } finally {
            worker.terminate();
        }
    });
    last = answer.catch((error) => say(`The library cannot be used: ${error.message}`, true));
    return answer;
}

/** @param {string} format @param {boolean} later whether its pictures are laid out when they are looked at
 * @returns {Promise<{status: number, bytes: Uint8Array}>} */
function ask(of, format, later = false) {
    const lines = [`subject ${of}`, `format ${format}`, ...(later ? ["pictures later"] : []), ...files.filter((f) => f.role).map((f) => `${f.role} ${f.path}`)];
    if (!files.some((f) => f.role === "model2") && of === "compare") for (const f of files) if (f.role === "model") lines.push(`model2 ${f.path}`);
    return answer_to({ request: lines.join("\n") });
}

/** The report requests the drawing of a picture when the picture is opened. */
addEventListener("message", async ({ source, data }) => {
    if (!source || source !== by_id("report").contentWindow || typeof data?.dot !== "string") return;
    const { svg } = await answer_to({ dot: data.dot });
    source.postMessage({ picture: data.picture, svg }, "*");
});

/* -------------------------------------------------------------------------- the files */

/** Returns a path that no other file has. @param {string} name */
function path_for(name) {
    const plain = name.replace(/[\n\0]/g, "_");
    let path = plain;
    for (let i = 2; files.some((f) => f.path === path); i++) path = `${i}/${plain}`;
    return path;
}

/** Returns the file, or all files of the folder. @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function files_of(entry) {
    if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
    const reader = entry.createReader();
    const found = [];
    for (let some = null; some === null || some.length; ) {
        some = await new Promise((done, failed) => reader.readEntries(done, failed));
        for (const one of some) found.push(...(await files_of(one)));
    }
    return found;
}

/** @param {File[]} given */
function add(given) {
    for (const file of given) files = [...files, { file, path: path_for(file.name), kind: 0, role: "" }];
    look();
}

async function look() {
    say("Looking at the files.");
    const looked = files;
    const { kinds } = await answer_to({});
    if (!kinds || looked !== files) return;
    files.forEach((f, i) => (f.kind = kinds[i]));
    assign();
    show();
}

/** Assigns files to builds: the first file of a kind belongs to the first build, the next one to the second build. */
function assign() {
    const of = (kind) => files.filter((f) => f.kind === kind);
    const engines = [...of(KIND.engine)];
    const logs = [...of(KIND.log), ...of(KIND.metadata)];
    for (const f of files) f.role = "";
    const dumps = engines.length ? engines : logs;
    const set = (list, role) => list.slice(0, 2).forEach((f, i) => (f.role = i ? `${role}2` : role));
    set(of(KIND.model), "model");
    set(dumps, "engine");
    if (engines.length) set(logs, "log");
    if (dumps.length > 1) set(of(KIND.profile), "profile");
    else for (const f of of(KIND.profile)) f.role = "profile";
    set(of(KIND.times), "times");
    for (const f of of(KIND.snapshot).slice(0, 1)) f.role = "snapshot";
}

const size_text = (n) => (n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(2)} GB`);

function put_files() {
    by_id("count").textContent = `${files.length} file${files.length === 1 ? "" : "s"}: ${files.filter((f) => f.role).map((f) => f.path).join(", ")}`;
    by_id("list").replaceChildren(...files.map((f) => {
        const role = element("select", { "aria-label": `What ${f.path} is used as` }, ...ROLES.map(([value, text]) => element("option", { value }, text)));
        role.value = f.role;
        role.addEventListener("change", () => {
            f.role = role.value;
            show();
        });
        const remove = element("button", { type: "button", "aria-label": `Remove ${f.path}` }, "×");
        remove.addEventListener("click", () => {
            files = files.filter((one) => one !== f);
            look();
        });
        return element("tr", {}, element("td", {}, f.path), element("td", {}, size_text(f.file.size)), element("td", {}, role), element("td", {}, remove));
    }));
}

/* ------------------------------------------------------------------------ the reports */

const has = (role) => files.some((f) => f.role === role);

/** Returns the reports for which there are enough files. */
const possible = () => Object.keys(SUBJECTS).filter((one) => SUBJECTS[one].needs.some((roles) => roles.every(has)));

function put_subjects(all) {
    by_id("subjects").replaceChildren(...all.map((one) => {
        const button = element("button", { type: "button", "aria-pressed": String(one === subject) }, SUBJECTS[one].title);
        button.addEventListener("click", () => {
            subject = one;
            show();
        });
        return button;
    }));
}

/** Shows a report in a new frame, which replaces the old one. @param {Uint8Array | null} bytes */
function put_report(bytes) {
    const old = by_id("report");
    const frame = element("iframe", { id: "report", title: "Report" });
    frame.hidden = !bytes;
    if (bytes) frame.src = URL.createObjectURL(new Blob([bytes], { type: "text/html" }));
    if (old.src) URL.revokeObjectURL(old.src);
    old.replaceWith(frame);
    by_id("welcome").hidden = !!bytes;
    by_id("downloads").hidden = !bytes;
}

/** Makes a report. If a log has no engine, this is the report on why its build failed. */
async function report_of(of) {
    const answer = await ask(of, "html", true);
    if (!answer.status || of !== "run") return { of, ...answer };
    const failed = await ask("failed", "html", true);
    return failed.status ? { of, ...answer } : { of: "failed", ...failed };
}

let shown = 0;
async function show() {
    const mine = ++shown;
    put_files();
    const all = possible();
    if (!all.includes(subject)) subject = all[0] ?? "";
    put_subjects(all);
    if (!subject) {
        put_report(null);
        return say(files.length ? "An engine is missing: layer information in JSON, or a verbose build log." : "");
    }
    say("Reading the files and making the report.");
    const { of, status, bytes } = await report_of(subject);
    if (mine !== shown) return;
    if (status) {
        put_report(null);
        return say(new TextDecoder().decode(bytes), true);
    }
    by_id("inputs").open = false;
    const select = by_id("format");
    const names = [...(formats[of] ?? []).filter((name) => !["png", "pdf", "onnx"].includes(name)), ...(of === "run" ? ["snapshot"] : [])];
    select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    select.dataset.of = of;
    put_report(bytes);
    say("");
}

async function download() {
    const format = by_id("format").value;
    const of = format === "snapshot" ? "snapshot" : by_id("format").dataset.of;
    say("Writing the file.");
    const { status, bytes } = await ask(of, format);
    if (status) return say(new TextDecoder().decode(bytes), true);
    const name = `${(files.find((f) => f.role === "engine") ?? files[0]).file.name.replace(/\.[^.]*$/, "")}.${format === "snapshot" ? "fsd" : ENDINGS[format] ?? format}`;
    const link = element("a", { href: URL.createObjectURL(new Blob([bytes])), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    say("");
}

/* ------------------------------------------------------------------------------ begin */

by_id("files").addEventListener("change", (event) => {
    add([...event.target.files]);
    event.target.value = "";
});
by_id("download").addEventListener("click", download);
for (const type of ["dragenter", "dragover"])
    addEventListener(type, (event) => {
        event.preventDefault();
        document.body.classList.add("over");
    });
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    add(entries.length ? (await Promise.all(entries.map(files_of))).flat() : [...event.dataTransfer.files]);
});
document.documentElement.dataset.state = "busy";
({ formats } = await answer_to({}));
say("");
