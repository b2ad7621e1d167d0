import Fleet
import Generators
import Keys

extension Configuration {
    /// The tables of the documentation in Markdown, by name.
    package static var tables: [String: String] {
        var tables = keyTables.reduce(into: [:]) { tables, table in tables[table.name] = KeyRow.table(table.rows) }
        tables["generators"] = generators
        return tables
    }

    /// The anchors of keys in docs/reference/configuration.md. An anchor has the keys from the top of the file, without
    /// the names of layers and maps, such as `server.port` and `layers.maxZoom`.
    static var anchors: Set<String> { Set(keyTables.flatMap { $0.rows.compactMap(\.anchor) }) }

    private static var keyTables: [(name: String, rows: [KeyRow])] {
        let layer = LayerSettings(id: "", source: .url(URLSource()))
        let map = KeyRow(
            name: LayerSettings.servedKeys.map(\.name).joined(separator: "`, `"), standard: nil, values: "",
            meaning: "same as for a layer. Unset zooms, tile size and attribution come from the map's layers")
        let layers = (LayerSettings.servedKeys + LayerSettings.sourceKeys).flatMap { $0.tableRows(layer) }
        var tables = [
            ("server", anchored("server.", ServerSettings.rows.filter { !$0.name.hasPrefix("limits.") })),
            ("limits", anchored("server.limits.", ServerLimits.rows)),
            ("clients", anchored("", below("limits", ClientLimitSettings.rows))),
            ("log", anchored("", below("log", LogSettings.rows))),
            (
                "admin",
                anchored(
                    "",
                    below("admin", AdminSettings.rows) + below("cache", CacheSettings.rows)
                        + below("metrics", MetricsSettings.rows))
            ),
            ("fleet", anchored("", below("fleet", FleetSettings.rows))),
            ("cdn", anchored("", below("cdn", CDNSettings.rows))),
            ("layers", anchored("layers.", layers)),
            ("maps", anchored("maps.", MapSource.rows) + [map]),
        ]
        // Kinds of layers share some keys.
        var taken = Set(layers.map(\.name))
        for kind in LayerSource.kinds where !kind.rows.isEmpty {
            let rows = kind.rows.map { row in taken.insert(row.name).inserted ? anchored("layers.", [row])[0] : row }
            tables.append((kind.key, rows))
        }
        return tables
    }

    private static func anchored(_ start: String, _ rows: [KeyRow]) -> [KeyRow] {
        rows.map { row in
            var row = row
            row.anchor = start + row.name
            return row
        }
    }

    /// Returns `document` with updated tables. A table stands between `<!-- table NAME -->` and `<!-- end of table
    /// -->`.
    package static func fillingTables(of document: String) -> String {
        var result = document
        for (name, table) in tables {
            guard let opening = result.firstRange(of: "<!-- table \(name) -->\n"),
                let closing = result[opening.upperBound...].firstRange(of: "<!-- end of table -->")
            else { continue }
            result.replaceSubrange(opening.upperBound..<closing.lowerBound, with: table + "\n")
        }
        return result
    }

    private static func below(_ section: String, _ rows: [KeyRow]) -> [KeyRow] {
        rows.map {
            KeyRow(name: "\(section).\($0.name)", standard: $0.standard, values: $0.values, meaning: $0.meaning)
        }
    }

    private static var generators: String {
        let rows = GeneratorSource.kinds.flatMap { kind in
            ["| `\(kind.name)` | | | | \(kind.doc) |"] + kind.rows.map { $0.markdown(after: [""]) }
        }
        return (["| `generator` | key | default | values | meaning |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}
