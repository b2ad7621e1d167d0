import MapGeometry
import MapRenderer
import Raster
import Testing

struct GroundPathTests {
    private let red = RGBA(red: 255, green: 0, blue: 0)
    private let white = RGBA(red: 255, green: 255, blue: 255)

    private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(validating: latitude, longitude: longitude))
    }

    private func image(_ plan: RenderPlan, _ path: GroundPath) -> Pixmap {
        var image = Pixmap(width: plan.width, height: plan.height, color: white)
        MapImage.draw([.path(path)], on: &image, of: plan)
        return image
    }

    /// Returns the pixel that shows a place.
    private func pixel(_ plan: RenderPlan, _ place: Coordinate) throws -> (x: Int, y: Int) {
        let point = try #require(plan.projection.point(for: place))
        return (x: Int(point.x * Double(plan.scale)), y: Int(point.y * Double(plan.scale)))
    }

    // The expected middle of the line on the map is the middle of T-FIT-1.
    @Test(arguments: [0.0, 30])
    func leadsStraightOverTheMap(angle: Double) throws {
        let plan = try RenderSamples.plan(
            latitude: 49.9, longitude: -118, zoom: 6, bearing: 20, angle: angle, width: 400, height: 300, scale: 2)
        let path = GroundPath(
            [try place(49.26, -123.11), try place(51.05, -114.05)], stroke: .init(color: red, width: 3))
        let image = image(plan, path)
        let middle = try pixel(plan, try place(50.163378172, -118.58))
        #expect(image[middle.x, middle.y] == red)
        #expect(image[middle.x, middle.y - 8] == white && image[middle.x, middle.y + 8] == white)
    }

    @Test func goesTheShortWayAroundTheWorld() throws {
        let plan = try RenderSamples.plan(longitude: 180, zoom: 1, width: 512, height: 64)
        let path = GroundPath([try place(0, 170), try place(0, -170)], stroke: .init(color: red, width: 3))
        let image = image(plan, path)
        #expect(image[256, 32] == red)
        #expect(image[256 - 20, 32] == white && image[256 + 20, 32] == white)
    }

    @Test func appearsInEachCopyOfTheWorld() throws {
        let plan = try RenderSamples.plan(zoom: 0, width: 768, height: 64)
        let path = GroundPath([try place(10, 40), try place(-10, 40)], stroke: .init(color: red, width: 3))
        let image = image(plan, path)
        let x = 384 + 40 * 256 / 360
        #expect([x - 256, x, x + 256].allSatisfy { image[$0, 32] == red })
    }

    @Test func endsBehindTheCamera() throws {
        // The path leads from far behind the camera through the target to far ahead.
        let plan = try RenderSamples.plan(zoom: 17, angle: 65, width: 200, height: 150)
        let path = GroundPath(
            [try place(-40, 0), try place(40, 0)], stroke: .init(color: red, width: 3),
            fill: RGBA(red: 0, green: 0, blue: 255))
        let image = image(plan, path)
        #expect((0..<150).allSatisfy { image[100, $0] == red && image[120, $0] == white })
    }

    @Test func fillsTheAreaInside() throws {
        let plan = try RenderSamples.plan(zoom: 16, bearing: 45, angle: 60, width: 200, height: 150)
        let side = 0.001
        let corners = try [(-side, -side), (-side, side), (side, side), (side, -side)].map { try place($0.0, $0.1) }
        let image = image(plan, GroundPath(corners, isClosed: true, stroke: nil, fill: red))
        for (factor, expected) in [(0.9, red), (1.1, white)] {
            for corner in corners {
                let scaled = try place(corner.latitude * factor, corner.longitude * factor)
                let pixel = try pixel(plan, scaled)
                #expect(image[pixel.x, pixel.y] == expected)
            }
        }
    }

    // The area covers all ground in front of the camera and behind it.
    @Test func fillsTheGroundUpToTheHorizon() throws {
        let plan = try RenderSamples.plan(
            zoom: 16, angle: 65, width: 60, height: 200, padding: EdgeInsets(top: 180, left: 0, bottom: 0, right: 0))
        let corners = try [(-60.0, -60.0), (-60, 60), (60, 60), (60, -60)].map { try place($0.0, $0.1) }
        let image = image(plan, GroundPath(corners, isClosed: true, stroke: nil, fill: red))
        #expect((60..<200).allSatisfy { image[30, $0] == red })
        #expect((0..<45).allSatisfy { image[30, $0] == white })
    }

    @Test func drawsNothingWithoutPlaces() throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 20, height: 20)
        let image = image(plan, GroundPath([], isClosed: true, stroke: .init(color: red, width: 2), fill: red))
        #expect(image.pixels.allSatisfy { $0 == white })
    }
}
