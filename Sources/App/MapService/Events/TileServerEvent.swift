/// Something that has happened to the layers and maps of a server, from which on others should ask it again.
public struct TileServerEvent: Sendable, Hashable, Identifiable {
    /// The kind of event, with its values.
    public enum Kind: Sendable, Hashable {
        /// Tiles are gone from the cache, or stale.
        case cleared(ClearedArea)
        /// The configuration has another layer or map.
        case changed(LayerChange)
        /// Anything may have happened: after an event that is too long ago, or of another process, and where nearly everything
        /// has changed.
        case reset
    }

    /// Names this event, and whatever is known of it, to `events(after:)` of this process. To be compared, not read.
    public let id: String
    /// The kind of event, with its values.
    public let kind: Kind
}

/// A change of one layer or map by a new configuration.
public struct LayerChange: Sendable, Hashable {
    /// The kind of change.
    public enum Kind: String, Sendable {
        /// The layer or map is new in the configuration.
        case added
        /// The settings of the layer or map differ from before.
        case changed
        /// The layer or map is no longer in the configuration.
        case removed
    }

    /// The id of the layer or map.
    public let layer: String
    /// Whether the layer or map is new, changed or removed.
    public let kind: Kind
}
