/// Why bytes were not decoded.
public enum ImageError: Error, Hashable {
    /// Refused before any memory was taken for pixels.
    case header(ImageHeaderError)
    /// A sound image of a sort that is not decoded here; what it has, for example `an animation`.
    case unsupported(ImageFormat, found: String)
    /// The data behind a sound header are damaged; the codec's words.
    case broken(ImageFormat, found: String)
}

extension ImageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let error): error.description
        case .unsupported(let format, let found):
            "expected a still PNG, JPEG or WebP, found \(format) with \(found)"
        case .broken(let format, let found):
            "expected sound \(format) data, found: \(found)"
        }
    }
}
