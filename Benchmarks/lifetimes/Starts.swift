import Foundation
import Logging
import TileServer

/// Measures servers that start, answer requests of all kinds, stop and are released, one after another.
struct Starts {
    /// The URL of a server with the sample tiles, `/L1_{z}_{x}_{y}.png`.
    let upstream: String
    /// A directory with `tiles.mbtiles`, `places.geojson` and space for a cache.
    let directory: String

    private static let paths = [
        "/files/17/20712/44868.png", "/files/17/20712/44868@2x.png", "/files/19/82848/179472.png?empty=overzoom",
        "/world/2/1/1.png", "/stripes/2/1/1.png", "/sheet/2/3/1.png", "/places/1/0/0.png", "/map/2/1/1@2x.png",
        "/map/static/0,0,2@20,20/300x200.png", "/layers.json", "/",
    ]

    struct Stripes: SyncTileLayer {
        func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
            .image(Pixmap(width: 256, height: 256, color: x % 2 == 0 ? .white : .black))
        }
    }

    func measure(_ count: Int) async throws {
        // The first servers create resources that the process needs only once. These are not measured.
        for _ in 0..<10 { try await serve() }
        let before = await Holdings.settled()
        for _ in 0..<count { try await serve() }
        Holdings.printChange(from: before, to: await Holdings.settled())
    }

    private func serve() async throws {
        let server = try TileServer(
            port: 0,
            layers: [
                .template("files", upstream + "/L1_{z}_{x}_{y}.png") { $0.overzoom = 2 },
                .generator("world", .world(colors: WorldColors())), .sync("stripes", Stripes()),
                .mbtiles("sheet", path: directory + "/tiles.mbtiles"),
                .geojson("places", GeoJSONSource(path: directory + "/places.geojson")),
                .map("map", ["places", "stripes"], base: "world"),
            ], logger: Logger(label: "lifetimes") { _ in SwiftLogNoOpLogHandler() }
        ) {
            $0.cache.directory = directory
            $0.cache.disk = DiskSettings()
        }
        for path in Self.paths {
            let status = try OneRequest.get(path, port: server.port)
            guard status == 200 else { throw OneRequest.RequestError.status(status, path) }
        }
        await server.stop()
    }
}
