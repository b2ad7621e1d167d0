import Configuration
import Synchronization
import Tiles

/// A layer that is written in the program's own code.
package enum EmbeddedLayer: Sendable {
    case sync(any SyncTileLayer)
    /// `scales` replaces the scales that the layer declares.
    case async(any TileLayer, scales: ClosedRange<Int>?)
    case url(URLTileLayer)
}

/// The layers that are written in the embedding program's code, by id. The program can add and remove layers while the
/// server runs. The server and the layer factory share the object. Thread rule: any thread.
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
