// A layer that this program draws: http://127.0.0.1:8080/stripes/3/2/3.png
import TileServer

struct Stripes: SyncTileLayer {
    func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        if y == 0 { return .noTile }
        var canvas = Canvas(width: 256, height: 256, background: x.isMultiple(of: 2) ? .white : .silver)
        canvas.draw("\(zoom)/\(x)/\(y)", center: Point(x: 128, y: 128), font: Font(size: 32), color: .navy)
        return .image(canvas.pixmap)
    }
}

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
await TileServer.main {
    let server = try TileServer(port: port, layers: [.sync("stripes", Stripes()) { $0.zIndex = 10 }])
    await server.run()
}
