import MapGeometry
import MapRenderer
import Raster
import Testing

struct AttributionTests {
    private let blue = RGBA(red: 0, green: 0, blue: 200)

    private func image(width: Double, height: Double, _ text: String) throws -> Pixmap {
        let plan = try RenderSamples.plan(zoom: 3, width: width, height: height)
        var image = Pixmap(width: plan.width, height: plan.height, color: blue)
        MapImage.draw([.attribution(Attribution(text))], on: &image, of: plan)
        return image
    }

    /// Returns the size of the text's background, measured from the lower right corner.
    private func extent(_ image: Pixmap) -> (width: Int, height: Int) {
        (
            width: (0..<image.width).filter { image[$0, image.height - 1] != blue }.count,
            height: (0..<image.height).filter { image[image.width - 1, $0] != blue }.count
        )
    }

    @Test func standsInTheLowerRightCorner() throws {
        let image = try image(width: 300, height: 100, "© Natural Earth")
        let extent = extent(image)
        #expect((80...130).contains(extent.width) && (12...20).contains(extent.height))
        #expect(image.pixels.contains { $0.red < 80 && $0.blue < 80 })
        #expect(image[299 - extent.width, 99] == blue && image[299, 99 - extent.height] == blue)
    }

    @Test func breaksLongLines() throws {
        let one = extent(try image(width: 300, height: 100, "Made with Natural Earth"))
        let more = extent(try image(width: 90, height: 100, "Made with Natural Earth"))
        #expect(more.width <= 90 && more.height > one.height + 10)
    }

    @Test(arguments: ["", " \n"])
    func drawsNothingWithoutText(text: String) throws {
        #expect(try image(width: 30, height: 30, text).pixels.allSatisfy { $0 == blue })
    }

    @Test func fitsIntoASinglePixel() throws {
        #expect(try image(width: 1, height: 1, "Made with Natural Earth").width == 1)
    }
}
