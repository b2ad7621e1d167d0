/// A line or a closed ring of the map, for example a coast. Its places are in units of `WorldData.grid`.
///
/// The line is divided into runs of `runLength` steps. Each run has a bounding box, so that a tile can skip the runs
/// that are far from the tile.
struct WorldLine: Sendable {
    /// The places of the line. The last place of a ring equals its first one.
    let places: [Place]
    /// The zoom from which on the line is drawn. The zoom may be a fraction, such as 4.7.
    let firstZoom: Double
    /// True if the line is a disputed boundary.
    let isDisputed: Bool
    /// The bounding box of all places.
    let box: WorldBox
    /// The bounding boxes of the runs, in their order.
    let runs: [WorldBox]

    /// A place in units of `WorldData.grid`: x to the east, y to the south.
    struct Place: Equatable, Sendable {
        let x: Int32
        let y: Int32
    }

    private static let runLength = 32

    /// Creates a line. `places` must not be empty.
    init(places: [Place], firstZoom: Double, isDisputed: Bool) {
        self.places = places
        self.firstZoom = firstZoom
        self.isDisputed = isDisputed
        box = WorldBox(around: places[...])
        runs = stride(from: 0, to: max(1, places.count - 1), by: Self.runLength).map { start in
            WorldBox(around: places[start...min(start + Self.runLength, places.count - 1)])
        }
    }

    /// Returns the places of the run `index`. The last place of a run is the first place of the next run.
    func places(ofRun index: Int) -> ArraySlice<Place> {
        let start = index * Self.runLength
        return places[start...min(start + Self.runLength, places.count - 1)]
    }
}

/// A box in units of `WorldData.grid`. Its edges belong to it.
struct WorldBox: Equatable, Sendable {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
}

extension WorldBox {
    init(around places: ArraySlice<WorldLine.Place>) {
        var (left, top, right, bottom) = (Int32.max, Int32.max, Int32.min, Int32.min)
        for place in places {
            left = min(left, place.x)
            top = min(top, place.y)
            right = max(right, place.x)
            bottom = max(bottom, place.y)
        }
        self.init(left: Double(left), top: Double(top), right: Double(right), bottom: Double(bottom))
    }

    /// Reports whether this box and `other` have a place in common.
    func meets(_ other: WorldBox) -> Bool {
        left <= other.right && right >= other.left && top <= other.bottom && bottom >= other.top
    }
}
