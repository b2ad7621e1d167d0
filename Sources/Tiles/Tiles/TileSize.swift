/// The side of a generated tile in points, which is its side in pixels at scale 1.
///
/// Line widths and labels are measured in points and one point is `scale` pixels, so a 512 tile shows more map between
/// lines of the same width, as a client that lays it out on 512 points expects. A client that packs 512 pixels into 256
/// points (docs/spec/model.md 3.5, s = 2) asks a `standard` layer for `@2x`, where lines and labels have twice the pixels.
public enum TileSize: Int, Sendable, CaseIterable {
    /// 256 points, as the SDK lays tiles out.
    case standard = 256
    /// 512 points.
    case double = 512

    /// The pixels per point that tiles are drawn with.
    package static var scales: ClosedRange<Int> { 1...4 }

    /// Pixels a side at `scale`, one of `scales`.
    public func pixels(scale: Int) -> Int {
        rawValue * scale
    }
}
