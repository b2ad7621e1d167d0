import Configuration

/// Layers that are described in code: what a file's reader judges is judged here.
extension Configuration {
    /// Adds `settings` behind the layers, or the maps.
    package mutating func add(_ settings: LayerSettings) throws(TileServerError) {
        guard layers.count + maps.count < MapService.mostLayers else { throw .tooManyLayers }
        if LayerSettings.reservedIDs.contains(settings.id) { throw .reservedID(settings.id) }
        guard LayerSettings.isValid(id: settings.id) else { throw .invalidID(settings.id) }
        guard self[settings.id] == nil else { throw .duplicateID(settings.id) }
        try judge(settings)
        if settings.source.isMap { maps.append(settings) } else { layers.append(settings) }
    }

    package mutating func remove(_ id: String) throws(TileServerError) {
        guard self[id] != nil else { throw .unknownLayer(id) }
        let users = maps.filter { map in
            if case .map(let source) = map.source { source.layerIDs.contains(id) } else { false }
        }
        guard users.isEmpty else { throw .layerInUse(id, maps: users.map(\.id)) }
        layers.removeAll { $0.id == id }
        maps.removeAll { $0.id == id }
    }

    /// Has `change` alter the layer or map `id`, which stays the one or the other.
    package mutating func change(_ id: String, _ change: (inout LayerSettings) -> Void) throws(TileServerError) {
        guard let old = self[id] else { throw .unknownLayer(id) }
        var new = old
        change(&new)
        guard new.id == id, new.source.isMap == old.source.isMap else {
            throw .layerNotMade(id, reason: "a layer keeps its name, and becomes no map")
        }
        try judge(new)
        layers = layers.map { $0.id == id ? new : $0 }
        maps = maps.map { $0.id == id ? new : $0 }
    }

    private subscript(id: String) -> LayerSettings? {
        layers.first { $0.id == id } ?? maps.first { $0.id == id }
    }

    private func judge(_ settings: LayerSettings) throws(TileServerError) {
        try settings.judgeValues()
        guard case .map(let map) = settings.source else { return }
        for id in map.layerIDs where !layers.contains(where: { $0.id == id }) {
            throw .unknownLayerInMap(id, map: settings.id)
        }
        for layer in map.layers {
            try settings.require("opacity of \(layer.id)", layer.opacity ?? 1, in: 0...1)
            try settings.require("zIndex of \(layer.id)", layer.zIndex ?? 0, in: LayerSettings.zIndices)
        }
    }
}

extension LayerSettings {
    fileprivate static let zIndices = Int(Int32.min)...Int(Int32.max)
    private static let ages = Duration.zero...Duration.seconds(3_650 * 86_400)

    /// The ranges are those that the properties name.
    fileprivate func judgeValues() throws(TileServerError) {
        try require("maxZoom", maxZoom, in: 0...30)
        try require("minZoom", minZoom, in: 0...30)
        // What the default stands for in a file of tiles and in a map is not known here.
        if minZoom > maxZoom, explicit.maxZoom != nil || !source.describesZooms {
            throw .invalidValue(layer: id, property: "minZoom", expected: "at most \(maxZoom)", found: "\(minZoom)")
        }
        try judgeTileSize()
        try require("zIndex", zIndex, in: Self.zIndices)
        try require("opacity", opacity, in: 0...1)
        try require("overzoom", overzoom, in: 0...30)
        try require("maxConcurrent", maxConcurrent, in: 1...1_024)
        try require("timeout", timeout, in: .milliseconds(1)...Duration.seconds(600))
        let times = [("ttl", ttl), ("maxTTL", maxTTL), ("maxAge", maxAge), ("noTileMaxAge", noTileMaxAge)]
        for (name, time) in times { try require(name, time, in: Self.ages) }
        try require("minTTL", minTTL, in: .zero...maxTTL)
        try require("staleWhileRevalidate", staleWhileRevalidate?.limit ?? .zero, in: Self.ages)
        try require("staleIfError", staleIfError?.limit ?? .zero, in: Self.ages)
    }

    private func judgeTileSize() throws(TileServerError) {
        switch source {
        case .url, .mbtiles, .embedded: try require("tileSize", tileSize, in: 64...4_096)
        case .generator, .geojson, .map:
            guard tileSize == 256 || tileSize == 512 else {
                throw .invalidValue(layer: id, property: "tileSize", expected: "256 or 512", found: "\(tileSize)")
            }
        }
    }

    fileprivate func require<Value: Comparable>(
        _ property: String, _ value: Value, in range: ClosedRange<Value>
    ) throws(TileServerError) {
        guard !range.contains(value) else { return }
        throw .invalidValue(
            layer: id, property: property, expected: "in \(range.lowerBound)…\(range.upperBound)", found: "\(value)")
    }
}

extension LayerSource {
    /// Whether the zooms can come from elsewhere than the settings.
    fileprivate var describesZooms: Bool {
        switch self {
        case .mbtiles, .map: true
        case .url, .generator, .geojson, .embedded: false
        }
    }
}
