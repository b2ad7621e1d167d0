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
    }

    private let state = Mutex(State())

    /// What a change of the configuration means.
    struct Change {
        /// In the order of the configuration.
        var layers: [ServedLayer] = []
        /// The first generations of layers with new numbers, in the order of their numbers.
        var added: [UInt32] = []
        /// Layers that are gone or have been replaced by others of their name: what they stored is worthless.
        var stale: [ServedLayer] = []
    }

    func name(of number: UInt16) -> String {
        state.withLock { $0.names[Int(number)] }
    }

    /// Makes what `settings` ask for. A layer whose source did not change keeps its cached tiles, and one whose settings
    /// did not change either stays as it is. `firstGeneration` gives that of a name that is new. Throws where a layer
    /// cannot be made; nothing is changed then. Not to be called by two at once.
    func update(
        _ settings: [LayerSettings], factory: LayerFactory, firstGeneration: (String) -> UInt32
    ) throws -> Change {
        var next = state.withLock { $0 }
        var change = Change()
        var layers: [String: ServedLayer] = [:]
        for wanted in settings {
            let layer: ServedLayer
            if let known = next.layers[wanted.id], known.configured == wanted, !known.isOutdated {
                layer = known
            } else {
                let number = next.names.firstIndex(of: wanted.id) ?? next.names.count
                if number == next.names.count {
                    let first = firstGeneration(wanted.id)
                    next.names.append(wanted.id)
                    next.generations.append(Generation(startingAt: first))
                    change.added.append(first)
                }
                layer = try factory.make(wanted, number: number, generation: next.generations[number])
            }
            layers[wanted.id] = layer
            change.layers.append(layer)
        }
        change.stale = next.layers.values.filter { old in
            let new = layers[old.id]
            return new?.settings.sourceFingerprint != old.settings.sourceFingerprint || new?.edition != old.edition
        }
        next.layers = layers
        let updated = next
        state.withLock { $0 = updated }
        return change
    }
}
