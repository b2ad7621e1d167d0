import Foundation
import Logging
import TileServer

/// Measures a server whose layers all change repeatedly.
enum Reloads {
    private static let layers = 40

    private static func layers(_ round: Int) -> [LayerSettings] {
        (0..<layers).map { number in
            let color = RGBA(red: UInt8(truncatingIfNeeded: round), green: UInt8(number), blue: UInt8(round >> 8))
            return LayerSettings(id: "layer\(number)", source: .generator(.solid(color: color)))
        }
    }

    static func measure(_ count: Int) async throws {
        let server = try TileServer(
            port: 0, layers: [], logger: Logger(label: "lifetimes") { _ in SwiftLogNoOpLogHandler() }
        ) { $0.layers = layers(0) }
        try reload(server, 1...20)
        let before = await Holdings.settled()
        try reload(server, 21...20 + count)
        Holdings.printChange(from: before, to: await Holdings.settled())
        await server.stop()
    }

    private static func reload(_ server: TileServer, _ rounds: ClosedRange<Int>) throws {
        for round in rounds {
            var configuration = server.configuration
            configuration.layers = layers(round)
            try server.reload(configuration)
            for path in ["/layer\(round % layers)/3/1/1.png", "/layer0/3/1/1@2x.png"] {
                let status = try OneRequest.get(path, port: server.port)
                guard status == 200 else { throw OneRequest.RequestError.status(status, path) }
            }
        }
    }
}
