import MapGeometry
import Raster

/// What identifies a cached tile. Nothing a client says beside the path is part of it, so nothing unkeyed can change what is
/// stored (docs/spec/threats.md 3).
package struct TileKey: Hashable, Sendable {
    package let coordinate: TileCoordinate
    /// The generation of the layer that the tile belongs to: a cleared layer's tiles have keys that no request asks for
    /// any more.
    package let generation: UInt32
    /// The layer's number in this process.
    package let layer: UInt16
    /// Pixels per point, 1…4.
    package let scale: UInt8
    package let variant: Variant

    /// The form in which a layer's tile is kept. All variants are cleared with the layer. A number, so that keys are compared by bytes.
    package struct Variant: Hashable, Sendable, CaseIterable {
        /// The place in `allCases`.
        package let number: UInt8

        /// As its source has it.
        @inlinable package static var source: Variant { Variant(0) }

        /// The source's tile in another size or format.
        package static func rendition(_ form: ImageForm) -> Variant { Variant(1 + form.rawValue) }

        /// A tile that is cut out of a tile above, where the source has none.
        package static func overzoom(_ form: ImageForm) -> Variant { Variant(1 + forms + form.rawValue) }

        package static let allCases =
            [source] + ImageForm.allCases.map(rendition) + ImageForm.allCases.map(overzoom)

        private static let forms = UInt8(ImageForm.allCases.count)

        /// Whether it is cut out of a tile above.
        package var isOverzoomed: Bool { number > Self.forms }

        /// Keys have four bits for it: two variants of one number would be the same tile.
        @inlinable
        package init(_ number: UInt8) {
            precondition(number < 1 << 4, "a variant has four bits")
            self.number = number
        }
    }

    @inlinable
    package init(
        layer: UInt16, generation: UInt32, coordinate: TileCoordinate, scale: UInt8, variant: Variant = .source
    ) {
        self.layer = layer
        self.generation = generation
        self.coordinate = coordinate
        self.scale = scale
        self.variant = variant
    }

    /// The same tile as another variant.
    package func with(_ variant: Variant) -> TileKey {
        TileKey(layer: layer, generation: generation, coordinate: coordinate, scale: scale, variant: variant)
    }

    /// Two words say it all, so a look-up hashes no field by itself: a zoom has five bits, a variant four.
    private var words: (place: UInt64, kind: UInt64) {
        let kind = UInt64(scale) << 9 | UInt64(variant.number) << 5 | UInt64(coordinate.z)
        return (
            UInt64(coordinate.x) << 32 | UInt64(coordinate.y), UInt64(generation) << 32 | UInt64(layer) << 16 | kind
        )
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.place)
        hasher.combine(words.kind)
    }

    /// What a dictionary asks for. A tile is looked for in half a dozen of them on its way, and the library's hash, which is made
    /// for texts of any length, takes several times as many instructions as these multiplications. They are keyed as that one is, by
    /// numbers that nobody outside knows, so that nobody can choose tiles whose hashes are the same.
    package func _rawHashValue(seed: Int) -> Int {
        let ((place, kind), secret) = (words, Self.secret)
        let once = Self.mixed(place ^ secret.first, kind ^ secret.second)
        return Int(truncatingIfNeeded: Self.mixed(once ^ secret.third, UInt64(bitPattern: Int64(seed)) ^ secret.second))
    }

    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// This process' own. One constant, since each costs a question whether it was made already.
    private static let secret = (
        first: UInt64.random(in: 1...(.max)), second: UInt64.random(in: 1...(.max)),
        third: UInt64.random(in: 1...(.max))
    )
}
