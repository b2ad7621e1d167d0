import Foundation
import Logging
import Synchronization
import Testing
import TileServer

/// Runs `body` with a server that has `layers`, and then stops the server.
func serving(_ layers: [Layer], logger: Logger = .silent, _ body: (TileServer) async throws -> Void) async throws {
    let server = try TileServer(port: 0, layers: layers, logger: logger) { $0.server.reactors = 1 }
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// A layer that counts its tiles. It draws one color unless `answer` returns something else.
final class SampleLayer: SyncTileLayer {
    private let answer: @Sendable (Int, Int, Int) throws -> SyncTile?
    private let calls = Mutex(0)

    init(_ answer: @escaping @Sendable (Int, Int, Int) throws -> SyncTile? = { _, _, _ in .image(.sample) }) {
        self.answer = answer
    }

    var callCount: Int { calls.withLock { $0 } }

    func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile? {
        calls.withLock { $0 += 1 }
        return try answer(x, y, zoom)
    }
}

extension Pixmap {
    static let sample = Pixmap(width: 256, height: 256, color: .orange)
}

extension TileResult {
    /// The decoded pixels of the tile, or nil if there is no tile.
    var pixels: Pixmap? {
        get throws {
            guard case .tile(let tile) = self else { return nil }
            return try ImageDecoder.decode(tile.bytes)
        }
    }

    var isNoTile: Bool {
        if case .noTile = self { true } else { false }
    }

    var reason: Unavailability? {
        if case .unavailable(let reason) = self { reason } else { nil }
    }
}
