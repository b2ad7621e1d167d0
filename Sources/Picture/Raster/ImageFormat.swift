/// The image formats that a tile can have. The raw values are stored on disk and in Redis, so they must not change.
public enum ImageFormat: UInt8, Sendable, CaseIterable {
    /// Portable Network Graphics.
    case png = 0
    /// JPEG.
    case jpeg = 1
    /// WebP.
    case webp = 2
    /// GIF. The server passes it on unchanged and never decodes it.
    case gif = 3

    /// The codec of the format.
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
    /// The traits of the format. The traits are stored apart from `codec` because requests for cached tiles read them,
    /// and copying a codec updates reference counts.
    package var traits: ImageTraits { Self.traits[Int(rawValue)] }

    private static let traits = allCases.map(\.codec.traits)

    /// The media type, as registered with IANA.
    package var mediaType: String { codec.mediaType.description }

    /// The suffixes of URL paths, without the dot. The server's own paths use the first suffix.
    package var suffixes: [String] { codec.suffixes }

    /// The suffix of a tile's URL path, without the dot.
    package var suffix: String { suffixes[0] }

    /// Returns the names of `formats` for a message, such as `PNG, JPEG or WebP`.
    static func names(_ formats: [ImageFormat] = allCases) -> String { formats.map(\.codec.name).alternatives }
}

/// Properties that all images of a format have, such as support for transparency.
package struct ImageTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The server can decode images of the format.
    package static let isDecoded = ImageTraits(rawValue: 1)
    /// The format is lossy: decoding and encoding an image again may lose further detail.
    package static let isLossy = ImageTraits(rawValue: 2)
    /// Images of the format have no transparency.
    package static let isOpaque = ImageTraits(rawValue: 4)
}

extension [String] {
    /// The elements as a list in words: `a, b or c`.
    package var alternatives: String {
        count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : joined()
    }
}
