import MapGeometry
import Raster

/// The key under which memory keeps a tile. `Accept` can select the variant, and no other header field affects the key.
/// A client can therefore not change a stored tile with a header field (docs/spec/threats.md 3).
package struct TileKey: Hashable, Sendable {
    package let coordinate: TileCoordinate
    /// The generation of the tile's layer. After a clear, requests use keys of a later generation, so they no longer
    /// find older tiles.
    package let generation: UInt32
    /// The layer's number in this process.
    package let layer: UInt16
    /// Pixels per point, 1…4.
    package let scale: UInt8
    package let variant: Variant

    /// The form in which a tile is cached: as the source sent it, in another size or format, cut out of a coarser tile,
    /// or without labels. A clear of the layer removes all variants. A variant is a number, so that comparing keys is
    /// fast.
    package struct Variant: Hashable, Sendable, CaseIterable {
        /// Index in `allCases`.
        package let number: UInt8

        /// The tile in its source's form.
        @inlinable package static var source: Variant { Variant(0) }

        /// The variant for the source's tile after a change of its size or format.
        package static func rendition(_ form: ImageForm) -> Variant { Variant(1 + form.rawValue) }

        /// The variant for a tile that is cut out of a coarser tile, because the source has no tile there.
        package static func overzoom(_ form: ImageForm) -> Variant { Variant(1 + forms + form.rawValue) }

        /// The variant for the source's tile without its labels, for maps that draw the labels themselves.
        package static let unlabelled = Variant(1 + 2 * forms)

        /// The variant for a tile without labels that is cut out of a coarser tile.
        package static let unlabelledOverzoom = Variant(2 + 2 * forms)

        package static let allCases =
            [source] + ImageForm.allCases.map(rendition) + ImageForm.allCases.map(overzoom)
            + [unlabelled, unlabelledOverzoom]

        private static let forms = UInt8(ImageForm.allCases.count)

        /// True if the layer itself makes the tile, with or without labels.
        package var isOfLayer: Bool { self == .source || self == .unlabelled }

        /// True if the tile is cut out of a tile of a lower zoom.
        package var isOverzoomed: Bool { number > Self.forms && number != 1 + 2 * Self.forms }

        /// `number` must fit into the four bits that `words` has for it.
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

    /// Returns the key of this tile in the form `variant`.
    package func with(_ variant: Variant) -> TileKey {
        TileKey(layer: layer, generation: generation, coordinate: coordinate, scale: scale, variant: variant)
    }

    /// Packs the key into two words, so that a look-up need not hash each field. A zoom has five bits and a variant
    /// four.
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

    /// Returns the hash for a dictionary. The standard hash is made for data of any length and takes more instructions.
    /// This hash is keyed with secret numbers too, so that an attacker cannot choose tiles with equal hashes.
    package func _rawHashValue(seed: Int) -> Int {
        let ((place, kind), secret) = (words, Self.secret)
        let once = Self.mixed(place ^ secret.first, kind ^ secret.second)
        return Int(truncatingIfNeeded: Self.mixed(once ^ secret.third, UInt64(bitPattern: Int64(seed)) ^ secret.second))
    }

    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// Secret numbers of this process. All three are in one constant, because each lazy constant costs a check.
    private static let secret = (
        first: UInt64.random(in: 1...(.max)), second: UInt64.random(in: 1...(.max)),
        third: UInt64.random(in: 1...(.max))
    )
}
