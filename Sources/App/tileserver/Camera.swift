import ArgumentParser
import Foundation
import MapGeometry
import TileServer

/// The command `tileserver camera`. It applies camera updates, such as a zoom, to a camera of a map, and prints the
/// resulting camera as numbers.
struct Camera: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the camera after some updates, and the area that it shows.",
        discussion: CameraWords.help)

    // Southern and western places begin with a minus sign, which must not begin an option.
    @Option(parsing: .unconditional, help: "lat,lng: target of the camera (default: the map's, or 0,0).")
    var target: String?

    @Option(parsing: .unconditional, help: "Zoom of the camera (default: the map's, or the lowest zoom of the map).")
    var zoom: String?

    @Option(parsing: .unconditional, help: "Degrees clockwise from north to the top edge of the view.")
    var bearing: String?

    @Option(parsing: .unconditional, help: "Degrees from straight down.")
    var tilt: String?

    @Option(help: "WIDTHxHEIGHT: size of the view in points.")
    var size: String?

    @Option(parsing: .unconditional, help: "top,left,bottom,right: covered points at the edges (default: the map's).")
    var padding: String?

    @Option(
        name: .customLong("min-zoom"), parsing: .unconditional, help: "Lowest zoom (default: the map's, or 0).")
    var minZoom: String?

    @Option(
        name: .customLong("max-zoom"), parsing: .unconditional, help: "Highest zoom (default: the map's, or 21).")
    var maxZoom: String?

    @Option(help: "Start with the camera and limits of this map or layer of the configuration.")
    var map: String?

    @Flag(help: "Print JSON, in the form of POST /{map}/camera.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    @Argument(parsing: .allUnrecognized, help: "Updates in the order in which they are applied; see above.")
    var update: [String] = []

    func run() throws {
        do {
            let view = try view()
            let updates = try CameraWords.updates(update)
            let camera = try moved(view, updates)
            print(json ? CameraDocument.json(camera, in: view) : CameraText.text(camera, in: view), terminator: "")
        } catch let error as CameraError {
            throw CommandError.usage(CameraWords.text(error))
        } catch let error as TileServerError {
            throw CommandError.usage(error)
        }
    }

    private func view() throws -> MapView {
        guard options.config == nil || map != nil else { throw CommandError.usage("--config needs --map") }
        let sides = try size.map { try CameraWords.numbers($0, "--size", "WIDTHxHEIGHT", counts: [2], separator: "x") }
        let insets = try padding.map {
            CameraWords.insets(try CameraWords.numbers($0, "--padding", "top,left,bottom,right", counts: [4]))
        }
        guard insets == nil || sides != nil else { throw CommandError.usage("--padding needs --size") }
        var view =
            if let map {
                try TileServer.mapView(
                    of: map, in: options.load(for: .drawing), size: sides.map { ($0[0], $0[1]) }, padding: insets)
            } else {
                MapView(
                    viewport: try sides.map {
                        try Viewport.checked(width: $0[0], height: $0[1], padding: insets ?? .zero)
                    })
            }
        let least = try minZoom.map { try CameraWords.number($0, "--min-zoom") } ?? view.rules.zoomRange.minimum
        let greatest = try maxZoom.map { try CameraWords.number($0, "--max-zoom") } ?? view.rules.zoomRange.maximum
        try view.setMinZoom(least, maxZoom: greatest)
        return view
    }

    /// Returns the camera before the updates. Missing options have the map's values, or the values of a new camera if a
    /// target is given.
    private func start(_ view: MapView) throws -> CameraPosition {
        var camera = view.camera
        if let target {
            let place = try CameraWords.numbers(target, "--target", "lat,lng", counts: [2])
            camera = try CameraPosition.checked(latitude: place[0], longitude: place[1], zoom: view.minZoom)
        }
        if let zoom { camera.zoom = try CameraWords.number(zoom, "--zoom") }
        if let bearing { camera.bearing = try CameraWords.number(bearing, "--bearing") }
        if let tilt { camera.viewingAngle = try CameraWords.number(tilt, "--tilt") }
        return camera
    }

    private func moved(_ view: MapView, _ updates: [(word: String, update: CameraUpdate)]) throws -> ResolvedCamera {
        let start = try start(view)
        do throws(CameraUpdateError) {
            return try view.apply(updates.map(\.update), to: start)
        } catch {
            throw CommandError.usage("\(updates[error.index].word): \(CameraWords.text(error.reason))")
        }
    }
}

/// Formats a camera and its visible region for people, with one property per line and at most nine decimals.
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
    /// Returns the number with at most `decimals` decimals, without trailing zeros.
    func text(decimals: Int) -> String {
        var text = String(format: "%.\(decimals)f", self)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
