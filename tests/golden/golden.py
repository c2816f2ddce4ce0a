#!/usr/bin/env python3
"""golden.py TALLY GOLDEN.json CLIPS [--only REGEX] [--models DIR] [--matrix full|levels|rotate] [--request ARGS] [--skip ID:CLIP]…
[--nan]

Runs every option set of a golden file on every clip and compares each score of each frame bit for bit, and the
whole-sequence values too. The matrix says how often: `full` is every CPU level with 1, 2 and 5 threads; `levels` every level with 2
threads, and the best one with 1 and 5; `rotate` runs each case once, the cases taking turns through every level and thread count.
--nan leaves out cases with a null, where null is NaN: an error here, never a score. Features that this build lacks are an error.

GOLDEN.json: {id: {"args": "-f …", "clips": {clip: {"scores": {metric: ["value", …]}, "aggregate": {…}}}}}; null is a
non-finite score; a clip without "scores" is one that must be refused or is left out."""
import argparse, concurrent.futures, json, os, re, struct, subprocess, sys, tempfile

parser = argparse.ArgumentParser()
parser.add_argument("tally")
parser.add_argument("golden")
parser.add_argument("clips")
parser.add_argument("--only", default=".")
parser.add_argument("--models")
parser.add_argument("--matrix", default="levels", choices=["full", "levels", "rotate"])
parser.add_argument("--nan", action="store_true")
parser.add_argument("--request", help="arguments to run with in place of the file's")
parser.add_argument("--skip", action="append", default=[])
options = parser.parse_args()


def bits(number):
    """The bit pattern of a score as text or number; -0 counts as 0; None is a non-finite score."""
    return None if number is None else struct.pack(">d", float(number) + 0.0)


def usable_levels():
    levels = []
    for level in ["scalar", "v2", "v3", "v4", "neon"]:
        probe = subprocess.run([options.tally, "score", "--level", level, "-", "/dev/null"], stdin=subprocess.DEVNULL,
                               capture_output=True)
        if probe.returncode == 2:  # the level was accepted, the empty input was not
            levels.append(level)
    return levels


def runs():
    levels = usable_levels()
    if options.matrix in ("full", "rotate"):
        return [(level, threads) for level in levels for threads in (1, 2, 5)]
    return [(level, 2) for level in levels] + [(levels[-1], 1), (levels[-1], 5)]


def model_argument(text):
    """Golden files name models as path[@noclip][@transform]."""
    path, *flags = text.split("@")
    words = {"noclip": ":disable_clip=true", "transform": ":enable_transform=true"}
    if "synth_models/" in path:
        path = os.path.join(os.path.dirname(options.golden), "synth_models", os.path.basename(path))
    elif options.models:
        path = os.path.join(options.models, os.path.basename(path))
    return path + "".join(words[flag] for flag in flags)


def arguments(text):
    words, result = text.split(), []
    while words:
        word = words.pop(0)
        result.append(word)
        if word == "-m":
            result.append(model_argument(words.pop(0)))
    return result


def compare(report, expected):
    """Yields a line for the first score of each metric that differs."""
    frames = {frame["frameNum"]: frame["metrics"] for frame in report["frames"]}
    for metric, values in expected["scores"].items():
        for number, value in enumerate(values):
            got = frames.get(number, {}).get(metric, "missing")
            if got == "missing" or bits(got) != bits(value):
                yield f"{metric} frame {number}: expected {value}, got {got}"
                break
    for metric, pooled in expected.get("pooled", {}).items():
        if None in expected["scores"][metric]:
            continue  # ours leave non-finite scores out of the means
        for statistic, value in pooled.items():
            got = report["pooled_metrics"][metric][statistic]
            if bits(got) != bits(value):
                yield f"{statistic} of {metric}: expected {value}, got {got}"
    for metric, value in expected.get("aggregate", {}).items():
        got = report["aggregate_metrics"].get(metric, "missing")
        if got == "missing" or bits(got) != bits(value):
            yield f"{metric}: expected {value}, got {got}"


def values_in(expected):
    return sum(map(len, expected["scores"].values())) + len(expected.get("aggregate", {}))


def check(name, clip, case, level, threads):
    """Returns the problems of one run, at most a few lines."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [options.tally, "score", f"{options.clips}/{clip}_ref.y4m", f"{options.clips}/{clip}_dis.y4m",
                   *arguments(options.request or case["args"]), "--level", level, "--threads", str(threads), "--precision", "max",
                   "--quiet", "-o", report.name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return [f"exit {done.returncode}: {done.stderr.strip()[-300:]}"]
        return list(compare(json.load(open(report.name)), case["clips"][clip]))


def left_out(name, clip, expected):
    if "scores" not in expected or any(re.fullmatch(pattern, f"{name}:{clip}") for pattern in options.skip):
        return True
    return options.nan and any(None in values for values in expected["scores"].values())


def main():
    compared = failed = skipped = 0
    matrix, jobs = runs(), []
    for name, case in json.load(open(options.golden)).items():
        if not isinstance(case, dict) or "clips" not in case or not re.search(options.only, name):
            continue
        for clip, expected in case["clips"].items():
            if left_out(name, clip, expected):
                skipped += 1
                continue
            turn = [matrix[len(jobs) % len(matrix)]] if options.matrix == "rotate" else matrix
            jobs += [(name, clip, case, level, threads) for level, threads in turn]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, clip, case, level, threads), problems in zip(jobs, pool.map(lambda job: check(*job), jobs)):
            compared += values_in(case["clips"][clip])
            failed += len(problems)
            for problem in problems[:3]:
                print(f"{name} {clip} level {level} threads {threads}: {problem}")
    print(f"{os.path.basename(options.golden)}: {compared} values compared in {len(jobs)} runs, "
          f"{failed} problems, {skipped} cases left out")
    return 1 if failed or not compared else 0


sys.exit(main())
