import Configuration
import Synchronization
import Tiles

/// What makes the tiles of a layer that the program brings itself.
package enum EmbeddedLayer: Sendable {
    case sync(any SyncTileLayer)
    /// `scales`: in place of those that the layer says.
    case async(any TileLayer, scales: ClosedRange<Int>?)
    case url(URLTileLayer)
}

/// The layers that the program brings itself, by id, while they come and go.
///
/// A class, because the server and what makes its layers share it. Thread rule: any thread.
package final class EmbeddedLayers: Sendable {
    private let layers: Mutex<[String: EmbeddedLayer]>

    package init(_ layers: [String: EmbeddedLayer] = [:]) {
        self.layers = Mutex(layers)
    }

    package var all: [String: EmbeddedLayer] {
        get { layers.withLock { $0 } }
        set { layers.withLock { $0 = newValue } }
    }

    package subscript(id: String) -> EmbeddedLayer? {
        get { layers.withLock { $0[id] } }
        set { layers.withLock { $0[id] = newValue } }
    }
}
