import Generators
import MapGeometry
import Tiles

/// A function that makes tiles, with its name in the benchmark.
struct TileMaker: Sendable {
    let name: String
    /// A place of the world, each coordinate in 0..<1. The tiles around it have content at a high zoom.
    let place: WorldPoint
    /// Returns the size of the encoded tile in bytes, at a coordinate and a scale. Nil if there is no tile.
    let make: @Sendable (TileCoordinate, Int) throws -> Int?
    /// Prepares the tiles that must exist before the measurement.
    var prepare: @Sendable (TileCoordinate, Int) throws -> Void = { _, _ in }

    /// All tile makers.
    static let all: [TileMaker] = generators + stacks

    private static let generators: [TileMaker] = {
        let zurich = WorldPoint(x: 0.5237, y: 0.3501)
        // A time of sunset in Zurich.
        let evening = DaylightLayer.Moment.fixed(1_782_070_000)
        return [
            TileMaker("solid", SolidLayer(color: .init(red: 128, green: 128, blue: 128)), zurich),
            TileMaker("checkerboard", CheckerboardLayer(), zurich),
            TileMaker("grid", GridLayer(), zurich),
            TileMaker("graticule", GraticuleLayer(), zurich),
            TileMaker("oddColumns", OddColumnsLayer(), zurich),
            TileMaker("world", WorldLayer(), zurich),
            TileMaker("relief", ReliefLayer(), zurich),
            // A place with much detail: the valley between the set's body and its head.
            TileMaker("mandelbrot", MandelbrotLayer(), WorldPoint(x: 0.501_57, y: 0.462_43)),
            TileMaker("daylight", DaylightLayer(moment: evening), zurich),
        ]
    }()
}

extension TileMaker {
    /// Creates a tile maker that draws with `layer` and encodes like the server.
    init(_ name: String, _ layer: some SyncTileLayer, _ place: WorldPoint) {
        self.init(name: name, place: place, make: { try layer.encoded($0, $1)?.bytes.count })
    }
}

extension SyncTileLayer {
    /// Returns the tile in the form that the server sends.
    func encoded(_ coordinate: TileCoordinate, _ scale: Int) throws -> Tile? {
        switch try tile(x: coordinate.x, y: coordinate.y, zoom: coordinate.z, scale: scale) {
        case .image(let pixmap), .coarse(let pixmap, _): try Tile(encoding: pixmap)
        case .encoded(let tile): tile
        case .noTile, nil: nil
        }
    }
}
