import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorGraticuleTests {
    /// Four tiles together equal a single drawing of their square, pixel by pixel. So there are no seams and no
    /// clipped labels.
    @Test(
        arguments: [
            (1, 0, 0), (6, 10, 21), (10, 161, 350), (16, 10356, 22434),
        ],
        [(1, TileSize.standard), (3, .standard), (1, .double)])
    func neighboursMatchSingleDrawing(place: (Int, Int, Int), kind: (Int, TileSize)) throws {
        let (zoom, x, y) = place
        let layer = GraticuleLayer(tileSize: kind.1)
        let side = kind.1.pixels(scale: kind.0)
        let frame = TileFrame(
            left: Double(x * side), top: Double(y * side), side: side * 2, scale: Double(kind.0),
            worldSide: Double(side << zoom))
        let whole = layer.picture(of: frame)
        #expect(whole.bytes.contains { $0 != 0 })
        for row in 0...1 {
            for column in 0...1 {
                let tile = try image(layer.tile(x: x + column, y: y + row, zoom: zoom, scale: kind.0))
                #expect(tile == whole.quarter(column, row), "quarter \(column), \(row)")
            }
        }
    }

    /// The step at each zoom with tiles of 256 points. It leaves room for the labels and is at most 30°.
    @Test(arguments: [(0, 30.0), (1, 30), (2, 30), (3, 15), (4, 10), (5, 5), (10, 0.2), (20, 0.0002)])
    func stepMatchesZoom(zoom: Int, degrees: Double) {
        let step = GraticuleStep.fitting(worldSide: Double(256 << zoom))
        #expect(step.degrees(1) == degrees)
    }

    @Test(arguments: [
        (30.0, -120.0, "120°W"), (30, 0, "0°"), (30, 180, "180°"), (0.05, 49.25, "49.25°E"), (0.5, 49, "49.0°E"),
        (0.002, -0.002, "0.002°W"), (0.00000001, 12.00000001, "12.00000001°E"),
    ])
    func labelsShowDegrees(step: Double, degrees: Double, label: String) {
        let units = Int((degrees * 1e8).rounded())
        let step = GraticuleStep(units: Int((step * 1e8).rounded()))
        #expect(step.label(units, positive: "E", negative: "W") == label)
    }

    /// No parallel crosses these tiles. So pixels beside the meridians belong to the meridians' labels.
    @Test(arguments: [0, 3]) func labelsMeridiansUpToEndsOfWorld(row: Int) throws {
        let pixmap = try image(GraticuleLayer().tile(x: 1, y: row, zoom: 2, scale: 1))
        let inked = (0..<256).filter { column in (0..<256).contains { pixmap.color(column, $0).alpha > 0 } }
        #expect(inked.count > 40)
    }

    @Test func leavesOutLabels() throws {
        func inked(_ layer: some SyncTileLayer) throws -> Int {
            let pixmap = try image(layer.tile(x: 1, y: 1, zoom: 2, scale: 1))
            return (0..<256 * 256).count { pixmap.color($0 % 256, $0 / 256).alpha > 0 }
        }
        var (lines, borders) = (LineSource<GraticuleLayer>(), LineSource<GridLayer>())
        let labelled = try (inked(lines.layer(tileSize: .standard)), inked(borders.layer(tileSize: .standard)))
        (lines.labels, borders.labels) = (false, false)
        let plain = try (inked(lines.layer(tileSize: .standard)), inked(borders.layer(tileSize: .standard)))
        // Lines and borders are one pixel wide.
        #expect(plain.0 > 0 && plain.0 <= 10 * 256 && plain.0 < labelled.0)
        #expect(plain.1 == 511 && plain.1 < labelled.1)
    }

    /// Checks the columns of the meridians in the tile of the whole world.
    @Test func linesMatchProjection() throws {
        let pixmap = try image(GraticuleLayer().tile(x: 0, y: 0, zoom: 0, scale: 1))
        let column = (0..<256).filter { pixmap.color($0, 3).alpha > 0 }
        // A line every 30° at x = 256 · k / 12, rounded to a pixel edge. The first line is the antimeridian.
        #expect(column == [0, 21, 42, 64, 85, 106, 128, 149, 170, 192, 213, 234])
    }
}

extension Pixmap {
    fileprivate func quarter(_ column: Int, _ row: Int) -> Pixmap {
        var part = Pixmap(width: width / 2, height: height / 2)
        part.bytes = (0..<(height / 2)).flatMap { line in
            let start = ((row * height / 2 + line) * width + column * width / 2) * 4
            return bytes[start..<(start + width * 2)]
        }
        return part
    }
}
