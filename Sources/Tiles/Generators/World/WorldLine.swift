/// A line or a ring of the map's data on the grid of `WorldData`.
///
/// It is kept in runs of `runLength` steps with their boxes: a tile looks at the runs near it and passes over the
/// others.
struct WorldLine: Sendable {
    /// A ring ends with its first place.
    let places: [Place]
    /// The zoom from which on it is worth showing.
    let firstZoom: Double
    /// A boundary that not all agree on.
    let isDisputed: Bool
    /// The box around all places.
    let box: WorldBox
    /// The boxes of the runs.
    let runs: [WorldBox]

    /// A place on the grid.
    struct Place: Equatable, Sendable {
        let x: Int32
        let y: Int32
    }

    private static let runLength = 32

    /// `places` has at least one.
    init(places: [Place], firstZoom: Double, isDisputed: Bool) {
        self.places = places
        self.firstZoom = firstZoom
        self.isDisputed = isDisputed
        box = WorldBox(around: places[...])
        runs = stride(from: 0, to: max(1, places.count - 1), by: Self.runLength).map { start in
            WorldBox(around: places[start...min(start + Self.runLength, places.count - 1)])
        }
    }

    /// The places of run `index`; its last one is the first of the next run.
    func places(ofRun index: Int) -> ArraySlice<Place> {
        let start = index * Self.runLength
        return places[start...min(start + Self.runLength, places.count - 1)]
    }
}

/// A box on the grid of `WorldData`, edges inside.
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

    /// Whether the two have a place in common.
    func meets(_ other: WorldBox) -> Bool {
        left <= other.right && right >= other.left && top <= other.bottom && bottom >= other.top
    }
}
