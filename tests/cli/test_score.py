#!/usr/bin/env python3
"""tally score: which frames are scored, how inputs that do not fit are refused, what goes where."""
import json, math, os, pty, signal, subprocess, time, unittest
from pathlib import Path
from support import CLIPS, TALLY, Case, clip, tally, y4m

PICTURE = clip("s_pic352_8_420")


class Frames(Case):
    def test_ranges_hold_the_bits_of_the_whole_run(self):
        whole = self.scores(*PICTURE)
        self.assertEqual(sorted(whole), [0, 1, 2, 3])
        for first in range(4):
            for last in range(max(first, 1), 4):
                part = self.scores(*PICTURE, "--from", first, "--to", last)
                self.assertEqual(part, {n: whole[n] for n in range(first, last + 1)}, (first, last))

    def test_range_without_an_end(self):
        whole = self.scores(*PICTURE)
        self.assertEqual(self.scores(*PICTURE, "--from", 2), {n: whole[n] for n in (2, 3)})

    def test_every(self):
        whole = self.scores(*PICTURE)
        self.assertEqual(self.scores(*PICTURE, "--every", 3), {n: whole[n] for n in (0, 3)})

    def test_every_leaves_aggregates_over_all_frames(self):
        request = (*PICTURE, "-f", "psnr=enable_apsnr=true")
        self.assertEqual(self.report(*request, "--every", 3)["aggregate_metrics"],
                         self.report(*request)["aggregate_metrics"])

    def test_frames_limits_the_pairs(self):
        self.assertEqual(sorted(self.scores(*PICTURE, "-n", 2)), [0, 1])
        self.assertEqual(sorted(self.scores(*PICTURE, "--frames", 9)), [0, 1, 2, 3])

    def test_skipping_renumbers_from_zero(self):
        whole = self.scores(*PICTURE, "-f", "psnr")
        skipped = self.scores(*PICTURE, "-f", "psnr", "--skip-ref", 1, "--skip-dis", 1)
        self.assertEqual(skipped, {n: whole[n + 1] for n in range(3)})

    def test_skipping_one_file_shifts_the_pairs(self):
        reference, distorted = PICTURE
        a = self.scores(reference, reference, "-f", "psnr", "--skip-ref", 1, "--allow-short")
        self.assertEqual(sorted(a), [0, 1, 2])

    def test_ranges_that_cannot_be(self):
        self.fails(1, ["--from", "--to"], "score", *PICTURE, "--from", 3, "--to", 2)
        self.fails(1, ["--to 0", "at least 1"], "score", *PICTURE, "--to", 0)
        self.fails(2, ["only 4 frames", "begins at frame 9"], "score", *PICTURE, "--from", 9)
        self.fails(2, ["only 4 frames", "9 were to be skipped"], "score", *PICTURE, "--skip-dis", 9)

    def test_threads_and_levels_do_not_change_a_bit(self):
        digest = self.report(*PICTURE)["tally"]["digest"]
        for level in ("scalar", "v2", "v3", "v4", "neon"):
            for threads in (1, 2, 5):
                done = tally("score", *PICTURE, "-q", "-o", "-", "--level", level, "--threads", threads)
                if done.returncode in (1, 4):  # not in this build, or not on this CPU
                    continue
                self.assertEqual(json.loads(done.stdout)["tally"]["digest"], digest, (level, threads))


class Lengths(Case):
    def setUp(self):
        super().setUp()
        self.long = self.path("long.y4m", y4m(24, 24, 5))
        self.short = self.path("short.y4m", y4m(24, 24, 3))

    def test_a_clip_that_ends_early_is_scored_and_told(self):
        for reference, distorted in ((self.long, self.short), (self.short, self.long)):
            done = tally("score", reference, distorted, "-q", "-o", "-", "-f", "psnr")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(len(json.loads(done.stdout)["frames"]), 3)
            for word in ("short.y4m ended before", "3 frames", "5"):
                self.assertIn(word, done.stderr)

    def test_allow_short(self):
        done = tally("score", self.long, self.short, "--allow-short", "-f", "psnr")
        self.assertEqual(done.returncode, 0)
        self.assertIn("short.y4m ended before", done.stderr)

    def test_no_frames(self):
        empty = self.path("header.y4m", y4m(24, 24, 0))
        self.fails(2, "no frames", "score", empty, empty)


