/// Something that has happened to the layers and maps of a server, from which on others should ask it again.
public struct TileServerEvent: Sendable, Hashable, Identifiable {
    /// What has happened.
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
    public let kind: Kind
}

/// What the configuration has become for one layer or map.
public struct LayerChange: Sendable, Hashable {
    public enum Kind: String, Sendable {
        case added, changed, removed
    }

    /// The id of the layer or map.
    public let layer: String
    public let kind: Kind
}
