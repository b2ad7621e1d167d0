import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of maps with layers that are unavailable.
@Suite(.blocking, .serialized) struct MapFailureTests {
    private let half = RGBA(0, 0, 255, 128)

    private static let reasons: [Unavailability] = [
        .unreachable, .timeout, .upstreamStatus(500, retryAfter: nil), .upstreamStatus(429, retryAfter: 9), .notAnImage,
        .upstreamDown(retryAfter: 5), .overloaded, .failed, .corrupt,
    ]

    @Test(arguments: reasons) func skipsAndNamesAFailingLayer(reason: Unavailability) async throws {
        let (good, bad, clock) = (PaintedLayer(.pureRed), PaintedLayer(half), SettableClock())
        bad.fail(reason)
        try await withStack(.memory, ["good": good, "sick": bad], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            for _ in 0..<2 {
                let answer = try await endpoint.get("/map/1/0/0.png")
                #expect(try answer.picture().isAll(.pureRed))
                #expect(
                    answer["x-tile-degraded"] == "sick" && answer["cache-control"] == "no-store", "\(answer.fields)")
                #expect(!answer.isHit)
            }
            #expect(good.callCount == 1)
            bad.become(half)
            clock.advance(130)
            let whole = try await endpoint.get("/map/1/0/0.png")
            #expect(whole["x-tile-degraded"] == nil && whole["cache-control"] != "no-store", "\(whole.fields)")
            #expect(try whole.picture().isAll(RGBA(127, 0, 128)))
            #expect(try await endpoint.get("/map/1/0/0.png").isHit)
        }
    }

    @Test(arguments: Way.allCases) func namesEveryFailingLayer(way: Way) async throws {
        let layers: [String: any TileLayer] = [
            "a": PaintedLayer(.unavailable(.failed)), "b": PaintedLayer(half),
            "c": PaintedLayer(.unavailable(.timeout)),
        ]
        try await withStack(way, layers) { (endpoint: Endpoint) async throws in
            for suffix in [".png", "@2x.png", ".webp", "@2x.jpg"] {
                let answer = try await endpoint.get("/map/1/0/0\(suffix)")
                if suffix.hasSuffix("png") { #expect(try answer.picture().isAll(half)) }
                let names = answer["x-tile-degraded"]?.split { ", ".contains($0) }.map(String.init) ?? []
                #expect(names.sorted() == ["a", "c"], "\(answer.fields)")
            }
        }
    }

    @Test(arguments: reasons, ["", "@2x"]) func failsTheTileWithOnErrorFail(reason: Unavailability, scale: String)
        async throws
    {
        let (bad, clock) = (PaintedLayer(half), SettableClock())
        bad.fail(reason)
        let map = LayerSettings.map().with { $0.stack.onError = .fail }
        try await withStack(.memory, ["a": PaintedLayer(.pureRed), "b": bad], maps: [map], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/1/0/0\(scale).png")
            #expect((500...504).contains(answer.status) && answer["cache-control"] == "no-store", "\(answer.summary)")
            #expect(answer["x-tile-status"] == "unavailable" && answer.problem != nil && answer["etag"] == nil)
            bad.become(half)
            clock.advance(130)
            #expect(try await endpoint.get("/map/1/0/0\(scale).png").picture().isAll(RGBA(127, 0, 128)))
        }
    }

    /// A client requested the failing tile directly a moment ago.
    @Test func reportsBackOffOfAFailedLayer() async throws {
        let (bad, clock) = (PaintedLayer(half), SettableClock())
        bad.fail(.timeout)
        let map = LayerSettings.map().with { $0.stack.onError = .fail }
        try await withStack(.memory, ["a": bad], maps: [map], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/a/1/0/0.png").problem == "upstream-timeout")
            let answer = try await endpoint.get("/map/1/0/0.png")
            #expect(answer.status == 503 && answer.problem == "backing-off", "\(answer.summary)")
            #expect(answer["retry-after"] == "1" && answer["cache-status"]?.contains("detail=back-off") == true)
        }
    }

    @Test(arguments: MapSource.OnError.allCases) func failsTheTileIfAllLayersFail(onError: MapSource.OnError)
        async throws
    {
        let (first, second, clock) = (PaintedLayer(.pureRed), PaintedLayer(half), SettableClock())
        first.fail(.timeout)
        second.fail(.unreachable)
        let map = LayerSettings.map().with { $0.stack.onError = onError }
        try await withStack(.memory, ["a": first, "b": second], maps: [map], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            for _ in 0..<3 {
                let answer = try await endpoint.get("/map/1/0/0.png")
                #expect(
                    (500...504).contains(answer.status) && answer["cache-control"] == "no-store", "\(answer.summary)")
            }
            first.become(.pureRed)
            second.become(half)
            clock.advance(130)
            #expect(try await endpoint.get("/map/1/0/0.png").picture().isAll(RGBA(127, 0, 128)))
        }
    }

    /// One layer has no tile and the other fails. The result must not be cached as a missing tile.
    @Test func neverCachesAMissingTileAfterAFailure() async throws {
        let (bad, clock) = (PaintedLayer(half), SettableClock())
        bad.fail()
        try await withStack(.memory, ["a": PaintedLayer(.noTile), "b": bad], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/1/0/0.png")
            #expect(answer["cache-control"] == "no-store", "\(answer.summary)")
            bad.become(half)
            clock.advance(130)
            #expect(try await endpoint.get("/map/1/0/0.png").picture().isAll(half))
        }
    }

    /// A stale tile of a failing layer is drawn.
    @Test func drawsAStaleTileOfAFailingLayer() async throws {
        let clock = SettableClock()
        let bad = PaintedLayer(.pureRed, .lasting(100))
        let good = PaintedLayer(half, .lasting(90_000))
        try await withStack(.memory, ["a": bad, "b": good], clock: clock.loaderClock, { $0.minTTL = .zero }) {
            (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/map/1/0/0.png")
            bad.fail()
            clock.advance(3_000)
            for _ in 0..<3 {
                let answer = try await endpoint.get("/map/1/0/0.png")
                #expect(try answer.picture().isAll(RGBA(127, 0, 128)))
                #expect(answer.secondsLeft <= 60, "\(answer.summary)")
            }
            bad.become { _ in try .painted(.pureGreen, .lasting(100)) }
            clock.advance(130)
            try await expectEventually {
                try await endpoint.get("/map/1/0/0.png").picture().isAll(RGBA(0, 127, 128))
            }
        }
    }

    /// A layer that does not answer within its own timeout is skipped.
    @Test func skipsALayerAfterItsTimeout() async throws {
        let gate = Gate()
        let slow = PaintedLayer { _ in
            await gate.pass()
            return .nothing
        }
        try await withStack(.memory, ["a": PaintedLayer(.pureRed), "b": slow]) {
            if $0.id == "b" { $0.timeout = .milliseconds(50) }
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/1/0/0.png")
            #expect(try answer.picture().isAll(.pureRed) && answer["x-tile-degraded"] == "b")
            gate.open()
        }
    }

    /// A tile that cannot be decoded counts as a failure.
    @Test(arguments: [(RenditionSamples.cmyk, ImageFormat.jpeg), (RenditionSamples.animated, .webp)])
    func skipsAnUndecodableTile(bytes: [UInt8], format: ImageFormat) async throws {
        let bytes = bytes.prefix(bytes.count / 2)
        let tile = TileResult.tile(Tile(bytes: .init(bytes), format: format, width: 64, height: 64))
        try await withStack(
            .memory, ["a": PaintedLayer(.pureRed, size: 64), "b": PaintedLayer(tile)], { $0.tileSize = 64 }
        ) {
            (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/1/0/0.png")
            #expect(try answer.picture().isAll(.pureRed))
            #expect(answer["x-tile-degraded"] == "b" && answer["cache-control"] == "no-store", "\(answer.fields)")
        }
    }
}
