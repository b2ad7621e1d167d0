// A picture of a map. A camera moves as in the SDK, and `swift run … Picture map.png` writes its view to a file.
import Foundation
import TileServer

await TileServer.main {
    let file = CommandLine.arguments.dropFirst().first ?? "map.png"
    let vancouver = Coordinate(latitude: 49.26, longitude: -123.11)
    let calgary = Coordinate(latitude: 51.05, longitude: -114.05)

    let server = try TileServer(
        port: 0,
        layers: [
            .generator("world", .world(colors: WorldColors())),
            .map("demo", [], base: "world", camera: MapCamera(latitude: 49.26, longitude: -123.11, zoom: 5)),
        ])

    let size = ImageSize(width: 800, height: 600, scale: 2)
    var map = try server.mapView(of: "demo", size: size)
    try map.moveCamera(.fit(CoordinateBounds(vancouver, calgary), withPadding: 150))
    map.camera.viewingAngle = 30
    map.camera.bearing = 30

    let picture = try await server.image(of: "demo", camera: map.camera, size: size) {
        $0.paths = [GroundPath([vancouver, calgary], stroke: .init(color: .red, width: 3))]
        $0.markers = [Pin(at: vancouver, label: "V"), Pin(at: calgary, label: "C")]
    }
    try Data(picture.bytes.array).write(to: URL(filePath: file))

    let metres = Sphere.distance(from: vancouver, to: calgary)
    print("\(file): \(Int(metres / 1_000)) km at zoom \(map.camera.zoom), \(picture.missing) tiles missing")
    await server.stop()
}
