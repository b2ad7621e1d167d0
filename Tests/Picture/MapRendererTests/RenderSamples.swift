import MapGeometry
import MapRenderer
import Raster

/// Plans of cameras, and pictures of tiles that are made by formulas.
enum RenderSamples {
    /// Makes the plan for a camera. The view is `width` × `height` points.
    static func plan(
        latitude: Double = 0, longitude: Double = 0, zoom: Double, bearing: Double = 0, angle: Double = 0,
        width: Double = 512, height: Double = 512, padding: EdgeInsets = .zero, scale: Int = 1,
        layers: [RenderLayer] = [RenderLayer()], limit: Int = RenderPlan.tileLimit
    ) throws -> RenderPlan {
        let view = MapView(
            rules: CameraRules(zoomRange: try ZoomRange(minimum: 0, maximum: 30)),
            viewport: try Viewport.checked(width: width, height: height, padding: padding))
        let camera = try CameraPosition.checked(
            latitude: latitude, longitude: longitude, zoom: zoom, bearing: bearing, viewingAngle: angle)
        return RenderPlan(projection: try view.projection(of: camera), scale: scale, layers: layers, tileLimit: limit)
    }

    /// Renders `plan` with the tiles that `tile` returns for each place and layer.
    static func image(
        _ plan: RenderPlan, background: RGBA = MapImage.background, parallel: Int = 1,
        tile: (TileCoordinate, Int) -> Pixmap?
    ) -> Pixmap {
        let tiles = plan.layers.enumerated().map { index, layer in
            Dictionary(uniqueKeysWithValues: layer.tiles.compactMap { place in tile(place, index).map { (place, $0) } })
        }
        return MapImage.render(plan, tiles: tiles, background: background, parallel: parallel)
    }

    /// Makes a tile. `color` gets the position of each pixel in the world, in pixels of the tile's zoom.
    static func tile(_ place: TileCoordinate, size: Int = 256, color: (_ x: Int, _ y: Int) -> RGBA) -> Pixmap {
        var pixmap = Pixmap(width: size, height: size)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for y in 0..<size {
                for x in 0..<size { pixels[y * size + x] = color(place.x * size + x, place.y * size + y) }
            }
        }
        return pixmap
    }

    /// Makes a tile whose neighbouring pixels all differ.
    static func noise(_ place: TileCoordinate, alpha: UInt8? = 255) -> Pixmap {
        tile(place) { x, y in
            let mixed = (x &* 73_856_093 ^ y &* 19_349_663) &* 83_492_791
            return RGBA(
                red: UInt8(truncatingIfNeeded: mixed >> 3), green: UInt8(truncatingIfNeeded: mixed >> 11),
                blue: UInt8(truncatingIfNeeded: mixed >> 19), alpha: alpha ?? UInt8(truncatingIfNeeded: mixed >> 27))
        }
    }

    /// Makes a tile with gradients that cross the borders of tiles. The origin is in pixels.
    static func slopes(_ place: TileCoordinate, originX: Int, originY: Int) -> Pixmap {
        tile(place) { x, y in
            func slope(_ value: Int) -> UInt8 {
                let rest = value % 510
                return UInt8(abs((rest < 0 ? rest + 510 : rest) - 255))
            }
            let (x, y) = (x - originX, y - originY)
            return RGBA(red: slope(x * 5), green: slope(y * 3), blue: slope((x + 2 * y) * 2))
        }
    }
}

extension Pixmap {
    subscript(x: Int, y: Int) -> RGBA {
        bytes.withUnsafeBytes { $0.bindMemory(to: RGBA.self)[y * width + x] }
    }

    /// The pixels, row by row.
    var pixels: [RGBA] { bytes.withUnsafeBytes { Array($0.bindMemory(to: RGBA.self)) } }
}

extension RGBA {
    /// Returns the greatest difference of any channel.
    func distance(to other: RGBA) -> Int {
        [
            abs(Int(red) - Int(other.red)), abs(Int(green) - Int(other.green)), abs(Int(blue) - Int(other.blue)),
            abs(Int(alpha) - Int(other.alpha)),
        ].max() ?? 0
    }
}
