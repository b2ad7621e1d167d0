import MapGeometry
import MapRenderer
import Raster
import Testing

struct PinTests {
    private let red = RGBA(red: 200, green: 0, blue: 0)
    private let blue = RGBA(red: 0, green: 0, blue: 200)
    private let white = RGBA(red: 255, green: 255, blue: 255)

    private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(validating: latitude, longitude: longitude))
    }

    private func image(_ plan: RenderPlan, _ overlays: [Overlay]) -> Pixmap {
        var image = Pixmap(width: plan.width, height: plan.height, color: white)
        MapImage.draw(overlays, on: &image, of: plan)
        return image
    }

    @Test(arguments: [1, 2])
    func standsOnItsPlaceAtAnyTilt(scale: Int) throws {
        let plan = try RenderSamples.plan(
            zoom: 16, bearing: 77, angle: 65, width: 100, height: 100, scale: scale)
        let image = image(plan, [.pin(Pin(at: try place(0, 0), color: red, label: nil))])
        let middle = 50 * scale
        // Tests the dot in the head, the head to the left and right of the dot, and the drop down to the tip.
        #expect(image[middle, middle - 24 * scale] == white)
        #expect(image[middle - 8 * scale, middle - 24 * scale] == red)
        #expect(image[middle + 8 * scale, middle - 24 * scale] == red)
        #expect(image[middle, middle - 6 * scale] == red)
        #expect(image[middle, middle + 5 * scale] == white)
        #expect(image[middle - 14 * scale, middle - 24 * scale] == white)
    }

    @Test func showsItsLabelInAVisibleColor() throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 60, height: 60)
        func ink(_ color: RGBA) throws -> Set<RGBA> {
            Set(image(plan, [.pin(Pin(at: try place(0, 0), color: color, label: "I"))]).pixels)
        }
        // The stem of the letter may cover no pixel completely.
        #expect(try ink(RGBA(red: 250, green: 220, blue: 60)).contains { max($0.red, $0.green, $0.blue) < 0x80 })
        #expect(try ink(red).contains { min($0.red, $0.green, $0.blue) > 0x90 && $0 != white })
        #expect(try !ink(red).contains { max($0.red, $0.green, $0.blue) < 0x80 })
    }

    /// Three wide letters stay in the head, whose radius is 11 points.
    @Test(arguments: ["I", "10", "MWM", "12345", "東京都"]) func keepsItsLabelInTheHead(label: String) throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 100, height: 100)
        let dotted = image(plan, [.pin(Pin(at: try place(0, 0), color: red, label: " "))])
        let labelled = image(plan, [.pin(Pin(at: try place(0, 0), color: red, label: label))])
        var changed = 0
        for row in 0..<100 {
            for column in 0..<100 where labelled[column, row] != dotted[column, row] {
                changed += 1
                #expect(abs(column - 50) <= 10 && abs(row - 26) <= 10, "\(column), \(row)")
            }
        }
        #expect(changed > 10)
        #expect(try labelled == image(plan, [.pin(Pin(at: place(0, 0), color: red, label: String(label.prefix(3))))]))
    }

    @Test(arguments: [0.0, 65])
    func hidesPinsThatAreFartherAway(angle: Double) throws {
        let plan = try RenderSamples.plan(zoom: 16, angle: angle, width: 100, height: 100)
        let far = Pin(at: try place(0.00005, 0), color: red)
        let near = Pin(at: try place(0, 0), color: blue)
        for pins in [[far, near], [near, far]] {
            let image = image(plan, pins.map(Overlay.pin))
            #expect(image[58, 26] == blue)
        }
    }

    @Test func isDrawnOverPathsAndUnderAttributions() throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 60, height: 60)
        let line = GroundPath([try place(0, -20), try place(0, 20)], stroke: .init(color: blue, width: 70))
        let image = image(
            plan, [.pin(Pin(at: try place(0, 0), color: red)), .path(line), .attribution(Attribution("A B C D E F"))])
        #expect(image[30, 22] == red)
        #expect(image[2, 2] == blue)
        #expect(image[58, 58] != blue)
    }

    @Test func isInvisibleBehindTheCamera() throws {
        let plan = try RenderSamples.plan(zoom: 16, angle: 65, width: 60, height: 60)
        let image = image(plan, [.pin(Pin(at: try place(-1, 0), color: red))])
        #expect(image.pixels.allSatisfy { $0 == white })
    }
}