class Mismatches(Case):
    def pair(self, a, b):
        return self.path("a.y4m", a), self.path("b.y4m", b)

    def test_sizes(self):
        self.fails(3, ["24x24", "24x20", "a.y4m", "b.y4m"], "score",
                   *self.pair(y4m(24, 24, 1), y4m(24, 20, 1)))

    def test_formats(self):
        self.fails(3, ["420", "444", "a.y4m", "b.y4m"], "score",
                   *self.pair(y4m(24, 24, 1), y4m(24, 24, 1, "444")))

    def test_depths(self):
        self.fails(3, ["8", "10", "a.y4m"], "score", self.path("a.y4m", y4m(96, 64, 1)),
                   clip("s_flat96_10_420")[0])

    def test_a_differing_range_is_a_warning_that_names_both(self):
        a, b = self.pair(y4m(24, 24, 1, header=" XCOLORRANGE=FULL"), y4m(24, 24, 1, header=" XCOLORRANGE=LIMITED"))
        done = tally("score", a, b, "-f", "psnr")
        self.assertEqual(done.returncode, 0)
        for word in ("warning", "range", "full", "limited", "a.y4m", "b.y4m"):
            self.assertIn(word, done.stderr.lower())


class BadInput(Case):
    def test_files_that_cannot_be_read(self):
        good = self.path("good.y4m", y4m(24, 24, 1))
        for name, data in (("empty", b""), ("noise", os.urandom(4000)), ("headless", b"YUV4MPEG2 W24 H24"),
                           ("zero.y4m", b"YUV4MPEG2 W0 H24 C420\nFRAME\n"),
                           ("huge.y4m", b"YUV4MPEG2 W65536 H65536 C420\nFRAME\n"),
                           ("one.y4m", b"YUV4MPEG2 W1 H1 C411\nFRAME\n12345")):
            path = self.path(name, data)
            self.fails(2, name, "score", path, good)
            self.fails(2, name, "score", good, path)
        self.fails(2, "absent", "score", self.path("absent.y4m"), good)
        self.fails(2, self.folder, "score", self.folder, good)

    def test_truncation_at_every_byte(self):
        data = y4m(6, 4, 2, "mono")
        good = self.path("good.y4m", data)
        ends = {len(data): 0, len(data) - 30: 3}  # whole; exactly one frame of two
        for length in range(len(data)):
            cut = self.path("cut.y4m", data[:length])
            done = tally("score", good, cut, "-f", "psnr", "-q", "-o", self.path("r.json"))
            self.assertEqual(done.returncode, ends.get(length, 2), (length, done.stderr))

    def test_nothing_is_written_for_a_damaged_file(self):
        data = y4m(24, 24, 3)
        report = self.path("report.json")
        self.fails(2, ["cut.y4m", "frame 2"], "score", self.path("good.y4m", data),
                   self.path("cut.y4m", data[:-5]), "-o", report)
        self.assertFalse(os.path.exists(report))


class Raw(Case):
    def test_raw_equals_y4m(self):
        reference, distorted = PICTURE
        raw = []
        for path in PICTURE:
            data = Path(path).read_bytes()
            body = data.split(b"\n", 1)[1]
            size = 352 * 288 * 3 // 2
            raw.append(self.path(os.path.basename(path) + ".yuv",
                                 b"".join(body[i * (size + 6) + 6:(i + 1) * (size + 6)] for i in range(4))))
        options = ("--size", "352x288", "--pixel-format", "420", "--bit-depth", "8")
        self.assertEqual(self.scores(*raw, *options), self.scores(*PICTURE))

    def test_incomplete_or_wrong_description(self):
        raw = self.path("a.yuv", bytes(1000))
        self.fails(1, "--pixel-format", "score", raw, raw, "--size", "16x16")
        for size in ("16", "16x", "x16", "0x16", "16x70000", "-16x16", "16x16x16"):
            self.fails(1, size, "score", raw, raw, "--size", size, "--pixel-format", "420", "--bit-depth", "8")
        self.fails(1, "7", "score", raw, raw, "--size", "16x16", "--pixel-format", "420", "--bit-depth", "7")
        self.fails(2, ["a.yuv", "1000"], "score", raw, raw, "--size", "16x16", "--pixel-format", "420",
                   "--bit-depth", "8")


