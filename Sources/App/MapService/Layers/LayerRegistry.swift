import Configuration
import Synchronization
import TileCache

/// The layers that the server serves now, and the generation of each layer name. A new configuration replaces the
/// layers, and the generations continue. A layer has no reference to the registry.
///
/// Thread rule: any thread, one at a time. No lock is held while a layer is made.
final class LayerRegistry: Sendable {
    private struct State {
        var generations = LayerGenerations()
        /// The served layers by id.
        var layers: [String: ServedLayer] = [:]

        /// Reports whether the layers that a map with `settings` draws are as they were `before`. True for the settings
        /// of other layers.
        func isAlike(_ settings: LayerSettings, before: [String: ServedLayer]) -> Bool {
            guard case .map(let map) = settings.source else { return true }
            return map.layerIDs.allSatisfy { id in
                guard let old = before[id], let new = layers[id] else { return before[id] == nil && layers[id] == nil }
                return old.source.number == new.source.number && old.settings.drawing == new.settings.drawing
            }
        }
    }

    private let state = Mutex(State())

    /// The result of a change of the configuration.
    struct Change {
        /// All served layers in the order of the configuration.
        var layers: [ServedLayer] = []
        /// The sources with new layer numbers.
        var added: [CachedLayer] = []
        /// Layers that are removed or replaced by layers with other tiles. Their stored tiles are useless.
        var stale: [ServedLayer] = []
        /// Layers that are replaced by layers with the same tiles on disk. The tiles on disk stay valid.
        var moved: [ServedLayer] = []
        /// Layers that may lack and could not be made.
        var failed: [(settings: LayerSettings, error: any Error)] = []
    }

    /// Replaces the served layers by the layers of `configuration`. A layer keeps its cached tiles if its source and
    /// the settings that affect its tiles are the same. A layer with the same settings is not made again, unless it is
    /// a map or its source has changed. Throws if a layer cannot be made, and then changes nothing.
    ///
    /// `mayLack` reports whether a layer may be missing. A map is then drawn without the layer.
    /// `firstGeneration` returns the first generation of a new layer name.
    func update(
        _ configuration: Configuration, mayLack: @escaping (String) -> Bool, factory: LayerFactory, loader: TileLoader,
        firstGeneration: (String) -> UInt32
    ) throws -> Change {
        var next = state.withLock { $0 }
        let before = next.layers
        var change = Change()
        next.layers = [:]
        // Maps are made after the layers that they draw. Maps are always made anew, because they hold these layers.
        for settings in configuration.layers + configuration.maps {
            let known = next.isAlike(settings, before: before) ? before[settings.id] : nil
            let layer: ServedLayer
            if let known, known.configured == settings, !known.isOutdated, !settings.source.isMap {
                layer = known
            } else {
                let generation = next.generations.generation(of: settings.id, startingAt: firstGeneration)
                let kept = known.flatMap { Self.keepsTiles($0, as: settings) ? $0.source.ownNumber : nil }
                guard let number = kept ?? loader.takeNumber() else {
                    throw LayerFactory.LayerError(layer: settings.id, reason: "too many layers")
                }
                do {
                    layer = try factory.make(
                        settings, number: number, generation: generation, layers: next.layers, mayLack: mayLack,
                        loader: loader)
                } catch {
                    guard mayLack(settings.id), !settings.source.isMap else { throw error }
                    change.failed.append((settings, error))
                    continue
                }
                if kept == nil { change.added.append(layer.source) }
            }
            next.layers[settings.id] = layer
            change.layers.append(layer)
        }
        let layers = next.layers
        next.generations.forgetOldest { layers[$0] == nil }
        for old in before.values where layers[old.id]?.source.number != old.source.number {
            let isKept = old.source.namespace != nil && layers[old.id]?.source.namespace == old.source.namespace
            if isKept { change.moved.append(old) } else { change.stale.append(old) }
        }
        let updated = next
        state.withLock { $0 = updated }
        return change
    }

    /// Reports whether the cached tiles of `known` are valid for `settings`. If not, the new source gets a new number
    /// and so new cache keys. A request that began with the old source then cannot store its tile for the new source.
    private static func keepsTiles(_ known: ServedLayer, as settings: LayerSettings) -> Bool {
        known.configured.sourceFingerprint == settings.sourceFingerprint && !known.isOutdated
            && known.configured.drawing.makesAlike(settings.drawing)
            // Renditions have cache keys with the number of the source.
            && known.configured.png == settings.png
    }
}
