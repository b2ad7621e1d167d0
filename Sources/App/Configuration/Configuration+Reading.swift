import Keys

extension Configuration: KeyedSettings {
    package init() { self.init(layers: []) }

    package static let keys: [Key<Configuration>] = [
        Key("server", section: \.server, "where and how the server listens"),
        Key("admin", section: \.admin, "who may clear the cache"),
        Key("limits", section: \.limits, "[what each client may ask for](operations.md#limits-for-clients)"),
        Key("log", section: \.log, "[what is written to standard error](operations.md#the-log)"),
        Key("cache", section: \.cache, "what the server keeps"),
        Key("fleet", optionalSection: \.fleet, "what servers share that serve the same layers"),
        Key("metrics", section: \.metrics, "where the server's numbers can be read"),
        Key(
            "cdn", section: \.cdn, "[what caches in front are told](operations.md#caches-in-front) of tiles and clears"),
        Key("layerDefaults", schema: LayerSettings.defaultsSchema, "what layers share", read: readLayerDefaults),
        Key("layers", schema: named("layer"), "layers by their names in the URL", read: readLayers),
        Key("maps", schema: named("map"), "maps by their names in the URL", read: readMaps),
    ]

    /// Reads the whole file.
    mutating func read(_ root: inout MappingReader, needsLayers: Bool) {
        read(&root)
        if needsLayers, layers.isEmpty, root.isSound("layers") {
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
            LayerSettings.readDefaults(&section)
            defaults = SharedEntries(section)
        }
        root.context.layerDefaults = defaults
    }

    private static func readMaps(_ root: inout MappingReader, _ configuration: inout Configuration) {
        root.context.layers = configuration.layers.map(\.id)
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
