/// A row in a table of the documentation, which describes one configuration key.
package struct KeyRow: Sendable {
    package var name: String
    package var standard: String?
    package var values: String
    package var meaning: String
    /// The name of the row for links to it. Nil: nothing links to it.
    package var anchor: String?

    package init(name: String, standard: String?, values: String, meaning: String) {
        self.name = name
        self.standard = standard
        self.values = values
        self.meaning = meaning
    }

    /// Returns this row with its name below `key`.
    func below(_ key: String) -> KeyRow {
        var row = self
        row.name = "\(key).\(name)"
        return row
    }

    /// Returns a line of a Markdown table, with the cells of `first` in front.
    package func markdown(after first: [String] = []) -> String {
        let link = anchor.map { "<a id=\"\($0)\"></a>" } ?? ""
        let cells = first + ["\(link)`\(name)`", standard.map { "`\($0)`" } ?? "", values, meaning]
        return cells.reduce("|") { $0 + ($1.isEmpty ? " |" : " \($1.replacing("|", with: "\\|")) |") }
    }

    /// Returns a Markdown table.
    package static func table(_ rows: [KeyRow]) -> String {
        (["| key | default | values | meaning |", "|---|---|---|---|"] + rows.map { $0.markdown() })
            .joined(separator: "\n")
    }
}
