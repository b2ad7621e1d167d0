import Foundation
import MapGeometry

/// A camera and what it sees, for people: a line each, degrees with nine decimals at most.
enum CameraText {
    static func text(_ camera: ResolvedCamera, in view: MapView) -> String {
        let position = camera.position
        var lines = [
            ("target", place(position.target)), ("zoom", number(position.zoom)),
            ("bearing", number(position.bearing)), ("tilt", number(position.viewingAngle)),
        ]
        if !camera.clamped.isEmpty {
            lines.append(("clamped", camera.clamped.map(\.rawValue).joined(separator: ", ")))
        }
        if view.viewport != nil {
            do {
                let region = try view.projection(of: position).visibleRegion
                lines += [
                    ("far left", place(region.farLeft)), ("far right", place(region.farRight)),
                    ("near left", place(region.nearLeft)), ("near right", place(region.nearRight)),
                ]
            } catch {
                lines.append(("corners", "above the horizon"))
            }
        }
        return lines.map { name, value in
            name + String(repeating: " ", count: 12 - name.count) + value + "\n"
        }.joined()
    }

    private static func place(_ place: Coordinate) -> String { "\(number(place.latitude)),\(number(place.longitude))" }

    private static func number(_ number: Double) -> String { number.text(decimals: 9) }
}

extension Double {
    /// With so many decimals at most, without needless zeros.
    func text(decimals: Int) -> String {
        var text = String(format: "%.\(decimals)f", self)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
