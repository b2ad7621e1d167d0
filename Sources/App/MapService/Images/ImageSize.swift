import MapGeometry

/// The size of an image of a map, in points, and the number of pixels per point.
public struct ImageSize: Hashable, Sendable {
    /// Width in points.
    public let width: Int
    /// Height in points.
    public let height: Int
    /// Pixels per point, 1…4.
    public let scale: Int

    /// Maximum pixels of a side, and maximum pixels in all (docs/spec/model.md ruling 3).
    package static let longestSide = 4_096
    package static let mostPixels = 8_388_608

    /// Makes a size from numbers in the text of a program: `scale` in 1…4, and 1…4,096 pixels a side and at most
    /// 8,388,608 pixels in all. With other numbers, the program ends with a message. Use `checked` for numbers that
    /// come from outside.
    public init(width: Int, height: Int, scale: Int = 1) {
        self = literal { () throws(TileServerError) in try .checked(width: width, height: height, scale: scale) }
    }

    /// Makes a size from numbers of any source. Throws an error if `init(width:height:scale:)` would end the program.
    public static func checked(width: Int, height: Int, scale: Int = 1) throws(TileServerError) -> ImageSize {
        guard let size = ImageSize(fitting: width, height, scale: scale) else { throw TileServerError(fault) }
        return size
    }

    /// Makes a size. Nil if the image would be empty or too large, or if `scale` is not in 1…4.
    package init?(fitting width: Int, _ height: Int, scale: Int) {
        // Each side is at most 2^14 pixels here, so the products cannot overflow.
        guard (1...4).contains(scale), (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height),
            max(width, height) * scale <= Self.longestSide, width * height * scale * scale <= Self.mostPixels
        else { return nil }
        self.width = width
        self.height = height
        self.scale = scale
    }

    package static let fault = CameraRequestError.malformed(
        "size", expected: "1…4,096 pixels a side and at most 8,388,608 in total")

    /// Number of pixels.
    package var pixels: Int { width * height * scale * scale }
}
