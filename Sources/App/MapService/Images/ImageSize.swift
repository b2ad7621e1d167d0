/// How large an image of a map is.
public struct ImageSize: Hashable, Sendable {
    /// Points.
    public let width: Int
    /// Points.
    public let height: Int
    /// Pixels a point, 1…4.
    public let scale: Int

    /// The longest side in pixels and the most pixels (docs/spec/model.md ruling 3).
    package static let longestSide = 4_096
    package static let mostPixels = 8_388_608

    /// Throws unless the image has 1…4,096 pixels a side and at most 8,388,608 in all.
    public init(width: Int, height: Int, scale: Int = 1) throws(TileServerError) {
        guard let size = ImageSize(fitting: width, height, scale: scale) else {
            throw TileServerError(Self.fault)
        }
        self = size
    }

    /// Nil where an image would be larger, or nothing.
    package init?(fitting width: Int, _ height: Int, scale: Int) {
        // At most 2^14 a side then: no overflow.
        guard (1...4).contains(scale), (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height),
            max(width, height) * scale <= Self.longestSide, width * height * scale * scale <= Self.mostPixels
        else { return nil }
        self.width = width
        self.height = height
        self.scale = scale
    }

    package static let fault = CameraRequestError.malformed(
        "size", expected: "1…4,096 pixels a side and at most 8,388,608 in total")

    /// Pixels.
    package var pixels: Int { width * height * scale * scale }
}
