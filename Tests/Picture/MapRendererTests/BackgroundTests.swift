import MapGeometry
import MapRenderer
import Raster
import Testing

/// The colour of pixels without tiles.
@Suite struct BackgroundTests {
    @Test(arguments: [RGBA(red: 1, green: 2, blue: 3), .transparent])
    func fillsAPictureWithoutTiles(color: RGBA) throws {
        let view = try MapView(viewport: Viewport.checked(width: 30, height: 20))
        let camera = try CameraPosition.checked(latitude: 0, longitude: 0, zoom: 3, bearing: 30, viewingAngle: 20)
        let plan = RenderPlan(
            projection: try view.projection(of: camera), scale: 2, layers: [RenderLayer(tileSize: 256)])
        let picture = MapImage.render(plan, tiles: [[:]], background: color)
        #expect(picture == Pixmap(width: 60, height: 40, color: color))
    }
}
