import Generators
import MapGeometry
import Tiles

/// Something that makes tiles, under the name that the benchmark shows.
struct TileMaker: Sendable {
    let name: String
    /// A place of the world, each part in 0..<1, around which there is something to draw at a high zoom.
    let place: WorldPoint
    /// The bytes of the encoded tile at a coordinate and a scale; nil where there is none.
    let make: @Sendable (TileCoordinate, Int) throws -> Int?
    /// What is there before the clock starts.
    var prepare: @Sendable (TileCoordinate, Int) throws -> Void = { _, _ in }

    /// Everything that can be measured.
    static let all: [TileMaker] = generators + stacks

    private static let generators: [TileMaker] = {
        let zurich = WorldPoint(x: 0.5237, y: 0.3501)
        // A moment at which the sun goes down in Zurich.
        let evening = DaylightLayer.Moment.fixed(1_782_070_000)
        return [
            TileMaker("solid", SolidLayer(color: .init(red: 128, green: 128, blue: 128)), zurich),
            TileMaker("checkerboard", CheckerboardLayer(), zurich),
            TileMaker("grid", GridLayer(), zurich),
            TileMaker("graticule", GraticuleLayer(), zurich),
            TileMaker("oddColumns", OddColumnsLayer(), zurich),
            TileMaker("world", WorldLayer(), zurich),
            TileMaker("relief", ReliefLayer(), zurich),
            // The valley between the set's body and its head.
            TileMaker("mandelbrot", MandelbrotLayer(), WorldPoint(x: 0.501_57, y: 0.462_43)),
            TileMaker("daylight", DaylightLayer(moment: evening), zurich),
        ]
    }()
}

extension TileMaker {
    /// Draws with `layer`, and encodes as the server does.
    init(_ name: String, _ layer: some SyncTileLayer, _ place: WorldPoint) {
        self.init(name: name, place: place, make: { try layer.encoded($0, $1)?.bytes.count })
    }
}

extension SyncTileLayer {
    /// The tile as the server sends it.
    func encoded(_ coordinate: TileCoordinate, _ scale: Int) throws -> Tile? {
        switch try tile(x: coordinate.x, y: coordinate.y, zoom: coordinate.z, scale: scale) {
        case .image(let pixmap), .coarse(let pixmap, _): try Tile(encoding: pixmap)
        case .encoded(let tile): tile
        case .noTile, nil: nil
        }
    }
}
