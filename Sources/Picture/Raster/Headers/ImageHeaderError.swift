/// The reason why bytes are not an image that the server may send to clients (docs/spec/threats.md T28, T32). The bytes
/// may come from any source, for example from an upstream or a file.
public enum ImageHeaderError: Error, Hashable {
    /// The image begins with the magic bytes of no known format. The value has the first bytes, at most 8.
    case unknownFormat([UInt8])
    /// The size is not 1…`limit` pixels a side.
    case dimensions(width: Int, height: Int, limit: Int = ImageDecoder.maxSide)
    /// The bit depth is not valid for the colour type of a PNG, or is not supported in a JPEG (colour type 0).
    case depth(bitDepth: Int, colorType: Int)
    /// The checksum of this PNG chunk is wrong.
    case checksum(chunk: String)
    /// The parts of the image contradict each other or the format. The value says what was found.
    case structure(String)
    /// The image is too short. The values are the minimum number of bytes that was expected and the number that was
    /// found.
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
            "expected a valid bit depth, found \(bitDepth) for colour type \(colorType)"
        case .checksum(let chunk):
            "expected a correct checksum of chunk \(chunk), found a wrong checksum"
        case .structure(let found):
            "expected a valid image, found \(found)"
        case .truncated(let expected, let found):
            "expected at least \(expected) bytes, found \(found)"
        }
    }
}
