import Fleet
import Generators
import Keys

extension Configuration {
    /// The tables of the documentation in Markdown, by name.
    package static var tables: [String: String] {
        let layer = LayerSettings(id: "", source: .url(URLSource()))
        let map = KeyRow(
            name: LayerSettings.servedKeys.map(\.name).joined(separator: "`, `"), standard: nil, values: "",
            meaning: "same as for a layer. Unset zooms, tile size and attribution come from the map's layers")
        var tables = [
            "server": KeyRow.table(ServerSettings.rows.filter { !$0.name.hasPrefix("limits.") }),
            "limits": KeyRow.table(ServerLimits.rows),
            "clients": KeyRow.table(below("limits", ClientLimitSettings.rows)),
            "log": KeyRow.table(below("log", LogSettings.rows)),
            "admin": KeyRow.table(
                below("admin", AdminSettings.rows) + below("cache", CacheSettings.rows)
                    + below("metrics", MetricsSettings.rows)),
            "fleet": KeyRow.table(below("fleet", FleetSettings.rows)),
            "cdn": KeyRow.table(below("cdn", CDNSettings.rows)),
            "layers": KeyRow.table(
                (LayerSettings.servedKeys + LayerSettings.sourceKeys).flatMap { $0.tableRows(layer) }),
            "generators": generators,
            "maps": KeyRow.table(MapSource.rows + [map]),
        ]
        for kind in LayerSource.kinds where !kind.rows.isEmpty { tables[kind.key] = KeyRow.table(kind.rows) }
        return tables
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
