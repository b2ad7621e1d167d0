import Synchronization
import TestSupport
import Testing
import TileServer

/// Tests of asynchronous layers of a program that set a lifetime, revalidate tiles, list their scales and describe
/// their source.
@Suite(.blocking) struct EmbeddingTermsTests {
    /// A layer whose tiles have one color for each version of the layer.
    private final class Versions: TileLayer {
        struct Question: Hashable {
            let scale: Int
            let etag: String?
        }

        let lifetime: SourceTerms.Lifetime
        private let version = Mutex(1)
        private let asked = Mutex<[Question]>([])

        init(lifetime: SourceTerms.Lifetime = .unsaid) {
            self.lifetime = lifetime
        }

        var questions: [Question] { asked.withLock { $0 } }

        func change() { version.withLock { $0 += 1 } }

        var scales: ClosedRange<Int> { 1...2 }

        func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer {
            asked.withLock { $0.append(Question(scale: scale, etag: validators?.etag)) }
            let version = version.withLock { $0 }
            var terms = SourceTerms()
            terms.lifetime = lifetime
            terms.validators = Validators(etag: "\"\(version)\"", lastModified: nil)
            if validators == terms.validators { return .notModified(terms) }
            let side = 256 * scale
            return .result(.image(Pixmap(width: side, height: side, color: version == 1 ? .red : .blue)), terms)
        }

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
            await answer(at: coordinate, scale: scale, holding: nil).result
        }

        func describe() -> SourceDescription? {
            var description = SourceDescription()
            description.name = "Floors"
            description.zooms = 2...5
            return description
        }

        var reload: Reload? { { self.change() } }
    }

    private func shows(_ color: RGBA, _ response: RawResponse) throws -> Bool {
        try ImageDecoder.decode(try Tile(image: response.body).bytes) == Pixmap(width: 256, height: 256, color: color)
    }

    /// A layer that is overloaded and sends a retry time.
    private struct Busy: TileLayer {
        let retryAfter: Int

        func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer {
            var terms = SourceTerms()
            terms.retryAfter = retryAfter
            return .result(.unavailable(.overloaded), terms)
        }

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult { .unavailable(.overloaded) }
    }

    @Test(arguments: [(-5, "1"), (0, "1"), (7, "7"), (.max, "300")])
    func limitsTheRetryTimeOfALayer(said: Int, sent: String) async throws {
        try await serving([.async("a", Busy(retryAfter: said))]) { (server: TileServer) async throws in
            let answer = try RawClient(port: server.port).get("/a/3/2/3.png")
            #expect(answer.status == 503 && answer["retry-after"] == sent)
        }
    }

    @Test func cachesTilesForTheLayersLifetime() async throws {
        let layer = Versions(lifetime: .seconds(9))
        try await serving([.async("a", layer)]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            let miss = try client.get("/a/3/2/3.png")
            let maxAge = miss["cache-control"]?.split(separator: "max-age=").last.flatMap {
                Int($0.prefix(while: \.isNumber))
            }
            #expect(try (1...9).contains(#require(maxAge)))
            #expect(try client.get("/a/3/2/3.png")["cache-status"]?.contains("hit") == true)
            #expect(layer.questions == [Versions.Question(scale: 1, etag: nil)])
        }
    }

    /// A tile with a lifetime of 0 is revalidated before each use, with the validators that came with it.
    @Test func revalidatesAnUnchangedTile() async throws {
        let layer = Versions(lifetime: .seconds(0))
        try await serving([.async("a", layer)]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/a/3/2/3.png")["cache-status"] == "tileserver; fwd=miss; stored")
            // The clock of an event loop advances once a round. A request in the same round as the response before
            // would have the same time.
            let round = Duration.milliseconds(20)
            try await Task.sleep(for: round)
            let unchanged = try client.get("/a/3/2/3.png")
            #expect(unchanged["cache-status"] == "tileserver; fwd=stale; fwd-status=304; stored")
            #expect(try shows(.red, unchanged))
            layer.change()
            try await Task.sleep(for: round)
            let changed = try client.get("/a/3/2/3.png")
            #expect(changed["cache-status"] == "tileserver; fwd=stale; stored")
            #expect(try shows(.blue, changed))
            #expect(layer.questions.map(\.etag) == [nil, "\"1\"", "\"1\""])
        }
    }

    /// The server makes other scales out of the scales that the layer draws.
    @Test func asksTheLayerForItsScalesOnly() async throws {
        let layer = Versions()
        try await serving([.async("a", layer)]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            for (path, side) in [("/a/5/2/3.png", 256), ("/a/5/2/3@2x.png", 512), ("/a/5/4/6@3x.png", 768)] {
                #expect(try Tile(image: try client.get(path).body).width == side, "\(path)")
            }
            #expect(layer.questions.map(\.scale) == [1, 2, 2])
        }
    }

    @Test func usesTheDescriptionOfTheLayer() async throws {
        try await serving([.async("a", Versions())]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            let document = try client.get("/a.json").text
            #expect(document.contains("\"Floors\"") && document.contains("\"minzoom\":2"), "\(document)")
            #expect(try client.get("/a/1/0/0.png").status == 404)
        }
    }

    @Test func reloadsTheLayerBeforeAClear() async throws {
        try await serving([.async("a", Versions())]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            #expect(try shows(.red, client.get("/a/3/2/3.png")))
            try await server.clear("a")
            #expect(try shows(.blue, client.get("/a/3/2/3.png")))
        }
    }
}
