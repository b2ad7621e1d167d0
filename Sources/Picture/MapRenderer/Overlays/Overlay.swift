import MapGeometry
import Raster

/// Something drawn over the tiles of an image.
package enum Overlay: Sendable {
    /// A line or an area on the ground.
    case path(GroundPath)
    /// A marker at a place.
    case pin(Pin)
    /// Who is to be thanked, in the lower right corner.
    case attribution(Attribution)

    /// What it comes to in the image of `ground`.
    func shapes(on ground: ScreenGround) -> [OverlayShape] {
        switch self {
        case .path(let path): path.shapes(on: ground)
        case .pin(let pin): pin.shapes(on: ground)
        case .attribution(let attribution): attribution.shapes(on: ground)
        }
    }
}

/// One stroke or area, in pixels of the image.
struct OverlayShape {
    let path: Path
    /// Of the pen; nil fills.
    let width: Double?
    let color: RGBA
}

extension OverlayShape {
    /// As it is drawn on an image of this size.
    func banded(_ ground: ScreenGround) -> BandedShape {
        if let width { return BandedShape(stroking: path, pen: width, width: ground.width, height: ground.height) }
        return BandedShape(filling: path, width: ground.width, height: ground.height)
    }
}

extension MapImage {
    /// Draws `overlays` on the image of `plan`: paths in the order given, over them pins, the farthest first and of
    /// equally far ones in the order given, and over all attributions.
    ///
    /// Asks `isWanted` after a millisecond or so, again and again, and stops where that says no: then the image is of no use,
    /// and this returns false.
    @discardableResult
    package static func draw(
        _ overlays: [Overlay], on image: inout Pixmap, of plan: RenderPlan, isWanted: () -> Bool = { true }
    ) -> Bool {
        guard !overlays.isEmpty else { return true }
        // Moved, since an image with two owners would be copied.
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

    /// What drawing `overlays` on an image of what `projection` shows costs, in pixels: those of each area and those under
    /// the pen of each line, counted for each that lies over another. Counts no further than a little beyond `limit`, or
    /// until `isWanted` says no, and takes a small part of the time of drawing as much.
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
