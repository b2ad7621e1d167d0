import Configuration
import EventLog
import Logging
import Raster

extension TileMemory {
    /// The scales and formats that layers and maps of `configuration` do not offer, by id. Lists only layers with such scales
    /// or formats. Judges by the configuration alone, without opening a source.
    func leftOut(of configuration: Configuration) -> [(id: String, leftOut: [String])] {
        let sizes = Dictionary(configuration.layers.map { ($0.id, $0.tileSize) }) { first, _ in first }
        return (configuration.layers + configuration.maps).compactMap { settings in
            var encoder = ImageEncoder(settings)
            encoder.mostMemory = most
            let leftOut = offer(tileSize: Self.tileSize(of: settings, sizes), of: Kind(settings.source), encoder)
                .leftOut
            return leftOut.isEmpty ? nil : (settings.id, leftOut)
        }
    }

    private static func tileSize(of settings: LayerSettings, _ sizes: [String: Int]) -> Int {
        guard case .map(let map) = settings.source, settings.explicit.tileSize == nil else { return settings.tileSize }
        return map.layerIDs.allSatisfy { sizes[$0] == 512 } ? 512 : 256
    }
}

extension TileMemory.Kind {
    init(_ source: LayerSource) {
        if case .map(let map) = source {
            self = .composed(Set(map.layerIDs).count)
        } else {
            self = type(of: source.settings).isDrawn ? .drawn : .sent
        }
    }
}

extension EventLog {
    /// Logs the scales and formats that `layers` do not offer, except for layers that had the same ones left out in `before`.
    func recordLeftOut(of layers: [ServedLayer], before: LayerTable, most: Int) {
        guard layers.contains(where: { !$0.leftOut.isEmpty }) else { return }
        let known = Dictionary(before.layers.map { ($0.id, $0.leftOut) }) { first, _ in first }
        for layer in layers where !layer.leftOut.isEmpty && known[layer.id] != layer.leftOut {
            record(
                "scale_left_out", layer: layer.id,
                ["scales": .string(layer.leftOut.joined(separator: " ")), "tile_bytes": .stringConvertible(most)])
        }
    }
}
