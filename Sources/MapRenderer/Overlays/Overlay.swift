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

extension MapImage {
    /// Rows that overlays are drawn on at a time, so that what a drawing needs for each pixel stays small.
    private static let overlayBand = 256

    /// Draws `overlays` on the image of `plan`: paths in the order given, over them pins, the farthest first and of
    /// equally far ones in the order given, and over all attributions.
    package static func draw(_ overlays: [Overlay], on image: inout Pixmap, of plan: RenderPlan) {
        let shapes = ordered(overlays, plan.ground).flatMap { $0.shapes(on: plan.ground) }
        guard !shapes.isEmpty else { return }
        for top in stride(from: 0, to: image.height, by: overlayBand) {
            var band = Pixmap(width: image.width, height: min(overlayBand, image.height - top))
            band.copy(image, atX: 0, y: -top)
            var canvas = Canvas(band)
            for shape in shapes {
                let path = shape.path.movedUp(by: top)
                if let width = shape.width {
                    canvas.stroke(path, width: width, color: shape.color)
                } else {
                    canvas.fill(path, color: shape.color)
                }
            }
            image.copy(canvas.pixmap, atX: 0, y: top)
        }
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

extension Path {
    fileprivate func movedUp(by rows: Int) -> Path {
        guard rows != 0 else { return self }
        var path = Path()
        for contour in contours { path.add(contour.map { Point(x: $0.x, y: $0.y - Double(rows)) }) }
        return path
    }
}
