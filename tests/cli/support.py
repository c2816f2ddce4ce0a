"""What the tests of the program share: running it, making small clips, a folder that goes away."""
import json, os, struct, subprocess, tempfile, unittest

TALLY = os.environ["TALLY"]
CLIPS = os.environ["TALLY_CLIPS"]  # the synthetic clips, made by make_clips


def clip(name):
    return f"{CLIPS}/{name}_ref.y4m", f"{CLIPS}/{name}_dis.y4m"


def tally(*arguments, **keywords):
    """Runs the program; text in and out unless input is bytes."""
    keywords.setdefault("text", not isinstance(keywords.get("input"), bytes))
    if "input" not in keywords and "stdin" not in keywords:
        keywords["stdin"] = subprocess.DEVNULL
    for stream in ("stdout", "stderr"):
        keywords.setdefault(stream, subprocess.PIPE)
    return subprocess.run([TALLY, *map(str, arguments)], **keywords)


def bits(value):
    return None if value is None else struct.pack(">d", value).hex()


def y4m(width, height, frames, tag="420", sample=lambda t, p, i: (i * 7 + t * 3 + p) % 256, header=""):
    """The bytes of a small 8-bit y4m clip."""
    chroma = {"mono": (0, 0), "420": ((width + 1) // 2, (height + 1) // 2), "422": ((width + 1) // 2, height),
              "444": (width, height)}[tag]
    sizes = [width * height] + [chroma[0] * chroma[1]] * 2
    data = f"YUV4MPEG2 W{width} H{height} F25:1 Ip C{tag}{header}\n".encode()
    for t in range(frames):
        data += b"FRAME\n" + b"".join(bytes(sample(t, p, i) for i in range(n)) for p, n in enumerate(sizes))
    return data


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def fails(self, status, words, *arguments, **keywords):
        """The program ends with this status, says each of the words on standard error and nothing on standard output."""
        done = tally(*arguments, **keywords)
        self.assertEqual(done.returncode, status, done.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def report(self, *arguments, status=0, **keywords):
        """The JSON report of `tally score …` at full precision."""
        done = tally("score", *arguments, "--precision", "max", "--format", "json", "-o", "-", "-q", **keywords)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def scores(self, *arguments, **keywords):
        """{frame: {metric: bits}}"""
        return {frame["frameNum"]: {name: bits(value) for name, value in frame["metrics"].items()}
                for frame in self.report(*arguments, **keywords)["frames"]}
