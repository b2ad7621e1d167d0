/// The texts that MBTiles (MBTiles 1.3, Metadata) and PMTiles (PMTiles 3, JSON metadata) have under the same names.
extension SourceDescription {
    /// The names of the texts that `setTexts` reads.
    package static let textNames = ["name", "description", "attribution", "version", "type"]

    /// Takes the texts of an archive by their names. Ignores invalid values, and removes control characters. The
    /// description and the credit keep line feeds and tabs. The name is cut to 256 characters, and other texts are cut
    /// to 4,096.
    package mutating func setTexts(_ fields: [String: String]) {
        name = Self.text(fields["name"], limit: 256)
        description = Self.text(fields["description"], limit: 4_096, lines: true)
        attribution = Self.text(fields["attribution"], limit: 4_096, lines: true)
        version = fields["version"].flatMap(Self.version)
        kind = fields["type"].flatMap(Kind.init)
    }

    private static func text(_ text: String?, limit: Int, lines: Bool = false) -> String? {
        let plain = PlainText.of(text ?? "", limit: limit, lines: lines)
        return plain.isEmpty ? nil : plain
    }

    /// Completes a version to three numbers, which TileJSON requires. Archives may have fewer.
    private static func version(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = { (part: Substring) in
            (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard (1...3).contains(parts.count), parts.allSatisfy(isNumber) else { return nil }
        return (parts.map(String.init) + ["0", "0"]).prefix(3).joined(separator: ".")
    }
}
