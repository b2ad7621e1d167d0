import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorTests {
    static let layers: [any SyncTileLayer] = [
        SolidLayer(color: .transparent), CheckerboardLayer(), GridLayer(), GraticuleLayer(), OddColumnsLayer(),
        SolidLayer(color: .transparent, tileSize: .double), CheckerboardLayer(tileSize: .double),
        GridLayer(tileSize: .double), GraticuleLayer(tileSize: .double), OddColumnsLayer(tileSize: .double),
    ]

    /// Draws the corners of the pyramid at every scale. Checks that drawing does not trap and that the pictures have
    /// the right size.
    @Test(arguments: Array(layers.enumerated()).map(\.offset), 1...4)
    func drawsEveryScaleEverywhere(index: Int, scale: Int) throws {
        let layer = Self.layers[index]
        #expect(layer.scales == 1...4)
        let last = (1 << 30) - 1
        for (zoom, x, y) in [(30, last, last), (scale, 1, 0)] {
            let pixmap = try image(layer.tile(x: x, y: y, zoom: zoom, scale: scale))
            #expect(pixmap.width == (index < 5 ? 256 : 512) * scale)
            #expect(pixmap.height == pixmap.width)
        }
    }

    /// T-LAYER-1 of docs/spec/model.md.
    @Test(arguments: [(1, 0, true), (3, 3, true), (0, 0, false), (2, 1, false)])
    func oddColumnsHaveImages(x: Int, y: Int, hasImage: Bool) throws {
        switch try OddColumnsLayer().tile(x: x, y: y, zoom: 2) {
        case .image: #expect(hasImage)
        case .noTile: #expect(!hasImage)
        default: Issue.record("neither an image nor no tile")
        }
    }

    @Test func solidHasOneColor() throws {
        let color = RGBA(red: 1, green: 2, blue: 3, alpha: 4)
        let pixmap = try image(SolidLayer(color: color).tile(x: 0, y: 0, zoom: 0, scale: 2))
        #expect(pixmap == Pixmap(width: 512, height: 512, color: color))
    }

    /// The pattern continues across the border of two tiles, even with three colours and cells that do not divide a
    /// tile's pixels.
    @Test(arguments: [1, 3, 5, 8]) func checkerboardContinuesAcrossTiles(cells: Int) throws {
        let colors = (0..<3).map { RGBA(red: UInt8($0), green: 0, blue: 0) }
        let layer = CheckerboardLayer(colors: colors, cells: cells)
        for x in 10...11 {
            let pixmap = try image(layer.tile(x: x, y: 7, zoom: 5, scale: 1))
            for column in 0..<256 {
                let cell = x * cells + column * cells / 256 + 7 * cells
                #expect(pixmap.color(column, 0).red == UInt8(cell % 3))
            }
        }
    }

    @Test(arguments: 1...4) func gridLinesMeetWithoutDoubling(scale: Int) throws {
        let color = RGBA(red: 9, green: 8, blue: 7)
        let side = 256 * scale
        let pixmap = try image(GridLayer(color: color).tile(x: 1, y: 1, zoom: 2, scale: scale))
        for place in 0..<side {
            #expect(pixmap.color(place, 0) == color && pixmap.color(0, place) == color)
            #expect(pixmap.color(place, scale).alpha == (place < scale ? 255 : 0))
            #expect(pixmap.color(side - 1, place).alpha == (place < scale ? 255 : 0))
        }
    }

    @Test func gridLabelsFitAtEveryZoom() throws {
        for zoom in 1...30 {
            let last = (1 << zoom) - 1
            let pixmap = try image(GridLayer().tile(x: last - 1, y: last - 1, zoom: zoom, scale: 1))
            let inked = (2..<254).filter { column in (2..<254).contains { pixmap.color(column, $0).alpha > 0 } }
            #expect((inked.first ?? 0) >= 10 && (inked.last ?? 256) <= 246, "zoom \(zoom)")
        }
    }

    @Test func overlaysAreTransparentByDefault() throws {
        #expect(try image(GridLayer().tile(x: 0, y: 0, zoom: 3, scale: 1)).color(9, 9).alpha == 0)
        #expect(try image(GraticuleLayer().tile(x: 0, y: 0, zoom: 0, scale: 1)).color(2, 2).alpha == 0)
        let white = RGBA(red: 255, green: 255, blue: 255)
        #expect(try image(GridLayer(background: white).tile(x: 0, y: 0, zoom: 3, scale: 1)).color(9, 9) == white)
    }

    /// A cache on disk uses the description to check whether its tiles are still current.
    @Test func descriptionDistinguishesSettings() {
        var relief = ReliefSource()
        let standard = GeneratorSource.relief(relief)
        relief.seed = 2
        let other = GeneratorSource.relief(relief)
        #expect(standard != other && standard.description != other.description)
        relief.seed = 1
        #expect(standard == .relief(relief) && standard.description == GeneratorSource.relief(relief).description)
        let (grid, graticule) = (
            GeneratorSource.grid(color: .red, background: .blue),
            GeneratorSource.graticule(color: .red, background: .blue)
        )
        #expect(grid != graticule && grid.description != graticule.description)
    }
}
