import MapGeometry
import Raster

/// A layer of tiles as an image wants it: which tiles there are, and how they are drawn.
package struct RenderLayer: Hashable, Sendable {
    /// Pixels along the edge of the tiles that will be handed in. With the scale of the image it says how deep the tiles
    /// are read (docs/spec/model.md 3.5): a layer that draws tiles of 512 pixels for `@2x` has 512 there, all others their own
    /// size, and are read one zoom deeper (docs/spec/model.md ruling 1).
    package let tileSize: Int
    /// The zooms of which there are tiles, within 0…30. An image that wants coarser ones leaves the layer out, one that
    /// wants finer ones magnifies the deepest.
    package let zooms: ClosedRange<Int>
    /// Where there are tiles; nil is all the world.
    package let bounds: CoordinateBounds?
    /// Multiplies the alpha of the tiles, 0…1.
    package let opacity: Double
    /// How its colours mix with those of the layers below.
    package let blend: BlendMode

    /// `tileSize` outside 1…4096, zooms outside 0…30 and an opacity outside 0…1 count as the nearest that is inside.
    package init(
        tileSize: Int = 256, zooms: ClosedRange<Int> = 0...22, bounds: CoordinateBounds? = nil, opacity: Double = 1,
        blend: BlendMode = .normal
    ) {
        self.tileSize = min(max(tileSize, 1), 4096)
        self.zooms = zooms.clamped(to: 0...TileCoordinate.maxZoom)
        self.bounds = bounds
        // In this order what is no number becomes 0.
        self.opacity = min(max(0, opacity), 1)
        self.blend = blend
    }
}
