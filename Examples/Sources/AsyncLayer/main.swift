// A layer that draws data of an actor. The server clears the layer when the data changes:
// http://127.0.0.1:8080/bus/3/1/2.png
import TileServer

actor Bus: TileLayer {
    private var route = [Coordinate(latitude: 49.26, longitude: -123.11)]

    func drive(east degrees: Double) {
        guard let last = route.last else { return }
        route.append(Coordinate(latitude: last.latitude, longitude: last.longitude + degrees))
    }

    func tile(at tile: TileCoordinate, scale: Int) async -> TileResult {
        let points = route.map { $0.point(x: tile.x, y: tile.y, zoom: tile.z) }
        var canvas = Canvas(width: 256, height: 256)
        canvas.stroke(Path(points), width: 3, color: .silver)
        canvas.stroke(Path(points.suffix(1)), width: 14, color: .red)
        return .image(canvas.pixmap)
    }
}

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let bus = Bus()
await TileServer.main {
    let server = try TileServer(port: port, layers: [.async("bus", bus)])
    Task {
        while true {
            try await Task.sleep(for: .seconds(1))
            await bus.drive(east: 0.5)
            try await server.clear("bus")
        }
    }
    await server.run()
}
