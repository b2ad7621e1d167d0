/// A change of a server's layers and maps, or of their tiles. A client should request the affected tiles again, except
/// those of a removed layer.
public struct TileServerEvent: Sendable, Hashable, Identifiable {
    /// The kind of event, with its values.
    public enum Kind: Sendable, Hashable {
        /// Tiles were removed from the cache or became stale.
        case cleared(ClearedArea)
        /// A layer or map was added, changed or removed.
        case changed(LayerChange)
        /// Anything may have changed. The server sends this event in three cases: it no longer has the events that a
        /// client missed, it does not know the client's last event, for example of another process, or a new
        /// configuration changes very many layers.
        case reset
    }

    /// The id of this event, for `events(after:)` of the same process. Compare ids only; their format may change.
    public let id: String
    /// The kind of event, with its values.
    public let kind: Kind
}

/// Tells that a new configuration has added, changed or removed one layer or map.
public struct LayerChange: Sendable, Hashable {
    /// The kind of change.
    public enum Kind: String, Sendable {
        /// The layer or map is new in the configuration.
        case added
        /// The layer or map, or a layer that the map draws, differs from before, for example in its settings.
        case changed
        /// The layer or map is no longer in the configuration.
        case removed
    }

    /// The id of the layer or map.
    public let layer: String
    /// Whether the layer or map is new, changed or removed.
    public let kind: Kind
}
