import MapGeometry

/// What identifies a cached tile. Nothing a client says beside the path is part of it, so nothing unkeyed can change what is
/// stored (docs/spec/threats.md 3).
public struct TileKey: Hashable, Sendable {
    public let coordinate: TileCoordinate
    /// The generation of the layer that the tile belongs to: a cleared layer's tiles have keys that no request asks for
    /// any more.
    public let generation: UInt32
    /// The layer's number in this process.
    public let layer: UInt16
    /// Pixels per point, 1…4.
    public let scale: UInt8
    public let variant: Variant

    /// What a layer's tile may be kept as. All are cleared with the layer.
    public enum Variant: UInt8, Sendable {
        /// As its source has it.
        case source
        /// Made of what the source has, in the size and format that were asked for.
        case rendition
        /// Cut out of a tile above, where the source has none.
        case overzoom
    }

    public init(
        layer: UInt16, generation: UInt32, coordinate: TileCoordinate, scale: UInt8, variant: Variant = .source
    ) {
        self.layer = layer
        self.generation = generation
        self.coordinate = coordinate
        self.scale = scale
        self.variant = variant
    }

    /// The same tile as another variant.
    public func with(_ variant: Variant) -> TileKey {
        TileKey(layer: layer, generation: generation, coordinate: coordinate, scale: scale, variant: variant)
    }

    /// Three words say it all, so a look-up hashes no field by itself: a zoom has five bits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(coordinate.x) << 32 | UInt64(coordinate.y))
        let kind = UInt64(scale) << 8 | UInt64(variant.rawValue) << 5 | UInt64(coordinate.z)
        hasher.combine(UInt64(generation) << 32 | UInt64(layer) << 16 | kind)
    }
}
