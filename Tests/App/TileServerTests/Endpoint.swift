import Bytes
import Configuration
import EventLog
import Foundation
import Logging
import MapGeometry
import MapService
import Synchronization
import TestSupport
import TileCache
import Tiles

@testable import HTTPServer
@testable import TileServer

/// How a test sends its requests: to the responder in memory, or through a socket.
enum Way: CaseIterable, Sendable {
    case memory, socket
}

/// A tile server with layers of a test, which sends requests in one of the two ways.
struct Endpoint: Sendable {
    static let token = "0123456789abcdef-token"

    let server: TileServer
    let way: Way
    /// Replaces the responder of the server for requests in memory.
    var responder: (any Responder)?
    let lines: LogLines
    var clock = LoaderClock.system

    /// Sends a request and returns the response. `fields` follow the field `Host: test`, which is left out if `fields`
    /// has a Host.
    func ask(
        _ method: String, _ target: String, _ fields: [String] = [], body: String = ""
    ) async throws -> RawResponse {
        let host = fields.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: test"]
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let text =
            (["\(method) \(target) HTTP/1.1"] + host + fields + length).joined(separator: "\r\n") + "\r\n\r\n" + body
        switch way {
        case .socket:
            let client = try RawClient(port: server.port)
            try client.send(text)
            return try client.response(toHead: method == "HEAD")
        case .memory: return try await answer(Array(text.utf8), isHead: method == "HEAD")
        }
    }

    func get(_ target: String, _ fields: [String] = []) async throws -> RawResponse {
        try await ask("GET", target, fields)
    }

    /// Returns the server's configuration with other `layers` and without maps. The token stays the same.
    func configuration(of layers: [LayerSettings]) -> Configuration {
        var configuration = server.configuration
        (configuration.layers, configuration.maps) = (layers, [])
        return configuration
    }

    /// Sends a DELETE request with the right token.
    func delete(_ target: String, _ fields: [String] = []) async throws -> RawResponse {
        try await ask("DELETE", target, ["Authorization: Bearer \(Self.token)"] + fields)
    }

    private func answer(_ bytes: [UInt8], isHead: Bool) async throws -> RawResponse {
        let response = await response(reply(bytes))
        let body = isHead || response.status.hasNoContent ? [] : response.body.array
        var head = [UInt8](repeating: 0, count: OutputBatch.headCapacity)
        let count = head.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            writer.write(head: response, id: 1, date: SharedBytes("Date: now\r\n"))
            writer.write("\r\n")
            return writer.count
        }
        guard let parsed = try RawResponse.parse(Array(head[..<count]) + body, toHead: isHead) else {
            throw RawClient.Failure.ended(body)
        }
        return parsed.response
    }

    private func response(_ reply: Reply) async -> Response {
        switch reply {
        case .ready(let response): response
        case .pending(let work): await work()
        case .stream(let stream): stream.head
        case .callback(let begin):
            await response(withCheckedContinuation { continuation in begin { continuation.resume(returning: $0) } })
        }
    }

    private func reply(_ bytes: [UInt8]) -> Reply {
        let responder = responder ?? server.responder
        let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 100)
        defer { fields.deallocate() }
        return bytes.withUnsafeBytes { buffer in
            var scanner = HeadScanner()
            guard case .complete(let start, let end) = scanner.scan(buffer, limits: ServerLimits()) else {
                return .ready(responder.refusal(.requestLine("test")))
            }
            let head = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            do throws(RequestError) {
                let parsed = try RequestParser.parse(head, fields: fields)
                var request = Request(
                    parsed, bytes: head, fields: fields, id: 1, time: clock.monotonic(), peer: "127.0.0.1")
                if request.method == .post, end < buffer.count {
                    let content = UnsafeRawBufferPointer(rebasing: buffer[end...])
                    switch responder.contentPlan(for: request) {
                    case .drain: request.content = content
                    case .refuse(let response): return .ready(response)
                    case .read(let reader):
                        guard content.count <= reader.limit else {
                            return .ready(responder.refusal(.limit(.contentTooLarge, "body")))
                        }
                        // The content arrives in pieces, as it may over a socket.
                        for start in stride(from: 0, to: content.count, by: 1_000) {
                            let piece = content[start..<min(start + 1_000, content.count)]
                            reader.take(UnsafeRawBufferPointer(rebasing: piece))
                        }
                        request.reader = reader
                    }
                }
                return responder.reply(to: request)
            } catch {
                return .ready(responder.refusal(error))
            }
        }
    }
}

/// A layer that counts its tiles. The "image" of a tile is the text of its coordinate, unless `answer` returns
/// something else.
final class CountingLayer: TileLayer {
    private let answer: @Sendable (Int, Int, Int) async -> TileResult
    private let calls = Mutex(0)

    init(_ answer: @escaping @Sendable (Int, Int, Int) async -> TileResult = { .tile(Tile("\($0)/\($1)/\($2)")) }) {
        self.answer = answer
    }

    var callCount: Int { calls.withLock { $0 } }

    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        calls.withLock { $0 += 1 }
        return await answer(coordinate.z, coordinate.x, coordinate.y)
    }
}

extension Tile {
    init(_ text: String, modified: Int? = nil) {
        self.init(bytes: SharedBytes(text), format: .png, width: 256, height: 256, lastModified: modified)
    }
}

/// Collects the lines of a log.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in LineLogHandler { line in self.lines.withLock { $0.append(line) } } }
    }

    var log: EventLog { EventLog(logger: logger) }
}

extension TileServer {
    /// Creates a server with `embedded` layers, by their names, that draw all scales.
    convenience init(
        configuration: Configuration, embedded: [String: any TileLayer], log: EventLog, clock: LoaderClock = .system
    ) throws {
        let embedded = EmbeddedLayers(embedded.mapValues { .async($0, scales: 1...4) })
        try self.init(configuration: configuration, embedded: embedded, log: log, clock: clock)
    }
}

/// Runs `body` with a server whose layer `test` is `layer`, and then stops the server.
func withEndpoint(
    _ way: Way, _ layer: any TileLayer = CountingLayer(), clock: LoaderClock = .system,
    _ change: (inout Configuration) -> Void = { _ in },
    _ body: (Endpoint) async throws -> Void
) async throws {
    var settings = LayerSettings(id: "test", source: .embedded)
    settings.maxZoom = 22
    var configuration = Configuration(layers: [settings])
    configuration.server.port = 0
    configuration.server.reactors = 1
    configuration.server.limits.drain = .seconds(1)
    configuration.admin.token = Endpoint.token
    configuration.admin.hosts = ["test"]
    configuration.cache.memory = 8 << 20
    change(&configuration)
    let embedded = Dictionary(uniqueKeysWithValues: configuration.layers.map { ($0.id, layer) })
    let lines = LogLines()
    let server = try TileServer(configuration: configuration, embedded: embedded, log: lines.log, clock: clock)
    do {
        try await body(Endpoint(server: server, way: way, lines: lines, clock: clock))
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

extension RawResponse {
    /// The `code` of the problem in the body.
    var problem: String? {
        guard self["content-type"] == "application/problem+json" else { return nil }
        return json?["code"] as? String
    }

    var json: [String: Any]? {
        // A body that is not JSON is nil for the test.
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    }
}
