#!/usr/bin/env python3
"""tally models, and the models of tally score."""
import json, os, shutil, struct, unittest
from pathlib import Path
from support import TALLY, Case, bits, clip, tally

DATA = Path(__file__).resolve().parent.parent / "data"
PICTURE = clip("s_pic352_8_420")


def number(text):
    """The double that bits() wrote."""
    return struct.unpack(">d", bytes.fromhex(text))[0]


class Models(Case):
    def setUp(self):
        super().setUp()
        self.home = self.path("home")
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.home, "LC_ALL": "C"}
        self.installed = Path(self.home, ".local/share/tally/model")

    def run_models(self, *arguments, status=0):
        done = tally("models", *arguments, env=self.environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_nothing_is_there(self):
        text = self.run_models()
        self.assertIn("no models in", text)
        self.assertIn(str(self.installed), text)
        self.assertIn("    vmaf_v1.0.16_3d0h\n", text)
        self.assertEqual(text.count("vmaf_"), 17)

    def test_what_is_found(self):
        self.installed.mkdir(parents=True)
        shutil.copy(DATA / "psnr_model.json", self.installed)
        shutil.copy(DATA / "psnr_model.json", self.installed / "vmaf_v0.6.1.json")
        (self.installed / "broken.json").write_text('{"model_dict": {"slopes": [NaN]}}')
        text = self.run_models("--model-dir", DATA)
        self.assertIn("psnr_collection\n    file     " + str(DATA / "psnr_collection.json"), text)
        self.assertIn("members  5", text)
        self.assertIn("features psnr_y enable_chroma=true, psnr_cb, psnr_cr", text)
        self.assertIn("psnr_model (hidden by the one above)", text)
        self.assertIn("(NOT the published file)", text)
        self.assertIn("broken (cannot be used)", text)
        self.assertIn("byte 27: not valid JSON", text)
        self.assertNotIn("    vmaf_v0.6.1\n", text)

    def test_get_refuses_another_file(self):
        mirror = Path(self.folder, "mirror")
        mirror.mkdir()
        shutil.copy(DATA / "psnr_model.json", mirror / "vmaf_v0.6.1.json")
        text = self.run_models("get", "vmaf_v0.6.1", "--from", f"file://{mirror}/", status=2)
        self.assertIn("is not the published model: its SHA-256 is", text)
        self.assertEqual(list(self.installed.iterdir()), [])

    def test_get_of_what_is_not_to_be_had(self):
        text = self.run_models("get", "vmaf_v0.6.1", "--from", f"file://{self.folder}/", status=2)
        self.assertIn("was not downloaded", text)
        self.assertEqual(list(self.installed.iterdir()), [])
        self.assertIn("no model 'vmaf' is known", self.run_models("get", "vmaf", status=1))

    def test_get_without_curl(self):
        self.environment["PATH"] = self.folder
        self.assertIn("curl", self.run_models("get", "vmaf_v0.6.1", status=2))
        self.assertEqual(list(self.installed.iterdir()), [])

    @unittest.skipUnless("TALLY_TEST_DATA" in os.environ, "needs TALLY_TEST_DATA")
    def test_get(self):
        mirror = Path(os.environ["TALLY_TEST_DATA"], "models")
        self.assertIn("downloaded", self.run_models("get", "vmaf_v0.6.1", "--from", f"file://{mirror}/"))
        self.assertEqual((self.installed / "vmaf_v0.6.1.json").read_bytes(),
                         (mirror / "vmaf_v0.6.1.json").read_bytes())
        self.assertIn("is there already", self.run_models("get", "vmaf_v0.6.1"))
        self.assertIn("(as published)", self.run_models())

    def test_usage(self):
        for arguments in (["--nope"], ["got", "x"], ["get"], ["get", "a", "b"], ["--model-dir"], ["--from", "x"],
                          ["get", "vmaf_v0.6.1", "--model-dir", "x"]):
            self.run_models(*arguments, status=1)
        self.assertIn("usage: tally models", self.run_models("--help"))


class Score(Case):
    def test_only_the_features_of_the_model(self):
        report = self.report(*PICTURE, "-m", DATA / "psnr_model.json")
        self.assertEqual(list(report["frames"][0]["metrics"]), ["psnr_y", "psnr_cb", "psnr_cr", "vmaf"])
        self.assertEqual(report["tally"]["features"], ["psnr"])
        model, = report["tally"]["models"]
        self.assertEqual((model["name"], model["file"]), ("vmaf", str(DATA / "psnr_model.json")))
        self.assertEqual(len(model["sha256"]), 64)

    def test_order_of_columns(self):
        report = self.report(*PICTURE, "--model-dir", DATA, "-f", "float_psnr", "-m", "psnr_collection:name=c", "-m",
                             "psnr_model:name=t:enable_transform")
        self.assertEqual(list(report["frames"][0]["metrics"]),
                         ["psnr_y", "psnr_cb", "psnr_cr", "float_psnr", "c", "t", "c_0001", "c_0002", "c_0003", "c_0004",
                          "c_bagging", "c_stddev", "c_ci_p95_lo", "c_ci_p95_hi"])

    def test_the_same_bits_whatever_computes(self):
        request = (*PICTURE, "-m", DATA / "psnr_collection.json")
        scores = self.scores(*request)
        for more in (("--level", "scalar"), ("--threads", 1), ("--threads", 5)):
            self.assertEqual(self.scores(*request, *more), scores)
        part = self.scores(*request, "--from", 1, "--to", 2)
        self.assertEqual(part, {frame: scores[frame] for frame in (1, 2)})

    def test_models_that_are_not_there(self):
        self.fails(1, ["the model vmaf_v0.6.1 is not here", "tally models get vmaf_v0.6.1", "Looked in: /nowhere"],
                   "score", *PICTURE, "-m", "vmaf_v0.6.1", "--model-dir", "/nowhere", env={"HOME": self.folder})
        self.fails(2, "cannot be opened", "score", *PICTURE, "-m", "./none.json")
        self.fails(1, "two models would both write the score vmaf", "score", *PICTURE, "--model-dir", DATA, "-m",
                   "psnr_model", "-m", "psnr_model")


class Mixed(Case):
    """A model that takes features of several generations: its score is their sum, in this order."""
    FEATURES = {
        "Cambi_feature_cambi_score": ("cambi", {"cambi_vis_lum_threshold": 0.06}),
        "Speed_chroma_feature_speed_chroma_uv_score": ("speed_chroma", {"speed_nn_floor": 0.1, "speed_weight_var_mode": 5}),
        "Speed_temporal_feature_speed_temporal_score": ("speed_temporal", {}),
        "VMAF_integer_feature_vif_scale0_score": ("vif", {}),
        "float_ssim": ("float_ssim", {}),
    }
    COLUMNS = ["cambi_vlt_0.06", "speed_chroma_uv_nnf_0.1_wvm_5", "speed_temporal", "integer_vif_scale0", "float_ssim"]

    def test_features_of_all_generations(self):
        count = len(self.FEATURES)
        model = {"model_dict": {
            "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "feature_names": list(self.FEATURES),
            "feature_opts_dicts": [options for _, options in self.FEATURES.values()],
            "slopes": [1] * (count + 1), "intercepts": [0] * (count + 1),
            "model": "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 "
                     + " ".join(f"{i + 1}:1" for i in range(count)) + " \n"}}
        path = self.path("mixed.json", json.dumps(model).encode())
        frames = self.scores(*PICTURE, "-m", path + ":name=mixed")
        requests = []
        for name, options in self.FEATURES.values():
            requests += ["-f", name + "".join(f"{':' if i else '='}{o}={v}" for i, (o, v) in enumerate(options.items()))]
        alone = self.scores(*PICTURE, *requests)
        self.assertEqual(len(frames), 4)
        for n, scores in frames.items():
            self.assertEqual(scores["mixed"], bits(sum(number(alone[n][column]) for column in self.COLUMNS)))
            for column in self.COLUMNS:
                self.assertEqual(scores[column], alone[n][column])


if __name__ == "__main__":
    unittest.main()
