import Foundation
import MapGeometry
import Raster
import Tiles

/// A world that does not exist: seas, coasts and mountains of noise, coloured by height and lit by a sun.
///
/// A place has the same height at every zoom, and deeper zooms add detail down to the last. The world wraps from east to
/// west. A tile at scale 2 has the very pixels of its four children at scale 1.
package struct ReliefLayer: SyncTileLayer {
    /// Which world it is.
    package let seed: UInt64
    /// The colours of heights.
    package let palette: ReliefPalette
    /// Where the light comes from.
    package let sun: Sun
    /// How much hillsides differ from level ground, in `shadings`.
    package let shading: Double
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    static let shadings = 0.0...2

    /// A light far away.
    package struct Sun: Sendable, Hashable {
        /// Degrees clockwise from north.
        package let azimuth: Double
        /// Degrees above the horizon, in `altitudes`.
        package let altitude: Double

        static let altitudes = 1.0...90

        /// In the north-west, as maps are lit, unless told otherwise. Finite values beyond the ranges are brought into
        /// them; those that are not finite stand for the defaults.
        package init(azimuth: Double = ReliefSource().sunAzimuth, altitude: Double = ReliefSource().sunAltitude) {
            self.azimuth = azimuth.isFinite ? azimuth : ReliefSource().sunAzimuth
            self.altitude = altitude.clamped(to: Self.altitudes, else: ReliefSource().sunAltitude)
        }
    }

    package init(
        seed: UInt64 = 1, palette: ReliefPalette = ReliefSource().palette.colors, sun: Sun = Sun(),
        shading: Double = ReliefSource().shading, tileSize: TileSize = .standard
    ) {
        self.seed = seed
        self.palette = palette
        self.sun = sun
        self.shading = shading.clamped(to: Self.shadings, else: ReliefSource().shading)
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: scale) { true }
    }

    /// Looks before each row whether it is wanted.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let picture = picture(of: frame, isWanted)
        return isWanted() ? .image(picture) : nil
    }

    /// The world's pixels in `frame`; not all of them where `isWanted` says no.
    func picture(of frame: TileFrame, _ isWanted: () -> Bool = { true }) -> Pixmap {
        let (terrain, colors) = (ReliefTerrain(seed: seed), ReliefColors(palette))
        var pixmap = Pixmap(width: frame.side, height: frame.side)
        for start in stride(from: 0, to: frame.side, by: Self.band) {
            let rows = start..<min(start + Self.band, frame.side)
            let heights = terrain.heights(of: frame, rows: rows, isWanted)
            let shading = ReliefShading(sun: sun, strength: shading, colors: colors, heights: heights, frame)
            guard shading.draw(rows, onto: &pixmap, isWanted) else { break }
        }
        return pixmap
    }

    /// Rows whose heights are there at a time: they take 16 bytes a pixel, four times what the colours take. Each band has two rows
    /// more, a thirty-second.
    private static let band = 64
}
