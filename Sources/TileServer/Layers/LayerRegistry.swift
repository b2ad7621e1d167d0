import Configuration
import Synchronization
import TileCache

/// The layers that are served, and the number and generation that each name keeps for as long as the process lives,
/// however often the configuration is read again.
///
/// Thread rule: any thread. Holds no lock while a layer is made.
final class LayerRegistry: Sendable {
    private struct State {
        /// By number.
        var names: [String] = []
        var generations: [Generation] = []
        /// The layers that are served now, by name.
        var layers: [String: ServedLayer] = [:]

        /// The number of a layer that is made. Another source of the same name gets one of its own, and so other keys: a
        /// request that goes the old way to its end must not leave the old source's tile to the new one.
        mutating func number(
            for wanted: LayerSettings, _ known: ServedLayer?, _ change: inout Change,
            _ firstGeneration: (String) -> UInt32
        ) -> Int {
            if let known, known.configured.sourceFingerprint == wanted.sourceFingerprint, !known.isOutdated,
                known.configured.drawing.makesAlike(wanted.drawing)
            {
                return Int(known.source.number)
            }
            let generation =
                names.lastIndex(of: wanted.id).map { generations[$0] }
                ?? Generation(startingAt: firstGeneration(wanted.id))
            names.append(wanted.id)
            generations.append(generation)
            change.added.append(generation)
            return names.count - 1
        }

        /// Whether a map would draw `layers` as they are now like those of `before`.
        func isAlike(_ wanted: LayerSettings, before: [String: ServedLayer]) -> Bool {
            guard case .map(let map) = wanted.source else { return true }
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
        /// The generations of layers with new numbers, in the order of their numbers.
        var added: [Generation] = []
        /// Layers that are gone or have been replaced by others of their name: what they stored is worthless.
        var stale: [ServedLayer] = []
        /// Layers that have been replaced by others with the same tiles on disk, which are still good.
        var moved: [ServedLayer] = []
    }

    func name(of number: UInt16) -> String {
        state.withLock { $0.names[Int(number)] }
    }

    /// Makes what `settings` ask for. A layer whose source did not change keeps its cached tiles, and one whose settings
    /// did not change either stays as it is. `firstGeneration` gives that of a name that is new. Throws where a layer
    /// cannot be made; nothing is changed then. Not to be called by two at once.
    func update(
        _ configuration: Configuration, factory: LayerFactory, loader: TileLoader, firstGeneration: (String) -> UInt32
    ) throws -> Change {
        var next = state.withLock { $0 }
        let before = next.layers
        var change = Change()
        next.layers = [:]
        // Maps after the layers that they draw, and always anew: they hold those.
        for wanted in configuration.layers + configuration.maps {
            let known = next.isAlike(wanted, before: before) ? before[wanted.id] : nil
            let layer: ServedLayer
            if let known, known.configured == wanted, !known.isOutdated, !wanted.source.isMap {
                layer = known
            } else {
                let number = next.number(for: wanted, known, &change, firstGeneration)
                layer = try factory.make(
                    wanted, number: number, generation: next.generations[number], layers: next.layers, loader: loader)
            }
            next.layers[wanted.id] = layer
            change.layers.append(layer)
        }
        let layers = next.layers
        for old in before.values where layers[old.id]?.source.number != old.source.number {
            let isKept = old.source.place != nil && layers[old.id]?.source.place == old.source.place
            if isKept { change.moved.append(old) } else { change.stale.append(old) }
        }
        let updated = next
        state.withLock { $0 = updated }
        return change
    }
}
