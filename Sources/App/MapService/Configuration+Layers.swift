import Configuration
import Foundation
import Keys

/// Adds, changes and removes layers of a program, and checks their settings.
extension Configuration {
    /// Adds `settings` after the other layers, or after the other maps.
    package mutating func add(_ settings: LayerSettings) throws(TileServerError) {
        guard layers.count + maps.count < MapService.mostLayers else { throw .tooManyLayers }
        if LayerSettings.reservedIDs.contains(settings.id) { throw .reservedID(settings.id) }
        guard LayerSettings.isValid(id: settings.id) else { throw .invalidID(settings.id) }
        guard self[settings.id] == nil else { throw .duplicateID(settings.id) }
        try judge(settings)
        if settings.source.isMap { maps.append(settings) } else { layers.append(settings) }
    }

    /// This configuration with a layer for each archive in its directories now, for commands that end soon. Opens the
    /// archives, and so may block.
    package var withArchives: Configuration {
        var directories = archiveDirectories
        let found = directories.look(now: Int(Date.now.timeIntervalSince1970))
        return completed(by: found, atMost: MapService.mostLayers).configuration
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

    /// Calls `change` with the settings of the layer or map `id`. A layer must stay a layer, and a map must stay a map.
    package mutating func change(_ id: String, _ change: (inout LayerSettings) -> Void) throws(TileServerError) {
        guard let old = self[id] else { throw .unknownLayer(id) }
        var new = old
        change(&new)
        guard new.id == id, new.source.isMap == old.source.isMap else {
            throw .layerNotMade(id, reason: "a layer cannot be renamed or changed into a map")
        }
        try judge(new)
        layers = layers.map { $0.id == id ? new : $0 }
        maps = maps.map { $0.id == id ? new : $0 }
    }

    private subscript(id: String) -> LayerSettings? {
        layers.first { $0.id == id } ?? maps.first { $0.id == id }
    }

    private func judge(_ settings: LayerSettings) throws(TileServerError) {
        try settings.judge()
        guard case .map(let map) = settings.source else { return }
        for id in map.layerIDs where !layers.contains(where: { $0.id == id }) && !mayGainLayer(id) {
            throw .unknownLayerInMap(id, map: settings.id)
        }
    }

    /// Checks that each value is in the range of its key. The value may come from a file or from code.
    package func judge() throws(TileServerError) {
        if let refusal = refusal ?? memoryRefusal(limit: ControlGroup.memoryLimit()) {
            throw .cannotStart(
                reason: "expected \(refusal.key) to be \(refusal.expected), found \(refusal.found)")
        }
        for settings in layers + maps { try settings.judge() }
    }
}

extension LayerSettings {
    fileprivate func judge() throws(TileServerError) {
        if let refusal { throw .invalidValue(refusal.key, refusal, of: self) }
        guard case .map(let map) = source else { return }
        for layer in map.layers {
            if let refusal = layer.refusal { throw .invalidValue("\(refusal.key) of \(layer.id)", refusal, of: self) }
        }
    }
}

extension TileServerError {
    fileprivate static func invalidValue(_ property: String, _ refusal: Refusal, of layer: LayerSettings) -> Self {
        .invalidValue(layer: layer.id, property: property, expected: refusal.expected, found: refusal.found)
    }
}
