#!/usr/bin/env python3
"""run-tests.py BUILD [--setup long] [meson test arguments]: runs the tests, shows the output of those that fail or skip, and
ends with the line "N passed, N failed, N skipped"."""
import json, os, subprocess, sys

build, *arguments = sys.argv[1:]
status = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", *arguments]).returncode
setup = arguments[arguments.index("--setup") + 1] if "--setup" in arguments else None
log = f"testlog-{setup}.json" if setup else "testlog.json"
counts = {"passed": 0, "failed": 0, "skipped": 0}
for line in open(os.path.join(build, "meson-logs", log)):
    test = json.loads(line)
    kind = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}.get(test["result"], "failed")
    counts[kind] += 1
    if kind == "failed":
        print(f"\n==== {test['name']}: {test['result']}\n{test.get('stdout', '')[-4000:]}{test.get('stderr', '')[-4000:]}")
    elif "SKIPPED" in test.get("stdout", "") + test.get("stderr", "") or kind == "skipped":
        print(f"\n==== {test['name']}: skipped, or parts of it:")
        for text in (test.get("stdout", "") + test.get("stderr", "")).splitlines():
            if "SKIP" in text.upper():
                print("    " + text.strip())
print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
sys.exit(status != 0 or counts["failed"] > 0 or counts["passed"] == 0)
