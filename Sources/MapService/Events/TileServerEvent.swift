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

/// What the configuration has become for one layer or map.
public struct LayerChange: Sendable, Hashable {
    /// How the configuration names the layer or map now.
    public enum Kind: String, Sendable {
        /// The configuration has the layer or map, and did not have it before.
        case added
        /// The settings of the layer or map are others than before.
        case changed
        /// The configuration has the layer or map no more.
        case removed
    }

    /// The id of the layer or map.
    public let layer: String
    /// Whether the layer or map is new, another one, or gone.
    public let kind: Kind
}
