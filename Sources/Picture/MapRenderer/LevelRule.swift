import Foundation

/// Which zooms the rows of an image take their tiles from, and how finely.
///
/// Near rows are of the zoom that follows from the camera's (docs/spec/model.md 3.5). Where a pixel sees more than two texels, tiles
/// of a coarser zoom take over; just before, the two fade into each other.
struct LevelRule: Hashable, Sendable {
    /// The deepest zoom.
    var zoom: Int
    /// The coarsest zoom there is.
    let minZoom: Int
    let tileSize: Int
    var measure = Measure.across
    /// How many zooms coarser than the coarsest there is the far rows may want it; those that want more stay empty.
    var reach = Int.max

    /// What counts as the size of a pixel's image on the ground. The later, the sooner coarser tiles take over.
    enum Measure: Hashable, Sendable {
        /// Its shorter side, which leaves no detail out.
        case across
        case mean
        /// Its longer side.
        case along
    }

    /// From which part of the way to the next zoom on its tiles are seen too.
    private static let fade = 0.75

    /// The levels of a row, finest first: none where nothing is drawn, two where they fade.
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

/// Tiles of one zoom, as one row of an image sees them.
struct Level: Hashable, Sendable {
    let zoom: Int
    /// How often the tiles are halved before they are sampled.
    let halvings: Int
    /// How much of the row comes from here, of 256.
    let weight: Int
    /// How many places of a pixel are sampled, across and along the view.
    let across: Int
    let along: Int

    /// Bilinear interpolation sees all texels while it is not more than this from one place to the next.
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
