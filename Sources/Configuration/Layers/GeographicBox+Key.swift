import Settings

extension Key {
    /// A box of degrees.
    static func bounds(_ name: String, _ path: Path<GeographicBox?>, _ doc: String) -> Key {
        let edges = ["west", "south", "east", "north"].enumerated().map {
            GeographicBox.edge($0).schema.adding([("title", .text($1))])
        }
        let schema: SchemaValue = ["type": "array", "prefixItems": .list(edges), "items": false, "minItems": 4]
        return Key(name, schema: schema, doc) { section, settings in
            settings[keyPath: path] = GeographicBox.read(&section, name)
        }
    }
}

extension GeographicBox {
    fileprivate static func edge(_ index: Int) -> ValueRule<Double> {
        index.isMultiple(of: 2) ? .longitude : .latitude
    }

    fileprivate static func read(_ section: inout MappingReader, _ key: String) -> GeographicBox? {
        var edges: [Double] = []
        section.list(key, count: 4...4, into: &edges) { edge($0) }
        guard edges.count == 4 else { return nil }
        let bounds = GeographicBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        if bounds == nil {
            let reason = edges[1] < edges[3] ? "west and east are equal" : "south is not below north"
            section.complain(key, "\(reason) in [west, south, east, north]")
        }
        return bounds
    }
}
