import Configuration
import Raster
import Testing

/// Adjacent tiles that are cut out of one ancestor have no visible seam.
@Suite(.blocking, .serialized) struct OverzoomSeamTests {
    /// Returns pixels along the two, four or eight tiles of one row or column below tile 0/0/0.
    private func strip(
        _ ancestor: Pixmap, zoom: Int, vertical: Bool, overzoom: Int = 4, query: String = ""
    ) async throws -> [[RGBA]] {
        var pixels: [[RGBA]] = []
        let layer = PaintedLayer { _ in try .painted(ancestor) }
        try await withStack(.memory, ["test": layer], maps: []) {
            ($0.overzoom, $0.maxZoom) = (overzoom, 0)
        } _: { (endpoint: Endpoint) async throws in
            for index in 0..<(1 << zoom) {
                let place = vertical ? "0/\(index)" : "\(index)/0"
                let picture = try await endpoint.get("/test/\(zoom)/\(place).png\(query)").picture()
                for step in 0..<256 {
                    pixels.append([40, 128, 215].map { vertical ? picture[$0, step] : picture[step, $0] })
                }
            }
        }
        return pixels
    }

    /// Returns an image with a step from black to white after pixel `edge`.
    private func step(at edge: Int, vertical: Bool) -> Pixmap {
        Pixmap(size: 256, cells: 256) { x, y in (vertical ? y : x) < edge ? RGBA(0, 0, 0) : .white }
    }

    /// A step looks the same within a tile and on the edge between two tiles.
    @Test(arguments: [1, 2, 3], [false, true]) func interpolatesAcrossTileEdges(
        zoom: Int, vertical: Bool
    ) async throws {
        let side = 256 >> zoom
        let factor = 1 << zoom
        let within = try await strip(step(at: side / 2, vertical: vertical), zoom: zoom, vertical: vertical)
        let across = try await strip(step(at: side, vertical: vertical), zoom: zoom, vertical: vertical)
        for offset in -4 * factor..<4 * factor {
            let expected = within[128 + offset]
            let found = across[256 + offset]
            #expect(zip(expected, found).allSatisfy { $0.isNear($1) }, "\(offset): \(expected) \(found)")
        }
        // Both adjacent tiles contain a part of the slope.
        let (left, right) = (across[255][1].red, across[256][1].red)
        #expect(left > 4 && right < 251 && left < right, "\(left) \(right)")
    }

    /// A slope continues across the edge.
    @Test(arguments: [false, true]) func keepsASlopeStraightAcrossTileEdges(vertical: Bool) async throws {
        let slope = Pixmap(size: 256, cells: 256) { x, y in
            let value = UInt8(vertical ? y : x)
            return RGBA(value, 255 - value, 128)
        }
        let pixels = try await strip(slope, zoom: 2, vertical: vertical)
        for index in 8..<pixels.count - 8 {
            // The middle of pixel i lies over the ancestor's pixel (i + 1/2)/4 − 1/2, whose value is its number.
            let value = (Double(index) + 0.5) / 4 - 0.5
            for color in pixels[index] {
                #expect(abs(Double(color.red) - value) <= 1.5 && abs(Double(color.green) - 255 + value) <= 1.5)
            }
        }
    }

    /// A flat color stays flat, also at the edge of the world.
    @Test func keepsAFlatColorAtAllEdges() async throws {
        let color = RGBA(12, 200, 99, 130)
        let pixels = try await strip(Pixmap(width: 256, height: 256, color: color), zoom: 3, vertical: false)
        #expect(pixels.allSatisfy { $0.allSatisfy { $0.isNear(color) } })
    }

    @Test func hasNoSeamsInOverzoomOfARequest() async throws {
        let across = try await strip(
            step(at: 128, vertical: false), zoom: 1, vertical: false, overzoom: 0, query: "?empty=overzoom")
        let layers = try await strip(step(at: 128, vertical: false), zoom: 1, vertical: false)
        #expect(across == layers)
    }
}
