import MapGeometry

/// The orientation of a Hilbert curve in a square (PMTiles 3, Tile IDs). The curve crosses the four quadrants of the
/// square one after the other. Within the first and the last quadrant, the curve has another orientation than in the
/// square.
///
/// Each orientation combines two optional steps: `exchanges` swaps the x axis with the y axis, and `reverses` reverses
/// both axes.
struct HilbertTurn: Hashable, Sendable {
    private var exchanges = false
    private var reverses = false

    /// A quadrant of a square.
    struct Quadrant: Hashable, Sendable {
        /// 1 for the eastern half, otherwise 0.
        let east: Int
        /// 1 for the southern half, otherwise 0.
        let south: Int
    }

    /// Returns the quadrant at the position `place` in the order of the curve: 0 is the first quadrant, and 3 is the
    /// last.
    func quadrant(_ place: Int) -> Quadrant {
        // The curve without turns visits the quadrants north-west, south-west, south-east and north-east.
        let (first, second) = (place >> 1 & 1, (place ^ place >> 1) & 1)
        let flip = reverses ? 1 : 0
        return exchanges
            ? Quadrant(east: second ^ flip, south: first ^ flip) : Quadrant(east: first ^ flip, south: second ^ flip)
    }

    /// Returns the orientation of the curve within the quadrant at the position `place` in the order of the curve. 0 is
    /// the first quadrant, and 3 is the last.
    func turned(at place: Int) -> HilbertTurn {
        var turn = self
        if place == 0 || place == 3 { turn.exchanges.toggle() }
        if place == 3 { turn.reverses.toggle() }
        return turn
    }
}

/// The square of the map that the tile `z`/`x`/`y` covers, with the orientation of the Hilbert curve in this square.
struct HilbertNode: Hashable, Sendable {
    let z: Int
    let x: Int
    let y: Int
    private let turn: HilbertTurn

    /// The square of the whole world.
    static let world = HilbertNode(z: 0, x: 0, y: 0, turn: HilbertTurn())

    /// Returns the quadrant of this square at the position `place` in the order of the curve: 0 is the first quadrant,
    /// and 3 is the last.
    func child(_ place: Int) -> HilbertNode {
        let quadrant = turn.quadrant(place)
        return HilbertNode(
            z: z + 1, x: x << 1 | quadrant.east, y: y << 1 | quadrant.south, turn: turn.turned(at: place))
    }
}
