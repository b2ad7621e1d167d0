/// What a table of the documentation says of one key.
package struct KeyRow: Sendable {
    package var name: String
    package var standard: String?
    package var values: String
    package var meaning: String

    package init(name: String, standard: String?, values: String, meaning: String) {
        self.name = name
        self.standard = standard
        self.values = values
        self.meaning = meaning
    }

    /// The same below another key.
    func below(_ key: String) -> KeyRow {
        var row = self
        row.name = "\(key).\(name)"
        return row
    }

    /// A line of a Markdown table, behind the cells of `first`.
    package func markdown(after first: [String] = []) -> String {
        let cells = first + ["`\(name)`", standard.map { "`\($0)`" } ?? "", values, meaning]
        return cells.reduce("|") { $0 + ($1.isEmpty ? " |" : " \($1.replacing("|", with: "\\|")) |") }
    }

    /// A Markdown table.
    package static func table(_ rows: [KeyRow]) -> String {
        (["| key | default | values | meaning |", "|---|---|---|---|"] + rows.map { $0.markdown() })
            .joined(separator: "\n")
    }
}
