/// Why bytes were not decoded.
public enum ImageError: Error, Hashable {
    /// Refused before any memory was taken for pixels.
    case header(ImageHeaderError)
    /// An image of a sort that is not decoded here, for example `a GIF`.
    case unsupported(String)
    /// The data behind a sound header are damaged; the codec's words.
    case broken(ImageFormat, found: String)
}

extension ImageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let error): error.description
        case .unsupported(let found):
            "expected a \(ImageFormat.names(ImageFormat.allCases.filter { $0.traits.contains(.isDecoded) })), found \(found)"
        case .broken(let format, let found):
            "expected sound \(format) data, found: \(found)"
        }
    }
}
