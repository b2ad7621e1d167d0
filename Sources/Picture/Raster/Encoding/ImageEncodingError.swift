/// Why pixels did not become an image.
public struct ImageEncodingError: Error, Hashable, CustomStringConvertible {
    /// What they should have become; nil where that does not matter.
    public let format: ImageFormat?
    /// What is in the way, for example `too little memory`.
    public let reason: String

    init(format: ImageFormat?, reason: String) {
        self.format = format
        self.reason = reason
    }

    init(_ error: PNGError) {
        self.init(format: .png, reason: error.reason)
    }

    /// Nobody waits for the image any more.
    static let unwanted = ImageEncodingError(format: nil, reason: "not wanted")

    public var description: String {
        "expected pixels to become \(format.map { "\($0)" } ?? "an image"), found: \(reason)"
    }
}
