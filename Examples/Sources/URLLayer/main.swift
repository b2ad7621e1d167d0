// A layer with tiles of another server: http://127.0.0.1:8080/floors/17/20712/44868.png
import TileServer

let arguments = CommandLine.arguments.dropFirst()
let port = arguments.first.flatMap { Int($0) } ?? 8080
// The example of the SDK's documentation. `python3 -m http.server --directory tiles 8000` serves the sample building.
let upstream = arguments.dropFirst().first ?? "http://127.0.0.1:8000"
let floor = 1

await TileServer.main {
    let server = try TileServer(
        port: port,
        layers: [
            .url("floors", userAgent: "floors/1.0") { x, y, zoom in
                guard (15...18).contains(zoom) else { return nil }
                return URL(string: "\(upstream)/L\(floor)_\(zoom)_\(x)_\(y).png")
            }
        ])
    await server.run()
}
