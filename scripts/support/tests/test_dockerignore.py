"""Tests of the rules of .dockerignore. scripts/docker-check compares with buildah's reading of the project's own
file."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import dockerignore


class DockerignoreTests(unittest.TestCase):
    def check(self, text, lets_in=(), leaves_out=()):
        patterns = dockerignore.parse(text)
        for path in lets_in:
            self.assertTrue(dockerignore.lets_in(patterns, path), f"{path} is left out by {text!r}")
        for path in leaves_out:
            self.assertFalse(dockerignore.lets_in(patterns, path), f"{path} is let in by {text!r}")

    def test_lets_in_everything_without_a_pattern(self):
        self.check("# a comment\n\n", ["a", "a/b"])

    def test_leaves_out_a_folder_with_all_below_it(self):
        self.check("web\n", ["webs", "a/web"], ["web", "web/a", "web/a/b"])

    def test_the_last_pattern_that_matches_decides(self):
        self.check("*\n!web\nweb/tests\n", ["web/a", "web/a/tests"], ["a", "web/tests", "web/tests/a"])
        self.check("web/tests\n*\n!web\n", ["web/tests/a"])

    def test_cleans_patterns(self):
        self.check("  /web/ \n! ./web/a/../b\n", ["web/b", "a"], ["web/c"])

    def test_stars_and_question_marks_stay_within_a_name(self):
        self.check("*.md\na?c\n", ["a/b.md", "ac", "a/c"], ["b.md", ".md", "abc", "abc/d"])

    def test_two_stars_cross_folders(self):
        self.check("**/*.log\nvar/**/tmp\nold/**\n", ["var", "log"],
                   ["a.log", "a/b.log", "var/tmp", "var/a/b/tmp/c", "old/a/b"])

    def test_classes_and_escapes(self):
        self.check("[a-c].txt\n[^x]y\n\\*z\n", ["d.txt", "xy", "az"], ["b.txt", "ay", "*z"])

    def test_every_other_character_is_itself(self):
        self.check("a.b+(c)\n", ["aXb+(c)", "a.bb(c)"], ["a.b+(c)"])

    def test_lists_files_and_links_without_entering_what_links_name(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / ".dockerignore").write_text("*\n!kept\nkept/not\n")
            (root / "kept/not").mkdir(parents=True)
            (root / "other").mkdir()
            for path in ("kept/a", "kept/not/b", "other/c"):
                (root / path).write_text("")
            (root / "kept/link").symlink_to("../other")
            self.assertEqual(dockerignore.files(root), ["kept/a", "kept/link"])


if __name__ == "__main__":
    unittest.main()
