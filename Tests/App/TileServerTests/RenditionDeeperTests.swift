import Configuration
import Raster
import Synchronization
import TestSupport
import TestUpstream
import Testing

/// Tests of scales of an upstream with scale 1 only: the server joins tiles of the next zoom (docs/spec/model.md 3.5).
@Suite(.blocking, .serialized) struct RenditionDeeperTests {
    private static let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]

    private struct Down: Error {}

    /// Returns the color of the tile at a place.
    @Sendable private func place(_ z: Int, _ x: Int, _ y: Int) -> RGBA { .place(.init(z: z, x: x, y: y, scale: 1)) }

    private func serving(
        _ upstream: LyingUpstream, clock: SettableClock = SettableClock(), _ body: (Endpoint) async throws -> Void
    ) async throws {
        defer { upstream.stop() }
        try await withStack(.memory, ["test": PaintedLayer(.white)], maps: [], clock: clock.loaderClock) {
            ($0.source, $0.maxZoom) = (upstream.source, 3)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    /// The four tiles have different colors, one in each quarter.
    @Test(arguments: [(2, nil), (3, "1.5"), (4, "2")] as [(Int, String?)])
    func joinsFourTilesOfTheNextZoom(scale: Int, upscaled: String?) async throws {
        let upstream = LyingUpstream.painting { Pixmap(width: 256, height: 256, color: place($0, $1, $2)) }
        try await serving(upstream) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/1/0@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.width == 256 * scale && picture.height == 256 * scale)
            #expect(picture.quarters == [place(2, 2, 0), place(2, 3, 0), place(2, 2, 1), place(2, 3, 1)])
            #expect(answer["x-tile-upscaled"] == upscaled, "\(answer.fields)")
            // A quarter of one color has this color up to its edges, without colors of its neighbors or a seam.
            let half = 128 * scale
            #expect(picture[half - 1, half - 1].isNear(place(2, 2, 0)) && picture[half, half].isNear(place(2, 3, 1)))
            #expect(picture[0, 0].isNear(place(2, 2, 0)) && picture[half * 2 - 1, 0].isNear(place(2, 3, 0)))
            // The joined tile is cached.
            let count = upstream.requests.count
            let again = try await endpoint.get("/test/1/1/0@\(scale)x.png")
            #expect(again.isHit && again.body == answer.body && upstream.requests.count == count)
            #expect(again["x-tile-upscaled"] == upscaled && again["etag"] == answer["etag"])
            // The tile at scale 1 is a separate tile.
            #expect(try await endpoint.get("/test/1/1/0.png").picture().isAll(place(1, 1, 0)))
        }
    }

    @Test(arguments: [2, 3, 4]) func enlargesATileAtTheHighestZoom(scale: Int) async throws {
        let upstream = LyingUpstream.painting { _, _, _ in Pixmap(size: 256, cells: 2) { Self.colors[$0 + 2 * $1] } }
        try await serving(upstream) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/3/5/6@\(scale)x.png")
            #expect(try answer.picture().width == 256 * scale && answer.picture().quarters == Self.colors)
            #expect(answer["x-tile-upscaled"] == "\(scale)" && upstream.requests.map(\.path) == ["/3/5/6"])
        }
    }

    /// If one of the four tiles is missing, the server enlarges the quarter of the tile itself.
    @Test(arguments: [(2, "2"), (3, "3"), (4, "4")])
    func replacesAMissingTileByAnEnlargedQuarter(scale: Int, upscaled: String) async throws {
        let upstream = LyingUpstream.painting { z, x, y in
            if z == 1 { return Pixmap(size: 256, cells: 2) { Self.colors[$0 + 2 * $1] } }
            return x == 1 && y == 0 ? nil : Pixmap(width: 256, height: 256, color: place(z, x, y))
        }
        try await serving(upstream) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/0/0@\(scale)x.png")
            let expected = [place(2, 0, 0), .pureGreen, place(2, 0, 1), place(2, 1, 1)]
            #expect(try answer.picture().quarters == expected)
            #expect(answer["x-tile-upscaled"] == upscaled, "\(answer.fields)")
        }
    }

    @Test func enlargesATileIfAllDeeperTilesAreMissing() async throws {
        let upstream = LyingUpstream.painting { z, x, y in
            z > 1 ? nil : Pixmap(width: 256, height: 256, color: place(z, x, y))
        }
        try await serving(upstream) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/0/1@2x.png")
            #expect(try answer.picture().isAll(place(1, 0, 1)) && answer["x-tile-upscaled"] == "2")
        }
    }

    /// A tile of 768 pixels is large enough for 3 × 256 pixels, but not for 4 × 256.
    @Test func usesALargeTileUpToItsSize() async throws {
        let upstream = LyingUpstream.painting { z, x, y in Pixmap(width: 768, height: 768, color: place(z, x, y)) }
        try await serving(upstream) { (endpoint: Endpoint) async throws in
            for scale in 1...3 {
                #expect(try await endpoint.get("/test/1/0/0@\(scale)x.png").picture().isAll(place(1, 0, 0)))
            }
            #expect(upstream.requests.map(\.path) == ["/1/0/0"])
            let largest = try await endpoint.get("/test/1/0/0@4x.png")
            #expect(largest["x-tile-upscaled"] == nil)
            #expect(try largest.picture().quarters == [place(2, 0, 0), place(2, 1, 0), place(2, 0, 1), place(2, 1, 1)])
        }
    }

    /// The failure of a deeper tile is temporary, so the replacement of its quarter is not stored for long.
    @Test func requestsAFailedDeeperTileAgain() async throws {
        let clock = SettableClock()
        let works = Mutex(false)
        let upstream = LyingUpstream.painting { z, x, y in
            if z == 2, x == 1, y == 1, !works.withLock({ $0 }) { throw Down() }
            return Pixmap(width: 256, height: 256, color: place(z, x, y))
        }
        try await serving(upstream, clock: clock) { (endpoint: Endpoint) async throws in
            let first = try await endpoint.get("/test/1/0/0@2x.png")
            if first.status == 200 { #expect(first.secondsLeft <= 60, "\(first.summary)") }
            works.withLock { $0 = true }
            clock.advance(130)
            try await expectEventually {
                let colors = try await endpoint.get("/test/1/0/0@2x.png").picture().quarters
                return colors == [place(2, 0, 0), place(2, 1, 0), place(2, 0, 1), place(2, 1, 1)]
            }
        }
    }
}
