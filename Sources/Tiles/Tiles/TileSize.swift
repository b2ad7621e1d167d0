/// The width and height of a generated tile in points. At scale 1, this is also the size in pixels.
///
/// Lines and labels are measured in points, and one point is `scale` pixels. A tile of 512 points therefore shows a
/// larger part of the map than a tile of 256 points, with lines of the same width. A client that draws tiles on 512
/// points needs this size. Other clients show 512 pixels on 256 points (docs/spec/model.md 3.5, s = 2). They should
/// request `@2x` from a `standard` layer, where lines and labels have twice the pixels.
public enum TileSize: Int, Sendable, CaseIterable {
    /// 256 points, the tile size of the SDK.
    case standard = 256
    /// 512 points.
    case double = 512

    /// The scales in which tiles are drawn, in pixels per point.
    package static var scales: ClosedRange<Int> { 1...4 }

    /// Returns the side in pixels at `scale`, which must be one of `scales`.
    public func pixels(scale: Int) -> Int {
        rawValue * scale
    }
}
