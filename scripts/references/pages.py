"""Tables of a Markdown page, between `<!-- table NAME -->` and `<!-- end of table -->`."""
import re

END = "<!-- end of table -->"
TABLE = re.compile(r"<!-- table (?P<name>[^>]+?) -->\n(?P<rows>.*?)" + re.escape(END), re.DOTALL)
ANCHOR = re.compile(r'<a id="[^"]*"></a>')


def fill(text, tables):
    """Returns `text` with each table of `tables` in its place, and the names that the text has no place for."""
    missing = set(tables)

    def replace(match):
        name = match["name"]
        if name not in tables:
            return match[0]
        missing.discard(name)
        return f"<!-- table {name} -->\n{tables[name]}\n{END}"

    return TABLE.sub(replace, text), sorted(missing)


def markdown(columns, rows):
    """Returns a Markdown table. A `|` in a cell is escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    head, rule, *body = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    texts = ["| " + " | ".join(cells) + " |" for cells in (head, *body)]
    texts = [re.sub(r"\|  (?=\|)", "| ", text) for text in texts]
    return "\n".join([texts[0], "|" + "---|" * len(rule), *texts[1:]])


def named(name):
    """Returns the first cell of the row of `name`, with an anchor that messages and other pages link to."""
    return f'<a id="{name}"></a>`{name}`'


def written(text, name, column=-1):
    """Returns the cells of `column` in a table that people write, by the first cell of their row without anchor and backticks."""
    for match in TABLE.finditer(text):
        if match["name"] == name:
            rows = [split(line) for line in match["rows"].splitlines()[2:]]
            return {ANCHOR.sub("", row[0]).strip("`"): row[column] for row in rows if len(row) > 1}
    return {}


def split(line):
    """Returns the cells of a row of a Markdown table, unescaped."""
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]
