import MapGeometry
import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorWorldTests {
    private static let style: WorldColors = {
        var style = WorldColors()
        style.lake = RGBA(red: 1, green: 2, blue: 3)
        // A name may cover a place.
        style.labels = false
        return style
    }()

    private enum Ground { case land, sea, lake }

    private static let places: [(String, Double, Double, Ground)] = [
        ("east of Vancouver", 50.2, -120.5, .land), ("Pacific", 5, -150, .sea), ("Lake Superior", 47.7, -87.5, .lake),
        ("Caspian Sea", 41.5, 50.8, .sea), ("Kazakhstan", 48, 68, .land), ("South Pole", -85, 10, .land),
        ("Arctic Ocean", 85, 0, .sea), ("Chukotka beyond 180°", 67.5, -178, .land), ("Siberia", 66.5, 178, .land),
        ("Antarctica at the antimeridian", -84.9, 179.99, .land), ("Sahara", 22, 5, .land),
        ("Lake Victoria", -1.8, 33, .lake), ("Australia", -25, 135, .land), ("Drake Passage", -59, -65, .sea),
    ]

    /// An island a few points south of the tile has a band of shallow sea that reaches into the tile.
    @Test func drawsShallowSeaOfAnIslandBesideTheTile() throws {
        let style = WorldColors()
        let picture = try image(WorldLayer(style: style).tile(x: 19, y: 27, zoom: 6, scale: 1))
        let colors = (33...37).map { picture.color($0, 255) }
        #expect(colors.allSatisfy { $0 != style.water }, "\(colors)")
    }

    /// Known places have the colour of their ground, in the data of both scales and at several sizes.
    @Test(arguments: places.indices, [(2, 2), (5, 1)])
    func distinguishesLandFromWater(index: Int, kind: (Int, Int)) throws {
        let (name, latitude, longitude, ground) = Self.places[index]
        let (zoom, scale) = kind
        let place = try #require(Coordinate(validating: latitude, longitude: longitude))
        let tile = try #require(TileCoordinate(containing: place, z: zoom))
        let picture = try image(
            WorldLayer(style: Self.style).tile(x: tile.x, y: tile.y, zoom: zoom, scale: scale))
        let point = Mercator.project(place)
        let side = Double(picture.width) * Double(1 << zoom)
        let (x, y) = (Int(point.x * side) % picture.width, Int(min(point.y * side, side - 1)) % picture.width)
        let expected =
            switch ground {
            case .land: Self.style.land
            case .sea: Self.style.water
            case .lake: Self.style.lakeColor
            }
        #expect(picture.color(x, y) == expected, "\(name)")
    }

    /// Four tiles together equal a single drawing of their square, pixel by pixel.
    @Test(arguments: [
        (1, 0, 0, 1, TileSize.standard), (3, 2, 2, 1, .standard), (5, 16, 10, 3, .standard), (4, 8, 5, 1, .double),
        (9, 80, 174, 2, .standard), (3, 2, 3, 2, .standard),
    ])
    func neighboursMatchSingleDrawing(zoom: Int, x: Int, y: Int, scale: Int, size: TileSize) throws {
        let layer = WorldLayer(tileSize: size)
        let side = size.pixels(scale: scale)
        let frame = TileFrame(
            left: Double(x * side), top: Double(y * side), side: side * 2, scale: Double(scale),
            worldSide: Double(side << zoom))
        let whole = layer.picture(of: frame, zoom: size == .double ? zoom + 1 : zoom)
        for row in 0...1 {
            for column in 0...1 {
                let tile = try image(layer.tile(x: x + column, y: y + row, zoom: zoom, scale: scale))
                let lines = (0..<side).filter { line in
                    let from = ((row * side + line) * side * 2 + column * side) * 4
                    return Array(whole.bytes[from..<(from + side * 4)])
                        != Array(tile.bytes[(line * side * 4)..<((line + 1) * side * 4)])
                }
                #expect(lines.isEmpty, "tile \(column), \(row)")
            }
        }
    }

    @Test(arguments: [0, 1, 5, 9, 14, 22, 30]) func drawsEdgesOfPyramid(zoom: Int) throws {
        let last = (1 << zoom) - 1
        for (x, y) in [(0, 0), (last, 0), (0, last), (last, last), (last / 2, last / 2)] {
            let picture = try image(WorldLayer().tile(x: x, y: y, zoom: zoom, scale: zoom == 30 ? 3 : 1))
            guard zoom > 2, x != last / 2 else { continue }
            // Antarctica reaches the lower edge of the world. No land reaches the upper edge.
            let line = y == 0 ? 0 : picture.height - 1
            let expected = y == 0 ? WorldColors().water : WorldColors().land
            let others = (0..<picture.width).filter { picture.color($0, line) != expected }
            #expect(others.isEmpty, "\(zoom)/\(x)/\(y)")
        }
    }

    @Test func usesAtMost256Colors() throws {
        for (zoom, x, y) in [(0, 0, 0), (2, 2, 1), (3, 4, 2), (4, 8, 5)] {
            let picture = try image(WorldLayer().tile(x: x, y: y, zoom: zoom, scale: 1))
            var colors: Set<RGBA> = []
            for row in 0..<256 { for column in 0..<256 { colors.insert(picture.color(column, row)) } }
            #expect(colors.count <= 256, "\(zoom)/\(x)/\(y)")
        }
    }

    @Test func leavesOutLabels() throws {
        var style = WorldColors()
        style.text = RGBA(red: 255, green: 0, blue: 0)
        func inked(_ style: WorldColors) throws -> Int {
            let picture = try image(WorldLayer(style: style).tile(x: 4, y: 2, zoom: 3, scale: 1))
            return (0..<256 * 256).count { picture.color($0 % 256, $0 / 256) == style.text }
        }
        #expect(try inked(style) > 50)
        style.labels = false
        #expect(try inked(style) == 0)
    }

    /// A transparent sea makes the layer an overlay. Parts with a transparent colour leave no opaque pixels.
    @Test func transparentPartsAreNotDrawn() throws {
        var style = WorldColors()
        style.water = .transparent
        style.lake = .transparent
        style.shallows = .transparent
        let sea = try image(WorldLayer(style: style).tile(x: 0, y: 8, zoom: 4, scale: 1))
        #expect(sea.color(200, 200).alpha == 0)
    }
}
