#!/usr/bin/env python3
"""make_model.py TALLY
Trains the small models of this folder from scores that the program TALLY gives on clips made here, and writes what they
must predict. Python's own floats are IEEE doubles, and exp is taken from decimal arithmetic, so the expected values are
independent of Tally's code and correctly rounded.

psnr_model.json         kernel ridge regression on psnr_y, psnr_cb, psnr_cr, in the form of an SVR, with transform and clip
psnr_collection.json    the same and four members trained on resampled frames
psnr_scores.csv         features and expected scores of every frame, as C99 hexadecimal floats"""
import json, math, os, random, subprocess, sys, tempfile
from decimal import Decimal, getcontext

getcontext().prec = 60
WIDTH, HEIGHT, FRAMES, GAMMA, RIDGE = 64, 48, 16, 0.5, 0.01
FEATURES = ["psnr_y", "psnr_cb", "psnr_cr"]
HERE = os.path.dirname(os.path.abspath(__file__))


def planes(frame, strength, rng):
    out = bytearray()
    for w, h, phase in ((WIDTH, HEIGHT, 0), (WIDTH // 2, HEIGHT // 2, 50), (WIDTH // 2, HEIGHT // 2, 90)):
        for y in range(h):
            for x in range(w):
                clean = 64 + (3 * x + 5 * y + 7 * frame + phase) % 128
                out.append(max(0, min(255, clean + rng.randint(-strength, strength))))
    return out


def write_clip(path, distorted):
    rng = random.Random(1)
    with open(path, "wb") as f:
        f.write(b"YUV4MPEG2 W%d H%d F25:1 Ip C420\n" % (WIDTH, HEIGHT))
        for frame in range(FRAMES):
            f.write(b"FRAME\n" + planes(frame, 1 + 2 * frame if distorted else 0, rng))


def feature_scores(tally):
    with tempfile.TemporaryDirectory() as folder:
        reference, distorted, report = (os.path.join(folder, n) for n in ("r.y4m", "d.y4m", "s.json"))
        write_clip(reference, False)
        write_clip(distorted, True)
        subprocess.run([tally, "score", reference, distorted, "-f", "psnr", "-o", report, "--precision", "max", "-q"],
                       check=True)
        with open(report) as f:
            frames = json.load(f)["frames"]
    return [[frame["metrics"][name] for name in FEATURES] for frame in frames]


def exp(x):
    return float(Decimal(x).exp())


def kernel(a, b):
    d = 0.0
    for p, q in zip(a, b):
        d = d + (p - q) * (p - q)
    return exp(-GAMMA * d)


def solve(matrix, right):
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


SLOPES = [0.0125, 0.025, 0.02, 0.02]
INTERCEPTS = [-0.25, -0.5, -0.4, -0.4]


def normalise(features):
    return [s * f + t for f, s, t in zip(features, SLOPES[1:], INTERCEPTS[1:])]


def train(scores, opinions, chosen):
    x = [[float("%.7g" % v) for v in normalise(scores[i])] for i in chosen]
    y = [SLOPES[0] * opinions[i] + INTERCEPTS[0] for i in chosen]
    rho = -sum(y) / len(y)
    gram = [[kernel(a, b) + (RIDGE if i == j else 0.0) for j, b in enumerate(x)] for i, a in enumerate(x)]
    lines = ["svm_type nu_svr", "kernel_type rbf", "gamma %r" % GAMMA, "nr_class 2", "total_sv %d" % len(x),
             "rho %.7g" % rho, "SV"]
    for c, v in zip(solve(gram, [value + rho for value in y]), x):
        lines.append("%.7g %s" % (c, "".join("%d:%.7g " % (k + 1, w) for k, w in enumerate(v) if w != 0)))
    return {"model_dict": {
        "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "feature_names": FEATURES,
        "feature_opts_dicts": [{"enable_chroma": True}], "slopes": SLOPES, "intercepts": INTERCEPTS,
        "score_transform": {"p0": 1.5, "p1": 1.1, "p2": -0.0012, "out_gte_in": "true", "knots": None},
        "score_clip": [0.0, 100.0], "model": "\n".join(lines) + "\n"}}


# The same again as the specification says it, for the expected values.

def predict(model, features):
    lines = model["model"].split("\n")
    start = lines.index("SV") + 1
    rho = float([line for line in lines if line.startswith("rho")][0].split()[1])
    x, total = normalise(features), 0.0
    for line in lines[start:-1]:
        coefficient, *pairs = line.split()
        w = [0.0] * len(x)
        for pair in pairs:
            index, value = pair.split(":")
            w[int(index) - 1] = float(value)
        total = total + float(coefficient) * kernel(x, w)
    return ((total - rho) - INTERCEPTS[0]) / SLOPES[0]


def finish(score, transform):
    v = score
    if transform:
        v = ((0.0 + 1.5) + 1.1 * score) + (-0.0012 * score) * score
        v = score if v < score else v
    v = 0.0 if v < 0.0 else v
    return 100.0 if v > 100.0 else v


def percentile(q, p):
    r = p * (len(q) - 1) / 100.0
    low, high = math.floor(r), math.ceil(r)
    return q[low] if low == high else q[low] * (high - r) + q[high] * (r - low)


def bootstrap(q):
    total = squares = 0.0
    for v in q:
        total = total + v
    mean = total / len(q)
    for v in q:
        squares = squares + (v - mean) * (v - mean)
    deviation = math.sqrt(squares / len(q))
    q = sorted(q)
    slope = (finish(mean + 0.01, False) - finish(mean - 0.01, False)) / 0.02
    return [finish(mean, False), deviation * slope, finish(percentile(q, 2.5), False),
            finish(percentile(q, 97.5), False)]


def main():
    scores = feature_scores(sys.argv[1])
    opinions = [100.0 * math.exp(-frame / 10.0) for frame in range(FRAMES)]
    everything = train(scores, opinions, range(FRAMES))
    collection = {"0": json.loads(json.dumps(everything))}
    rng = random.Random(2)
    for member in range(1, 5):
        chosen = sorted(set(rng.randrange(FRAMES) for _ in range(FRAMES)))
        collection[str(member)] = train(scores, opinions, chosen)
    for member in collection.values():
        member["model_dict"]["model_type"] = "BOOTSTRAP_LIBSVMNUSVR"
    for name, content in (("psnr_model.json", everything), ("psnr_collection.json", collection)):
        with open(os.path.join(HERE, name), "w") as f:
            json.dump(content, f, indent=1)
            f.write("\n")
    with open(os.path.join(HERE, "psnr_scores.csv"), "w") as f:
        f.write(",".join(FEATURES) + ",score,transformed,bagging,stddev,ci_p95_lo,ci_p95_hi\n")
        for features in scores:
            raw = predict(everything["model_dict"], features)
            members = [predict(collection[str(i)]["model_dict"], features) for i in range(1, 5)]
            row = features + [finish(raw, False), finish(raw, True)] + bootstrap(members)
            f.write(",".join(value.hex() for value in row) + "\n")


main()
