"""Checks that a trace has all members that viewers of trace events need, according to Google's
"Trace Event Format", and that its times equal the times in the run's JSON."""
import json

HEADS = {"M": {"ph", "pid", "tid", "name", "args"}, "X": {"ph", "pid", "tid", "name", "cat", "ts", "dur", "args"},
         "i": {"ph", "pid", "tid", "name", "cat", "ts", "s", "args"}}


def ns(microseconds):
    return round(microseconds * 1000)


def problems(text, report=None):
    """Returns the problems of a trace as sentences. `report` is the parsed JSON of the same run."""
    trace = json.loads(text)
    events, bad, tracks, end, last = trace["traceEvents"], [], set(), 0, 0
    for at, event in enumerate(events):
        if set(event) != HEADS.get(event["ph"]):
            bad.append(f"event {at} has {sorted(event)}")
            continue
        if not all(isinstance(event[key], int) for key in ("pid", "tid")) or not isinstance(event["name"], str) or not event["name"]:
            bad.append(f"event {at}: pid, tid or name of another kind")
        if event["ph"] == "M":
            tracks |= {event["tid"]} if event["name"] == "thread_name" else set()
            bad += [] if event["args"].get("name") else [f"event {at} names nothing"]
            continue
        if event["tid"] not in tracks:
            bad.append(f"event {at} is on a track without a name")
        if ns(event["ts"]) != end:
            bad.append(f"event {at} does not begin where the one before ends")
        if last > event["ts"]:
            bad.append(f"event {at} begins before the one before ends, as doubles are added: a viewer nests it")
        last = event["ts"] + event.get("dur", 0)
        if ("dur" in event) != ("ms" in event["args"]) or event.get("dur", 0) < 0:
            bad.append(f"event {at}: a length without a time, or a time without one")
        if abs(event.get("dur", 0) - event["args"].get("ms", 0) * 1000) > 0.0011:
            bad.append(f"event {at} is {event['dur']} us long, of {event['args']['ms']} ms")
        end += ns(event.get("dur", 0))
    return bad + ([] if report is None else differences(events, report, end))


def differences(events, report, end):
    layers, bad = report["layers"], []
    drawn = [event for event in events if "layer" in event.get("args", {})]
    if [event["args"]["layer"] for event in drawn] != [layer["index"] for layer in layers]:
        return ["not each layer once, in order"]
    for event, layer in zip(drawn, layers):
        args = event["args"]
        nodes = [report["nodes"][link["index"]]["name"] or f"#{link['index']}" for link in layer["nodes"]]
        same = {"name": layer["name"] or f"layer {layer['index']}", "cat": layer["kind"]}
        shown = {key: layer.get(key) for key in ("type", "kind", "precision", "cause", "tactic", "ms", "bytes", "macs")}
        if [key for key in same if event[key] != same[key]] or args["nodes"] != nodes or \
                [key for key in shown if args.get(key) != shown[key]]:
            bad.append(f"layer {layer['index']} is another one")
    total = report["summary"].get("ms", {}).get("total", 0)
    if abs(end / 1e6 - total) > 1e-6:
        bad.append(f"{end / 1e6} ms, and the report's total is {total}")
    return bad
