/// The side of a generated tile in points. This is also its side in pixels at scale 1.
///
/// Line widths and labels are measured in points, and one point is `scale` pixels. So a 512 tile shows a larger part of
/// the map with lines of the same width. A client that draws tiles on 512 points expects this. Other clients show 512
/// pixels on 256 points (docs/spec/model.md 3.5, s = 2). Such a client requests `@2x` from a `standard` layer, where
/// lines and labels have twice the pixels.
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
