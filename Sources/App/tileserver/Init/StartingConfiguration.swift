import Foundation

/// Makes the text of a first configuration. The text has one layer, and examples of other keys as comments.
struct StartingConfiguration {
    let source: FoundSource
    let file: String
    /// The absolute directory of the new file. Nil if unknown.
    let directory: String?

    var text: String {
        let flag = file == "-" ? "FILE" : FoundSource.shown(file)
        let head = [
            "# A first configuration, written by `tileserver init`. docs/reference/configuration.md lists all keys.",
            "# Check it:  tileserver check \(flag)",
            "# Serve it:  tileserver serve --config \(flag)", "", "server:", "  port: 8080",
            "  # publicURL: https://tiles.example.org         # the URL behind a proxy", "",
            "# cache: { disk: { maxBytes: 10GiB } }           # tiles survive restarts", "",
            "# Keys that all layers share:", "# layerDefaults: { maxAge: 1h, noTile: transparent }", "", "layers:",
        ]
        return (head + layer + maps).joined(separator: "\n") + "\n"
    }

    private var layer: [String] {
        let notes = source.notes.map { "  # \(FoundSource.shown($0))." }
        return notes + ["  \(key(source.id)):"] + (tiles + about + rest).map { "    " + $0 }
    }

    private var tiles: [String] {
        switch source.kind {
        case .mbtiles(let path): return ["mbtiles: \(quoted(located(path)))"]
        case .pmtiles(let location):
            let isRemote = location.contains("://")
            return ["pmtiles: \(quoted(isRemote ? location : located(location), keepsVariables: source.hasVariables))"]
        case .geojson(let path):
            return [
                "geojson: \(quoted(located(path)))", "# fill: \"#3388ff40\"", "# stroke: \"#3388ff\"",
                "# width: 2                                  # points", "tileSize: 512",
            ]
        case .url(let template):
            let isFile = template.hasPrefix("file:")
            let shown = isFile ? "file:" + located(String(template.dropFirst(5))) : template
            var lines = ["url: \(quoted(shown, keepsVariables: source.hasVariables))"]
            if !source.subdomains.isEmpty {
                lines.append("subdomains: [\(source.subdomains.map { quoted($0) }.joined(separator: ", "))]")
            }
            if source.isTMS {
                lines.append("scheme: tms                               # rows are counted from the south")
            }
            if !isFile {
                lines.append(
                    source.userAgent.map { "userAgent: \(quoted($0))" }
                        ?? "# userAgent: \"my-map/1.0 (+https://example.org)\"   # many servers require a User-Agent")
            }
            return lines
        }
    }

    private var about: [String] {
        var lines: [String] = []
        if let name = source.name { lines.append("name: \(quoted(FoundSource.shown(name)))") }
        if let description = source.description { lines.append("description: \(quoted(description))") }
        lines.append(
            source.attribution.map { "attribution: \(quoted($0))" } ?? "# attribution: \"© name of the owner\"")
        return lines
    }

    private var rest: [String] {
        var lines: [String] = []
        if let zooms = source.zooms {
            lines += ["minZoom: \(zooms.lowerBound)", "maxZoom: \(zooms.upperBound)"]
        } else if case .url = source.kind {
            lines.append("# maxZoom: 19                              # the highest zoom with tiles")
        }
        if let bounds = source.bounds {
            let numbers = bounds.map { FoundSource.written($0) }.joined(separator: ", ")
            lines.append("bounds: [\(numbers)]   # west, south, east, north")
        }
        if let size = source.tileSize { lines.append("tileSize: \(size)") }
        lines.append("# overzoom: 2                              # enlarges lower zooms where tiles are missing")
        if case .url(let template) = source.kind, !template.hasPrefix("file:") {
            lines.append(
                "# ttl: 1d                                  # lifetime of a tile if the server sends none")
        }
        return lines
    }

    private var maps: [String] {
        [
            "", "# A map draws several layers, for a camera:", "# maps:", "#   map:",
            "#     base: \(key(source.id))", "#     camera: { lat: 0, lng: 0, zoom: 2 }",
        ]
    }

    /// Returns the id as a YAML key. An id of digits needs quotes to be text.
    private func key(_ id: String) -> String { id.contains(where: \.isLetter) ? id : quoted(id) }

    /// Returns `path` relative to the configuration's directory if it lies below, else absolute.
    private func located(_ path: String) -> String {
        let absolute = absolutePath(path)
        guard let directory, absolute.hasPrefix(directory == "/" ? "/" : directory + "/") else { return absolute }
        return String(absolute.dropFirst(directory == "/" ? 1 : directory.count + 1))
    }

    /// Returns `text` in double quotes for YAML (YAML 1.2.2 7.3.1). A control character other than a line feed or a tab
    /// becomes a space. A dollar is written twice, because a single dollar can begin a variable such as `${NAME}`. If
    /// `keepsVariables`, the variables in `text` remain variables.
    private func quoted(_ text: String, keepsVariables: Bool = false) -> String {
        guard keepsVariables else { return "\"\(escaped(text))\"" }
        var (result, rest) = ("", text[...])
        while let variable = rest.firstMatch(of: FoundSource.variable) {
            result += escaped(String(rest[..<variable.range.lowerBound])) + variable.output.0
            rest = rest[variable.range.upperBound...]
        }
        return "\"\(result)\(escaped(String(rest)))\""
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "$": result += "$$"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.properties.generalCategory == .control: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension FoundSource {
    /// Returns degrees with at most six decimals, about a decimetre, without trailing zeros.
    static func written(_ degrees: Double) -> String {
        degrees.text(decimals: 6)
    }
}
