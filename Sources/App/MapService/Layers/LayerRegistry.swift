import Configuration
import Synchronization
import TileCache

/// The layers that are served, and the generation that each name keeps, however often the configuration is read again.
///
/// A class to own the layers. A layer has no reference to it, and gets what it needs of the server when it is made.
///
/// Thread rule: any thread. Holds no lock while a layer is made.
final class LayerRegistry: Sendable {
    private struct State {
        var generations = LayerGenerations()
        /// The layers that are served now, by name.
        var layers: [String: ServedLayer] = [:]

        /// Whether a map with `settings` draws the same layers now as it did `before`.
        func isAlike(_ settings: LayerSettings, before: [String: ServedLayer]) -> Bool {
            guard case .map(let map) = settings.source else { return true }
            return map.layerIDs.allSatisfy { id in
                guard let old = before[id], let new = layers[id] else { return false }
                return old.source.number == new.source.number && old.settings.drawing == new.settings.drawing
            }
        }
    }

    private let state = Mutex(State())

    /// What a change of the configuration means.
    struct Change {
        /// In the order of the configuration.
        var layers: [ServedLayer] = []
        /// The sources that have new numbers.
        var added: [CachedLayer] = []
        /// Layers that are gone or have been replaced by others of their name: their stored tiles are of no use.
        var stale: [ServedLayer] = []
        /// Layers that have been replaced by others with the same tiles on disk, which are still good.
        var moved: [ServedLayer] = []
    }

    /// Makes the layers of `configuration`. A layer whose source did not change keeps its cached tiles, and one whose
    /// settings did not change either stays as it is. `firstGeneration` gives that of a name that is new. Throws where
    /// a layer cannot be made; nothing is changed then. Not to be called by two threads at once.
    func update(
        _ configuration: Configuration, factory: LayerFactory, loader: TileLoader, firstGeneration: (String) -> UInt32
    ) throws -> Change {
        var next = state.withLock { $0 }
        let before = next.layers
        var change = Change()
        next.layers = [:]
        // Maps after the layers that they draw, and always anew: they hold those.
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
                layer = try factory.make(
                    settings, number: number, generation: generation, layers: next.layers, loader: loader)
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

    /// Whether the tiles of `known` are those of `settings` too. Another source of the same name gets a number of its
    /// own, and so other keys: a request that began with the old source must not store its tile for the new one.
    private static func keepsTiles(_ known: ServedLayer, as settings: LayerSettings) -> Bool {
        known.configured.sourceFingerprint == settings.sourceFingerprint && !known.isOutdated
            && known.configured.drawing.makesAlike(settings.drawing)
            // Other sizes and formats are kept under the source's number.
            && known.configured.png == settings.png
    }
}
