import Configuration
import Settings

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

    /// Calls `change` with the layer or map `id`, which stays the one or the other.
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
        if let (key, refusal) = settings.refusal { throw .invalidValue(key, refusal, of: settings) }
        guard case .map(let map) = settings.source else { return }
        for id in map.layerIDs where !layers.contains(where: { $0.id == id }) {
            throw .unknownLayerInMap(id, map: settings.id)
        }
        for layer in map.layers {
            if let (key, refusal) = layer.refusal {
                throw .invalidValue("\(key) of \(layer.id)", refusal, of: settings)
            }
        }
    }
}

extension TileServerError {
    fileprivate static func invalidValue(_ property: String, _ refusal: Refusal, of layer: LayerSettings) -> Self {
        .invalidValue(layer: layer.id, property: property, expected: refusal.expected, found: refusal.found)
    }
}
