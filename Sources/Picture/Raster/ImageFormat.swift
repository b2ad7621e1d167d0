/// The image formats that can be a tile. Their numbers lie on disk and in Redis.
public enum ImageFormat: UInt8, Sendable, CaseIterable {
    /// Portable Network Graphics.
    case png = 0
    /// JPEG.
    case jpeg = 1
    /// WebP.
    case webp = 2
    /// GIF: sent as it is, never made into pixels.
    case gif = 3

    /// All that is known of the format.
    var codec: ImageCodec {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webp
        case .gif: .gif
        }
    }
}

extension ImageFormat {
    /// The path of a cached tile reads these, so they lie apart from `codec`, whose copies count references.
    package var traits: ImageTraits { Self.traits[Int(rawValue)] }

    private static let traits = allCases.map(\.codec.traits)

    /// The media type, as IANA registers it.
    package var mediaType: String { codec.mediaType.description }

    /// The suffixes of paths, without the dot. The server's own paths have the first.
    package var suffixes: [String] { codec.suffixes }

    /// The suffix of a tile's path, without the dot.
    package var suffix: String { suffixes[0] }

    /// The names of `formats` in a sentence, such as `PNG, JPEG or WebP`.
    static func names(_ formats: [ImageFormat] = allCases) -> String { formats.map(\.codec.name).alternatives }
}

/// Properties of every image of a format.
package struct ImageTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// It can be made into pixels.
    package static let isDecoded = ImageTraits(rawValue: 1)
    /// To write it anew may be to lose again.
    package static let isLossy = ImageTraits(rawValue: 2)
    /// It has no transparency.
    package static let isOpaque = ImageTraits(rawValue: 4)
}

extension [String] {
    /// `a, b or c`.
    package var alternatives: String {
        count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : joined()
    }
}
