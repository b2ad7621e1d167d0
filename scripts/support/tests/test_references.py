"""Tests of scripts/reference: filling a page, and reading numbers of the sources."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from references import commands, decisions, limits, names, pages, sources

PAGE = "before\n<!-- table a -->\nold\n<!-- end of table -->\n<!-- table b -->\nkept\n<!-- end of table -->\n"


class PageTests(unittest.TestCase):
    def test_fills_the_tables_it_has(self):
        text, missing = pages.fill(PAGE, {"a": "new"})
        self.assertEqual(text, PAGE.replace("old", "new"))
        self.assertEqual(missing, [])

    def test_names_tables_without_a_place(self):
        self.assertEqual(pages.fill(PAGE, {"c": "new"}), (PAGE, ["c"]))

    def test_escapes_bars_and_reads_them_again(self):
        table = pages.markdown(["name", "", "meaning"], [["`a`", "", "x|y"]])
        self.assertEqual(table, "| name | | meaning |\n|---|---|---|\n| `a` | | x\\|y |")
        page = f"<!-- table t -->\n{table}\n<!-- end of table -->"
        self.assertEqual(pages.written(page, "t"), {"a": "x|y"})

    def test_a_meaning_is_found_behind_an_anchor(self):
        rows = pages.markdown(["name", "meaning"], [[pages.named("a"), "x"]])
        self.assertIn('| <a id="a"></a>`a` | x |', rows)
        page = f"<!-- table t -->\n{rows}\n<!-- end of table -->"
        self.assertEqual(pages.written(page, "t"), {"a": "x"})


class NumberTests(unittest.TestCase):
    def test_reads_shifts_products_and_durations(self):
        cases = {"64 << 20": 64 << 20, "1_024": 1024, "(2 + 1) * 96": 288, "60.0": 60.0,
                 ".milliseconds(250)": 0.25, "Duration.seconds(10)": 10}
        for text, number in cases.items():
            self.assertEqual(sources.value(text, "a file"), number, text)

    def test_refuses_what_is_no_number(self):
        self.assertRaises(LookupError, sources.value, "limits.most", "a file")

    def test_writes_bytes_with_the_largest_unit_that_divides_them(self):
        self.assertEqual(limits.written(8 << 20, "bytes"), "8 MiB")
        self.assertEqual(limits.written(200, "bytes"), "200 B")
        self.assertEqual(limits.written(0.25, "seconds"), "0.25 s")


class CommandTests(unittest.TestCase):
    def test_joins_the_lines_of_a_meaning(self):
        text = ("OPTIONS:\n  --a <a>   One (default:\n            two).\n"
                "  --long-option <long-option>\n            Three.\n")
        entries = commands.entries(commands.section(text, "OPTIONS"))
        self.assertEqual(entries, [("--a <a>", "One (default: two)"), ("--long-option <long-option>", "Three")])


class NameTests(unittest.TestCase):
    def test_reads_the_names_of_the_sources(self):
        self.assertIn("detail=store-skipped", names.words())
        self.assertIn(("zoomBy", '"delta", "point"'), list(names.update_fields()))
        self.assertIn("tilejson", names.document_keys())
        self.assertEqual(names.parameters()["scale"], "1…4")

    def test_keeps_the_meanings_of_the_page(self):
        page = "<!-- table fields -->\n| name | meaning |\n|---|---|\n| `X-Tile` | the tile |\n<!-- end of table -->"
        self.assertIn("| `X-Tile` | the tile |", names.tables(None, page)["fields"])

    def test_lists_decisions_by_number(self):
        rows = decisions.tables(None, "")["decisions"].splitlines()[2:]
        self.assertTrue(rows[0].startswith("| [1]("))


if __name__ == "__main__":
    unittest.main()
