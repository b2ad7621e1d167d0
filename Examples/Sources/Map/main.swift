// A map that draws a layer of this program on top of another layer: http://127.0.0.1:8080/travels/2/0/1.png
import TileServer

struct Flight: SyncTileLayer {
    let airports = [(49.19, -123.18), (41.98, -87.9), (40.64, -73.78)].map(Coordinate.init)

    func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        let route = Path(airports.map { $0.point(x: x, y: y, zoom: zoom) })
        var canvas = Canvas(width: 256, height: 256)
        canvas.stroke(route, style: StrokeStyle(width: 3, dashes: [8, 6]), color: .red)
        return .image(canvas.pixmap)
    }
}

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
await TileServer.main {
    let server = try TileServer(
        port: port,
        layers: [
            .generator("world", .world(colors: WorldColors())),
            .sync("flight", Flight()) { $0.opacity = 0.7 },
            .map("travels", ["flight"], base: "world"),
        ])
    await server.run()
}
