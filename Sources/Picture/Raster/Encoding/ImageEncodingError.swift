/// The reason why pixels could not be encoded as an image.
package struct ImageEncodingError: Error, Hashable, CustomStringConvertible {
    /// The format to encode to, or nil if the format does not matter.
    package let format: ImageFormat?
    /// The reason, for example `not enough memory`.
    package let reason: String

    init(format: ImageFormat?, reason: String) {
        self.format = format
        self.reason = reason
    }

    init(_ error: PNGError) {
        self.init(format: .png, reason: error.reason)
    }

    /// No client waits for the image any more.
    static let unwanted = ImageEncodingError(format: nil, reason: "not wanted")

    package var description: String {
        "the image cannot be encoded\(format.map { " as \($0)" } ?? ""): \(reason)"
    }
}