class Usage(Case):
    def test_wrong_arguments(self):
        for arguments in ([], ["only-one"], ["a", "b", "c"], ["a", "b", "--nonsense"], ["a", "b", "--threads", "x"],
                          ["a", "b", "--threads", "-1"], ["a", "b", "--threads", "99999"],
                          ["a", "b", "--precision", "18"], ["a", "b", "--precision", "0"],
                          ["a", "b", "--format", "yaml"], ["a", "b", "-n", "1.5"], ["a", "b", "--level", "v9"],
                          ["a", "b", "-o", "-", "-o", "-"], ["-", "-"]):
            done = self.fails(1, "tally:", "score", *arguments)
            self.assertNotIn("Segmentation", done.stderr)

    def test_an_absent_backend_is_never_replaced(self):
        self.fails(1, "there is no backend 'abacus'", "score", *PICTURE, "--backend", "abacus")
        self.fails(4, "device", "score", *PICTURE, "--backend", "cpu", "--device", "3")

    def test_features(self):
        for request, words in (("nonsense", "no feature 'nonsense'"), ("psnr=uv=true", ["psnr", "'uv'", "enable_mse"]),
                               ("psnr=enable_mse=yes", ["enable_mse=yes", "true or false"]),
                               ("psnr=min_sse=-1", ["min_sse=-1", "from 0"]), ("psnr=min_sse=nan", "min_sse=nan"),
                               ("psnr=min_sse=1,5", "min_sse=1,5"), ("psnr=min_sse", "has no value"),
                               ("psnr=min_sse=1:", "last ':'"), ("", "no feature ''")):
            self.fails(1, words, "score", *PICTURE, "-f", request)

    def test_requests_that_write_the_same_metric(self):
        self.fails(1, ["cambi=full_ref=true and", "window_size=33", "cambi_source"], "score", *PICTURE, "-f",
                   "cambi=full_ref=true", "-f", "cambi=window_size=33:full_ref=true")

    def test_values_that_make_no_sense_are_never_left_out(self):
        for request in ("speed_chroma=speed_kernelscale=1.3", "float_vif=vif_kernelscale=1.3"):
            self.fails(1, ["kernelscale=1.3"], "score", *PICTURE, "-f", request, "-f", "psnr", "--skip-unsupported")

    def test_requests_that_conflict(self):
        self.fails(1, ["psnr=min_sse=0.5", "no metric name tells"], "score", *PICTURE, "-f", "psnr", "-f",
                   "psnr=min_sse=0.5")

    def test_requests_that_add_metrics_are_merged(self):
        report = self.report(*PICTURE, "-f", "psnr", "-f", "psnr=enable_mse=true", "-f", "psnr")
        self.assertEqual(list(report["frames"][0]["metrics"]),
                         ["psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"])

    def test_unsupported_depths_are_refused_before_the_first_frame(self):
        odd = clip("t17x19_9_420")
        self.fails(1, ["psnr", "bit depth of 9", "8, 10, 12, 16"], "score", *odd, "-f", "psnr")

    def test_help_and_version(self):
        for arguments in (["--help"], ["score", "--help"], ["features", "--help"], ["verify", "--help"]):
            done = tally(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("tally", done.stdout)
        self.assertRegex(tally("--version").stdout, r"^tally \d+\.\d+\.\d+\n$")
        self.fails(1, "no command", "nonsense")

    def test_features_lists(self):
        listed = json.loads(tally("features", "--json").stdout)
        names = [feature["name"] for feature in listed["features"]]
        self.assertIn("psnr", names)
        text = tally("features").stdout
        for name in names:
            self.assertIn(name + ":", text)


class HeatMaps(Case):
    def maps(self, folder):
        return {file.name: file.read_bytes() for file in Path(self.path(folder)).iterdir()}

    def cambi(self, folder, *more):
        return ("-f", f"cambi=heatmaps_path={self.path(folder)}" + "".join(":" + option for option in more))

    def test_ranges_put_together_are_the_whole(self):
        bands = clip("syn217_8")
        self.scores(*bands, *self.cambi("whole"))
        self.scores(*bands, *self.cambi("parts"), "-n", 1)
        self.scores(*bands, *self.cambi("parts"), "--from", 1)
        whole = self.maps("whole")
        self.assertEqual(len(whole["cambi_heatmap_scale_0_217x131_16b.gray"]), 2 * 2 * 217 * 131)
        self.assertTrue(any(whole["cambi_heatmap_scale_0_217x131_16b.gray"]))
        self.assertEqual(self.maps("parts"), whole)

    def test_a_whole_run_begins_the_files(self):
        self.scores(*PICTURE, *self.cambi("maps"))
        self.scores(*PICTURE, *self.cambi("maps"), "-n", 1)
        self.assertEqual(len(self.maps("maps")["cambi_heatmap_scale_1_176x144_16b.gray"]), 2 * 176 * 144)

    def test_a_refused_run_leaves_files_alone(self):
        self.scores(*PICTURE, *self.cambi("maps"))
        before = self.maps("maps")
        self.fails(1, ["psnr", "min_sse"], "score", *PICTURE, *self.cambi("maps"), "-f", "psnr=min_sse=-1")
        self.fails(1, ["speed_chroma", "prescaled"], "score", *PICTURE, *self.cambi("maps"), "-f",
                   "speed_chroma=speed_prescale=0.1")
        self.assertEqual(self.maps("maps"), before)

    def test_one_folder_is_for_one_request(self):
        self.fails(1, ["heatmaps_path", "window_size=33", "same files"], "score", *PICTURE, *self.cambi("maps"),
                   *self.cambi("maps", "window_size=33"))
        self.assertFalse(Path(self.path("maps")).exists())

    def test_folders_that_cannot_be(self):
        file = self.path("file", b"")
        for more in ((), ("--skip-unsupported",)):
            self.fails(2, ["heatmaps_path", "no folder"], "score", *PICTURE, *self.cambi("file"), "-f", "psnr", *more)
            self.fails(2, ["heatmaps_path", "no folder"], "score", *PICTURE, *self.cambi("file/below"), *more)

    def test_contrasts_of_nothing_are_black(self):
        self.scores(*clip("syn217_8"), *self.cambi("maps", "window_size=15", "max_log_contrast=0"))
        for data in self.maps("maps").values():
            self.assertFalse(any(data))


class Output(Case):
    def test_reports_by_ending_and_by_format(self):
        paths = [self.path("r." + ending) for ending in ("json", "xml", "csv", "sub", "txt")]
        done = tally("score", *PICTURE, *[word for path in paths for word in ("-o", path)], "-q")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        begins = ["{", "<VMAF", "Frame,", "{0}", "{"]
        for path, begin in zip(paths, begins):
            self.assertTrue(Path(path).read_text().startswith(begin), path)

    def test_report_on_standard_output_sends_the_table_elsewhere(self):
        done = tally("score", *PICTURE, "-o", "-", "--format", "csv")
        self.assertTrue(done.stdout.startswith("Frame,"))
        self.assertIn("harmonic", done.stderr)

    def test_a_report_that_cannot_be_written(self):
        self.fails(2, "no/such/folder", "score", *PICTURE, "-q", "-o", self.path("no/such/folder/r.json"))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = tally("score", *PICTURE, stdout=full)
                self.assertEqual(done.returncode, 2)

    def test_locale_does_not_matter(self):
        available = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        comma = [name for name in available if name.lower().startswith("de_de")]
        if not comma:
            self.skipTest("no locale with a decimal comma is installed")
        environment = dict(os.environ, LC_ALL=comma[0])
        self.assertEqual(self.scores(*PICTURE, env=environment), self.scores(*PICTURE))

    def test_standard_input(self):
        reference, distorted = PICTURE
        expected = self.scores(*PICTURE)
        with open(distorted, "rb") as file:
            self.assertEqual(self.scores(reference, "-", stdin=file), expected)
        with open(reference, "rb") as file:
            self.assertEqual(self.scores("-", distorted, stdin=file), expected)
        cat = subprocess.Popen(["cat", distorted], stdout=subprocess.PIPE)
        self.assertEqual(self.scores(reference, "-", stdin=cat.stdout), expected)
        cat.stdout.close()
        cat.wait()


class Terminal(Case):
    def test_progress_is_shown_on_a_terminal_only(self):
        long = self.path("long.y4m", y4m(160, 120, 60, "mono"))
        master, slave = pty.openpty()
        done = tally("score", long, long, "-f", "psnr", stderr=slave)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(done.returncode, 0)
        self.assertIn("frames/s", shown)
        self.assertEqual(tally("score", long, long, "-f", "psnr").stderr, "")

    def test_an_interrupt_ends_the_run_and_writes_nothing(self):
        report = self.path("r.json")
        process = subprocess.Popen([TALLY, "score", "-", PICTURE[1], "-o", report], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        data = Path(PICTURE[0]).read_bytes()
        process.stdin.buffer.write(data[:-1000])
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)  # while it waits for the rest
        self.assertEqual(process.wait(10), -signal.SIGINT)
        process.stdin.close()
        self.assertIn("interrupted", process.stderr.read())
        process.stdout.close()
        process.stderr.close()
        self.assertFalse(os.path.exists(report))


class Memory(Case):
    def peak(self, frames):
        path = self.path(f"{frames}.y4m", y4m(320, 180, 1))
        frame = Path(path).read_bytes().split(b"\n", 1)[1]
        with open(path, "ab") as file:
            for _ in range(frames - 1):
                file.write(frame)
        process = subprocess.Popen([TALLY, "score", path, path, "-q", "-o", "/dev/null", "--threads", "2"])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_memory_does_not_grow_with_length(self):
        few, many = self.peak(10), self.peak(1000)
        # The scores themselves: 9 bytes each; the text of the report is written as it is formed. 1000 frames of this clip
        # are 86 MB a file.
        self.assertLess(many - few, 4 << 20)


class Verify(Case):
    def test_reports_of_two_levels_tally(self):
        a, b = self.path("a.json"), self.path("b.json")
        tally("score", *PICTURE, "-q", "--precision", "max", "-o", a, "--level", "scalar")
        tally("score", *PICTURE, "-q", "--precision", "max", "-o", b, "--threads", "3")
        self.assertEqual(tally("verify", a, b).returncode, 0)

    def test_one_bit(self):
        a, b = self.path("a.json"), self.path("b.json")
        tally("score", *PICTURE, "-q", "--precision", "max", "-o", a, "-f", "psnr")
        text = Path(a).read_text()
        value = json.loads(text)["frames"][2]["metrics"]["psnr_cb"]
        other = text.replace(repr(value), repr(math.nextafter(value, 100)), 1)
        Path(b).write_text(other)
        self.fails(2, ["b.json", "digest"], "verify", a, b)  # an edited report gives itself away
        Path(b).write_text(other.replace('"digest"', '"no_digest"'))
        done = tally("verify", a, b)
        self.assertEqual(done.returncode, 6, done.stdout + done.stderr)
        for word in ("psnr_cb", "frame 2"):
            self.assertIn(word, done.stdout)

    def test_usage(self):
        self.fails(1, "two reports", "verify", "a")
        self.fails(2, "absent", "verify", self.path("absent.json"), self.path("absent.json"))


if __name__ == "__main__":
    unittest.main()
