import TestSupport
import Testing

@testable import HTTPServer

/// Many clients that do everything in a random order, and leave in the middle of it. In the end, the server holds
/// nothing of them.
@Suite(.blocking) struct HTTP2MixTests {
    private static let paths = [
        "/a", "/204", "/slow", "/called", "/thread", "/later", "/later/slow", "/gate", "/left", "/wait", "/others",
        "/big/50000", "/big/500000", "/stream", "/stream",
    ]

    /// A client and the streams that it has opened.
    private final class Actor {
        let client: HTTP2Client
        let link: PlainLink
        var streams: [UInt32] = []

        init(_ running: RunningServer, window: UInt32) throws {
            link = try PlainLink(port: running.port)
            client = try HTTP2Client(link, [HTTP2Setting(HTTP2Setting.initialWindow, window)])
        }

        /// Does one thing. Throws an error if the connection has ended. Returns false if the client has left.
        func act(_ random: inout SeededRandom, _ running: RunningServer) throws -> Bool {
            let stream = streams.randomElement(using: &random) ?? 1
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<9:
                let path = HTTP2MixTests.paths.randomElement(using: &random) ?? "/"
                let method = Int.random(in: 0..<6, using: &random) == 0 ? "HEAD" : "GET"
                streams.append(try client.request(method, path))
            case 9..<12:
                let path = ["/content", "/read", "/refused", "/nowhere"].randomElement(using: &random) ?? "/"
                let content = try client.request("POST", path, ends: false)
                let bytes = [UInt8](repeating: 1, count: Int.random(in: 0..<500, using: &random))
                try client.send(.data(bytes, on: content, ends: Bool.random(using: &random)))
                streams.append(content)
            case 12..<15: try client.send(.reset(stream))
            case 15: try client.send(.window(UInt32.random(in: 1..<10_000, using: &random), of: stream))
            case 16: try client.send(.priority("u=\(Int.random(in: 0..<8, using: &random)), i", of: stream))
            case 17..<20: try client.settle()
            case 20:
                if let number = (0..<running.streams.count).randomElement(using: &random) {
                    running.streams[number].send(StreamPiece("piece"))
                    if Bool.random(using: &random) { running.streams[number].finish() }
                }
            case 21: return try leave(&random)
            default: break
            }
            return true
        }

        private func leave(_ random: inout SeededRandom) throws -> Bool {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: link.client.hangUp()
            case 1: link.client.vanish()
            case 2: try client.send(.goAway())
            case 3: try client.send(.data([1], on: 0))
            default: try link.send((0..<40).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            return false
        }
    }

    @Test(arguments: 1...8) func releasesEverything(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await withHTTP2Server(reactors: 2, { ($0.streams, $0.resets) = (40, 1_000) }) { running in
            let memory = running.budget.used
            var actors = try (0..<6).map { _ in try Actor(running, window: 65_535) }
            for _ in 0..<600 {
                let index = Int.random(in: 0..<actors.count, using: &random)
                // The server may end a connection, for example because of too many streams.
                if (try? actors[index].act(&random, running)) != true {
                    actors[index] = try Actor(
                        running, window: [0, 1_000, 65_535][Int.random(in: 0..<3, using: &random)])
                }
            }
            for actor in actors { actor.link.close() }
            actors = []
            running.responder.gate.open()
            let client = try running.http2()
            #expect(try client.get("/others").text == "/others")
            client.link.close()
            let isReleased = eventuallyBlocking {
                running.server.connectionCount == 0 && running.server.streamCount == 0
                    && running.streams.ended.value == running.streams.count && running.budget.used == memory
                    && running.responder.cancellations.value == running.responder.tasks.value
            }
            #expect(
                isReleased,
                """
                connections \(running.server.connectionCount), streams \(running.server.streamCount), \
                ended \(running.streams.ended.value) of \(running.streams.count), memory \
                \(running.budget.used - memory), cancelled \(running.responder.cancellations.value) of \
                \(running.responder.tasks.value)
                """)
            #expect(try running.client().get("/a").text == "/a")
        }
    }
}
