/// Why bytes are not an image that may be served (docs/spec/threats.md T28, T32).
public enum ImageHeaderError: Error, Hashable {
    /// They begin like no format of `ImageFormat`; the first bytes, at most 8.
    case unknownFormat([UInt8])
    /// The size is not 1…`limit` pixels a side.
    case dimensions(width: Int, height: Int, limit: Int = ImageHeader.maxSide)
    /// This bit depth does not exist for this colour type (PNG) or is not read here (JPEG, colour type 0).
    case depth(bitDepth: Int, colorType: Int)
    /// The checksum of this PNG chunk is wrong.
    case checksum(chunk: String)
    /// The parts contradict each other or the format; what was found.
    case structure(String)
    /// So many bytes were expected at least, and so many were found.
    case truncated(expected: Int, found: Int)
}

extension ImageHeaderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownFormat(let bytes):
            "expected a \(ImageFormat.names()), found bytes \(bytes)"
        case .dimensions(let width, let height, let limit):
            "expected 1…\(limit) pixels a side, found \(width) × \(height)"
        case .depth(let bitDepth, let colorType):
            "expected a legal bit depth, found \(bitDepth) for colour type \(colorType)"
        case .checksum(let chunk):
            "expected chunk \(chunk) to match its checksum, found that it does not"
        case .structure(let found):
            "expected a sound image, found \(found)"
        case .truncated(let expected, let found):
            "expected at least \(expected) bytes, found \(found)"
        }
    }
}
