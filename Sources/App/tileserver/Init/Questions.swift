import Configuration
import Foundation

/// Asks a person at a terminal the questions of `tileserver init`.
enum Questions {
    /// Asks for the source of the tiles. Repeats a question if the answer is not usable. If `layer` is nil, also asks
    /// for the name of the layer and, if the source is another server, for its properties. `file` is the file that the
    /// command writes.
    static func ask(layer: String?, for file: NewFile) async throws(CommandError) -> FoundSource {
        say("Where do the tiles come from? A URL with {z}, {x} and {y}, the URL of a TileJSON,")
        say("an MBTiles or GeoJSON file, or a directory of tiles {z}/{x}/{y}.png.")
        var source = try await source(for: file)
        guard layer == nil else { return source }
        while true {
            guard let id = try answer("Name of the layer in the URL", otherwise: source.id) else { break }
            if LayerSettings.isValid(id: id), !LayerSettings.reservedIDs.contains(id) {
                source.id = id
                break
            }
            say(
                "  expected a name of 1 to 64 characters from a-z, 0-9, _ and -, other than "
                    + "\(LayerSettings.reservedIDs.joined(separator: ", "))"
            )
        }
        guard case .url(let template) = source.kind, !template.hasPrefix("file:") else { return source }
        if source.attribution == nil { source.attribution = try answer("Credits for the tiles") }
        source.userAgent = try answer("User-Agent for the tile server, such as my-map/1.0 (+https://example.org)")
        return source
    }

    private static func source(for file: NewFile) async throws(CommandError) -> FoundSource {
        while true {
            guard let text = try answer("Tiles") else { continue }
            do throws(CommandError) {
                let source = try await FoundSource(text)
                _ = try source.configuration(for: file)
                say("  found \(source.summary)")
                return source
            } catch {
                say("  \(error)")
            }
        }
    }

    /// Returns the answer. Nil if the answer is empty and there is no default.
    private static func answer(
        _ question: String, otherwise standard: String? = nil
    ) throws(CommandError) -> String? {
        say(question + (standard.map { " [\($0)]" } ?? "") + ": ", end: "")
        guard let line = readLine() else {
            throw CommandError.usage("expected a source of tiles, found the end of the input")
        }
        let text = line.trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? standard : text
    }

    /// Writes to standard error, so that standard output can be a file with `--output -`.
    private static func say(_ text: String, end: String = "\n") {
        // Ignores errors: if standard error is closed, there is no person to ask.
        try? FileHandle.standardError.write(contentsOf: Data((text + end).utf8))
    }
}
