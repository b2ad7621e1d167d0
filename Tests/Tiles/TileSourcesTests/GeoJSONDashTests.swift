import Foundation
import Raster
import TestPictures
import Testing

@testable import TileSources
@testable import Tiles

/// Dashed lines and outlines of GeoJSON features.
@Suite struct GeoJSONDashTests {
    private let directory: GeoJSONDirectory

    init() throws { directory = try GeoJSONDirectory() }

    private func layer(_ features: [String], dash: [Double], width: Double = 2) throws -> GeoJSONLayer {
        var style = GeoJSONStyle.standard
        (style.dash, style.width, style.fill) = (dash, width, .transparent)
        style.stroke = RGBA(red: 0, green: 0, blue: 0)
        let text = "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
        return try GeoJSONLayer(path: directory.write(text), style: style)
    }

    private func line(_ coordinates: String) -> String { feature(geometry("LineString", coordinates), "{}") }

    /// Returns the runs of inked and clear pixels along the middle row of the tile of the world.
    private func runs(_ layer: GeoJSONLayer) throws -> [Int] {
        let tile = try image(layer.tile(x: 0, y: 0, zoom: 0, scale: 1))
        var runs: [Int] = []
        var last = false
        for column in 0..<256 {
            let isInked = tile.color(column, 128).alpha > 127
            if isInked == last, !runs.isEmpty { runs[runs.count - 1] += 1 } else { runs.append(1) }
            last = isInked
        }
        return runs
    }

    /// The line begins at the western edge of the world. Dashes have their length with their round ends.
    @Test(arguments: [([8.0, 8.0], [8, 8]), ([4], [4, 4]), ([10, 3, 2, 5], [10, 3, 2, 5])])
    func drawsDashesOfTheirLength(dash: [Double], expected: [Int]) throws {
        let found = try runs(layer([line("[[-180, 0], [180, 0]]")], dash: dash))
        for (index, length) in found.dropFirst().dropLast(2).enumerated() {
            #expect(abs(length - expected[(index + 1) % expected.count]) <= 1, "\(found)")
        }
        #expect(found.count > 20)
    }

    /// A coast has many vertices in each dash. The gaps stay open although the pen is as wide as a gap.
    @Test func keepsGapsBetweenNearVertices() throws {
        let vertices = (0...2_000).map { "[\(-180 + 0.18 * Double($0)), \($0.isMultiple(of: 2) ? 0 : 0.05)]" }
        let layer = try layer([line("[\(vertices.joined(separator: ","))]")], dash: [6, 3], width: 3)
        let found = try runs(layer)
        #expect(found.count > 40, "\(found)")
        let straight = try runs(self.layer([line("[[-180, 0], [180, 0]]")], dash: [6, 3], width: 3))
        #expect(abs(found.count - straight.count) <= 4, "\(found) \(straight)")
    }

    /// A dash of no length is a dot as wide as the line. Dashes without gaps between them are one dash.
    @Test func drawsDots() throws {
        let dots = try runs(layer([line("[[-180, 0], [180, 0]]")], dash: [0, 8], width: 4))
        #expect(dots.count > 50 && dots.dropFirst(2).dropLast(2).allSatisfy { 3...5 ~= $0 }, "\(dots)")
        #expect(try runs(layer([line("[[-180, 0], [180, 0]]")], dash: [5, 0])) == [256])
        let joined = try runs(layer([line("[[-180, 0], [180, 0]]")], dash: [5, 0, 5, 6]))
        #expect(joined == (try runs(layer([line("[[-180, 0], [180, 0]]")], dash: [10, 6]))))
    }

    @Test(arguments: [[], [0.1, 0.1], [0, 0]]) func drawsSolidLines(dash: [Double]) throws {
        #expect(try runs(layer([line("[[-180, 0], [180, 0]]")], dash: dash)) == [256])
    }

    /// The dashes do not begin anew at a vertex, and a closed outline is dashed as well.
    @Test func goesOnAtVertices() throws {
        let vertices = (0...36).map { "[\(-180 + 10 * $0), 0]" }.joined(separator: ",")
        let plain = try runs(layer([line("[[-180, 0], [180, 0]]")], dash: [7, 5]))
        let cut = try runs(layer([line("[\(vertices)]")], dash: [7, 5]))
        #expect(cut.count == plain.count && zip(cut, plain).allSatisfy { abs($0 - $1) <= 1 }, "\(cut) \(plain)")
        let ring = "[[[-90, 0], [90, 0], [90, 60], [-90, 60], [-90, 0]]]"
        #expect(try runs(layer([feature(geometry("Polygon", ring), "{}")], dash: [7, 5])).count > 15)
    }

    /// Each quarter counts the dashes from the beginning of the line, which may be far away.
    @Test(arguments: [0, 1, 3, 4]) func quartersMatchWholePicture(number: Int) throws {
        let square = Seams.squares[number]
        func position(_ x: Double, _ y: Double) -> String { square.position(x, y) }
        let far = min(3_000, square.worldSide / 8)
        let vertices = (0...500).map { index in
            let share = Double(index) / 500
            return position(-far + share * (2 * far + 40), 30 + 25 * sin(share * 40))
        }
        let layer = try layer([line("[\(vertices.joined(separator: ","))]")], dash: [9, 4])
        try Seams.quartersMakeUp(square) {
            try layer.picture(of: $0) ?? Pixmap(width: $0.side, height: $0.side)
        }
    }

    /// A hostile line runs from pole to pole so often that its length has no fraction left. The tile that its end
    /// crosses takes bounded time, with dashes or with an answer that it is too complex.
    @Test(.timeLimit(.minutes(1))) func boundsALineOfAstronomicalLength() throws {
        let vertices = (0..<100_000).map { "[10, \($0.isMultiple(of: 2) ? -89 : 90)]" } + ["[10, 0]", "[11, 0]"]
        let layer = try layer([line("[\(vertices.joined(separator: ","))]")], dash: [6, 3])
        for zoom in [22, 30] {
            let x = Int((190.5 / 360 * Double(1 << zoom)).rounded(.down))
            do {
                _ = try layer.tile(x: x, y: 1 << (zoom - 1), zoom: zoom, scale: 4)
            } catch {
                #expect(error == .tooComplex)
            }
        }
    }

    /// A line around a tile far away has a million dashes, and takes bounded time.
    @Test(.timeLimit(.minutes(1))) func skipsDashesFarAway() throws {
        let layer = try layer([line("[[-180, -80], [180, 80]]")], dash: [1, 1], width: 1)
        for zoom in [0, 12, 22, 30] {
            let middle = zoom == 0 ? 0 : 1 << (zoom - 1)
            let tile = try image(layer.tile(x: middle, y: middle, zoom: zoom, scale: 1))
            #expect(tile.bytes.contains { $0 != 0 })
        }
    }
}
