import Keys
import Text

extension Configuration: KeyedSettings {
    package init() { self.init(layers: []) }

    package static let keys: [Key<Configuration>] = [
        Key("server", section: \.server, "address, proxies, memory and HTTP limits of the server"),
        Key("admin", section: \.admin, "access to the admin routes"),
        Key("limits", section: \.limits, "[limits for each client](limits.md#limits-for-each-client)"),
        Key("log", section: \.log, "[log on standard error](events.md)"),
        Key("cache", section: \.cache, "size and place of the tile cache"),
        Key("fleet", optionalSection: \.fleet, "fleet of nodes that serve the same layers"),
        Key("metrics", section: \.metrics, "access to the metrics"),
        Key(
            "cdn", section: \.cdn, "[tags and purges for caches in front](../guides/cdn.md)"),
        Key(
            "fonts", list: \.fonts, of: .font,
            "[fonts](../guides/fonts.md) for letters that the program's own font does not have: files, `file.ttc#2`, "
                + "directories"
        ).locatingFonts(\.fonts),
        Key(
            "layerDefaults", schema: LayerSettings.defaultsSchema, "keys that all layers share", read: readLayerDefaults
        ),
        .archives,
        Key("layers", schema: named("layer"), "layers, by their names in URLs", read: readLayers),
        Key("maps", schema: named("map"), "maps, by their names in URLs", read: readMaps),
    ]

    /// Warns of clients that `server.https.redirect` shuts out: a node and a monitor do not follow a redirect.
    package func check(_ root: inout MappingReader) {
        guard let https = server.https, https.redirect, server.port != nil else { return }
        if let peer = fleet?.peers.first(where: { $0.lowercased().hasPrefix("http://") }) {
            root.warn("fleet", "peers: \(peer) refuses messages if it has server.https.redirect; write https://")
        }
        if metrics.listen == nil, root.has("metrics") {
            root.warn("metrics", "server.https.redirect refuses /metrics without TLS; set metrics.listen or use HTTPS")
        }
    }

    /// Reads the whole file.
    mutating func read(_ root: inout MappingReader, needsLayers: Bool) {
        read(&root)
        // The layers have them already.
        if archives.isEmpty { layerDefaults = nil }
        if needsLayers, layers.isEmpty, archives.isEmpty, root.isSound("archives"), root.isSound("layers") {
            root.complain("layers", "at least one layer is needed")
        }
        root.refuseUnknownKeys()
    }

    private static func readLayers(_ root: inout MappingReader, _ configuration: inout Configuration) {
        root.mapping("layers", instead: "layers: { grid: { generator: grid } }, without a dash") { section in
            for id in section.keys {
                section.mapping(id, sharing: section.context.layerDefaults) {
                    configuration.layers.append(LayerSettings.read(id, &$0))
                }
            }
        }
    }

    private static func readLayerDefaults(_ root: inout MappingReader, _ configuration: inout Configuration) {
        var defaults: SharedEntries?
        root.mapping("layerDefaults", instead: "layerDefaults: { maxAge: 1h }, without a dash") { section in
            configuration.layerDefaults = LayerSettings.readDefaults(&section)
            defaults = SharedEntries(section)
        }
        root.context.layerDefaults = defaults
    }

    private static func readMaps(_ root: inout MappingReader, _ configuration: inout Configuration) {
        root.context.layers = configuration.layers.map(\.id) + root.context.archives
        root.mapping("maps", instead: "maps: { demo: { layers: [grid] } }, without a dash") { section in
            section.context.maps = section.keys
            for id in section.keys {
                section.mapping(id) { configuration.maps.append(LayerSettings.readMap(id, &$0)) }
            }
        }
    }

    /// Returns the schema of a mapping from names to the definition `kind` in `$defs`.
    private static func named(_ kind: String) -> SchemaValue {
        [
            "type": ["object", "null"],
            "propertyNames": [
                "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$",
                "not": ["enum": .list(LayerSettings.reservedIDs.map { .text($0) })],
            ],
            "additionalProperties": ["$ref": .text("#/$defs/\(kind)")],
        ]
    }
}
