import Foundation
import MapGeometry
import MapRenderer
import Raster

/// Pictures of one camera over tiles that a formula makes, which scripts/support/perspective.py knows too.
struct CameraBench {
    let plan: RenderPlan
    let tiles: [[TileCoordinate: Pixmap]]

    /// What Sydney's harbour shows at zoom 16, `width` by `height` points.
    init(width: Double, height: Double, angle: Double, bearing: Double) throws {
        let view = MapView(viewport: try Viewport(width: width, height: height))
        let camera = try CameraPosition(
            latitude: -33.8683, longitude: 151.2086, zoom: 16, bearing: bearing, viewingAngle: angle)
        plan = RenderPlan(projection: try view.projection(of: camera), layers: [RenderLayer(zooms: 0...22)])
        tiles = plan.layers.map { layer in
            Dictionary(uniqueKeysWithValues: layer.tiles.map { ($0, Self.tile($0)) })
        }
    }

    /// Slopes that cross the borders of tiles; at coarser zooms they are as steep on the ground.
    private static func tile(_ place: TileCoordinate) -> Pixmap {
        let step = 1 << max(0, 16 - place.z)
        var pixmap = Pixmap(width: 256, height: 256)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for index in 0..<65_536 {
                let x = (place.x * 256 + index % 256) * step + step / 2
                let y = (place.y * 256 + index / 256) * step + step / 2
                pixels[index] = RGBA(red: slope(x * 5), green: slope(y * 3), blue: slope((x + 2 * y) * 2))
            }
        }
        return pixmap
    }

    private static func slope(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: abs(value % 510 - 255))
    }

    /// The picture, planned anew.
    func picture() -> Pixmap {
        let plan = RenderPlan(projection: plan.projection, layers: plan.layers.map(\.layer))
        return MapImage.render(plan, tiles: tiles)
    }
}
