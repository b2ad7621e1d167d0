import MapGeometry
import Raster

/// An object that is drawn over the tiles of an image.
package enum Overlay: Sendable {
    /// A line or an area on the ground.
    case path(GroundPath)
    /// A marker at a place.
    case pin(Pin)
    /// A credit text in the lower right corner.
    case attribution(Attribution)

    /// Returns the shapes to draw on the image of `ground`.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        switch self {
        case .path(let path): path.shapes(on: ground)
        case .pin(let pin): pin.shapes(on: ground)
        case .attribution(let attribution): attribution.shapes(on: ground)
        }
    }
}

/// One stroke or filled area, in pixels of the image.
struct OverlayShape {
    let path: Path
    /// The width of the pen, or nil for a filled area.
    let width: Double?
    let color: RGBA
}

extension OverlayShape {
    /// Returns the shape prepared for drawing on the image of `ground`.
    func banded(_ ground: ScreenGround) -> BandedShape {
        if let width { return BandedShape(stroking: path, pen: width, width: ground.width, height: ground.height) }
        return BandedShape(filling: path, width: ground.width, height: ground.height)
    }
}

extension MapImage {
    /// Draws `overlays` on the image of `plan`. Paths come first, in the given order. Pins come next, the farthest
    /// first and equally far pins in the given order. Attributions come last.
    ///
    /// The function calls `isWanted` repeatedly. If it returns false, drawing stops and the function returns false. The
    /// image is then incomplete and must not be used.
    @discardableResult
    package static func draw(
        _ overlays: [Overlay], on image: inout Pixmap, of plan: RenderPlan, isWanted: () -> Bool = { true }
    ) -> Bool {
        guard !overlays.isEmpty else { return true }
        // The image is moved into the canvas, because an image with two owners would be copied.
        var canvas = Canvas(image)
        image = Pixmap(width: 1, height: 1)
        defer { image = canvas.pixmap }
        for overlay in ordered(overlays, plan.ground) {
            for shape in overlay.shapes(on: plan.ground) {
                let isWhole = canvas.draw(shape.banded(plan.ground), color: shape.color, isWanted: isWanted)
                guard isWhole else { return false }
            }
        }
        return true
    }

    /// Estimates how much work it is to draw `overlays` on the image of `projection`. The unit is one visited pixel. A
    /// pixel under several shapes or several segments of a line counts several times. Counting takes much less time
    /// than drawing. It stops soon after `limit` is exceeded, or if `isWanted` returns false.
    package static func cost(
        of overlays: [Overlay], projection: Projection, scale: Int, limit: Int, isWanted: () -> Bool = { true }
    ) -> Int {
        let ground = ScreenGround(projection, scale: max(scale, 1))
        var cost = 0
        for overlay in overlays {
            for shape in overlay.shapes(on: ground) where cost <= limit {
                cost += shape.banded(ground).cost(limit: limit - cost, isWanted: isWanted)
            }
            guard cost <= limit, isWanted() else { break }
        }
        return cost
    }

    private static func ordered(_ overlays: [Overlay], _ ground: ScreenGround) -> [Overlay] {
        var (paths, pins, attributions): ([Overlay], [(nearness: Double, pin: Overlay)], [Overlay]) = ([], [], [])
        for overlay in overlays {
            switch overlay {
            case .path: paths.append(overlay)
            case .pin(let pin): pins.append((pin.nearness(on: ground), overlay))
            case .attribution: attributions.append(overlay)
            }
        }
        let farFirst = pins.enumerated().sorted {
            ($0.element.nearness, $0.offset) < ($1.element.nearness, $1.offset)
        }
        return paths + farFirst.map(\.element.pin) + attributions
    }
}
