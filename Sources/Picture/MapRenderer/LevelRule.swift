import Foundation

/// Chooses the zoom of the tiles for each row of an image, and how many samples of the tiles each pixel needs.
///
/// Rows near the camera use `zoom`, at first the tile zoom for the camera's zoom (docs/spec/model.md 3.5). In far rows,
/// a pixel of the image covers several pixels of a tile, which are called texels. If a pixel is at least two texels
/// wide, the row uses tiles of a coarser zoom. Shortly before this limit, both zooms are blended.
struct LevelRule: Hashable, Sendable {
    /// The finest zoom that rows may use.
    var zoom: Int
    /// The coarsest zoom of the layer.
    let minZoom: Int
    let tileSize: Int
    var measure = Measure.across
    /// The number of zooms by which far rows may want coarser tiles than the layer has. Rows beyond this number stay
    /// empty.
    var reach = Int.max

    /// The measure for the size of a pixel on the ground. Later cases switch to coarser tiles sooner.
    enum Measure: Hashable, Sendable {
        /// The side across the view, which is the shorter one in far rows. Keeps the most detail.
        case across
        /// The geometric mean of the two sides.
        case mean
        /// The side along the view, which is the longer one in far rows.
        case along
    }

    /// The fraction of the distance between two zooms at which blending with the coarser zoom starts.
    private static let fade = 0.75

    /// Returns the zooms from which a row is drawn, with the details of each. Normally there is one. If two zooms are
    /// blended, the finer zoom comes first. If nothing is drawn in the row, the result is empty.
    func levels(of row: GroundRow) -> [Level] {
        let coarser = max(0, log2(footprint(row) * exp2(Double(zoom)) * Double(tileSize)))
        let whole = coarser.rounded(.down)
        let next = max(0, (coarser - whole - Self.fade) / (1 - Self.fade))
        let drop = Int(whole)
        guard zoom - drop - minZoom >= -reach || reach == .max else { return [] }
        let weight = zoom - drop > minZoom ? Int((next * 256).rounded()) : 0
        return [
            Level(zoom: max(zoom - drop, minZoom), tileSize: tileSize, weight: 256 - weight, row: row),
            Level(zoom: max(zoom - drop - 1, minZoom), tileSize: tileSize, weight: weight, row: row),
        ].filter { $0.weight > 0 }
    }

    private func footprint(_ row: GroundRow) -> Double {
        switch measure {
        case .across: row.across
        case .mean: (row.across * row.along).squareRoot()
        case .along: row.along
        }
    }
}

/// The way in which one row of an image uses the tiles of one zoom.
struct Level: Hashable, Sendable {
    let zoom: Int
    /// The number of times that tiles are halved before sampling.
    let halvings: Int
    /// The weight of this level in the row, in 1/256.
    let weight: Int
    /// The number of samples per pixel, across and along the view.
    let across: Int
    let along: Int

    /// The greatest distance in texels between two samples, unless the number of samples is at its maximum. Bilinear
    /// interpolation then uses every texel.
    private static let reach = 1.25
    private static let mostAlong = 16.0

    init(zoom: Int, tileSize: Int, weight: Int, row: GroundRow) {
        self.zoom = zoom
        self.weight = weight
        let texels = exp2(Double(zoom)) * Double(tileSize)
        var (across, along) = (row.across * texels, row.along * texels)
        var halvings = 0
        while halvings < tileSize.trailingZeroBitCount, across >= 2 || along > Self.reach * Self.mostAlong {
            (across, along, halvings) = (across / 2, along / 2, halvings + 1)
        }
        self.halvings = halvings
        self.across = Int(min(max((across / Self.reach).rounded(.up), 1), 2))
        self.along = Int(min(max((along / Self.reach).rounded(.up), 1), Self.mostAlong))
    }
}
