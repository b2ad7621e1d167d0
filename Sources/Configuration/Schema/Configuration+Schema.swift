import Settings

extension Configuration {
    /// Reads the whole file.
    mutating func read(_ root: inout MappingReader, needsLayers: Bool, _ validate: SourceValidator) {
        root.mapping("server") { server.read(&$0) }
        root.mapping("admin") { admin.read(&$0) }
        root.mapping("cache") { cache.read(&$0) }
        root.mapping("layers") { section in
            for id in section.keys {
                section.mapping(id) { layers.append(LayerSettings.read(id, &$0, validate)) }
            }
        }
        root.mapping("maps") { section in
            for id in section.keys {
                section.mapping(id) { maps.append(LayerSettings.readMap(id, &$0, layers: layers.map(\.id))) }
            }
        }
        if needsLayers, layers.isEmpty, root.isSound("layers") {
            root.complain("layers", "at least one layer is needed")
        }
        root.refuseUnknownKeys()
    }
}
