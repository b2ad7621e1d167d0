import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

/// Tests of tiles that a restarted server finds on disk, and of its responses with them (issue 3, points 1, 2, 5 and
/// 6).
@Suite(.blocking) struct FreshnessRestartTests {
    private static let target = "/test/4/5/6.png"

    /// A cache file of the test and the servers that use it one after the other.
    private final class Site {
        let clock = SettableClock()
        let directory = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path

        init() throws {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }

        deinit {
            // A directory left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: directory)
        }

        func run(
            _ layer: any TileLayer, _ change: (inout LayerSettings) -> Void = { _ in },
            _ body: (Endpoint) async throws -> Void
        ) async throws {
            try await withEndpoint(
                .memory, layer, clock: clock.loaderClock,
                { configuration in
                    var disk = DiskSettings()
                    disk.path = "\(self.directory)/cache.sqlite"
                    disk.minFree = 0
                    configuration.cache.disk = disk
                    configuration.layers[0].minTTL = .zero
                    change(&configuration.layers[0])
                }, body)
        }
    }

    private static let old = RevalidatingLayer { _, _ in
        .tile("old", .lasting(9, etag: "\"1\"", whileRevalidating: 20, ifError: 600))
    }

    private func warmSite() async throws -> Site {
        let site = try Site()
        try await site.run(Self.old) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get(Self.target).text == "old")
        }
        return site
    }

    private static func failing(_ reason: Unavailability = .unreachable) -> RevalidatingLayer {
        RevalidatingLayer { _, _ in .failure(reason) }
    }

    @Test func servesAFreshTileFromDisk() async throws {
        let site = try await warmSite()
        site.clock.advance(4)
        let layer = Self.failing()
        try await site.run(layer) { (endpoint: Endpoint) async throws in
            let disk = try await endpoint.get(Self.target)
            #expect(
                disk.text == "old" && disk["cache-status"] == "tileserver; hit; ttl=5; detail=disk", "\(disk.summary)")
            #expect(disk.age == 4 && disk.control("max-age") == 9 && disk["x-tile-status"] == "tile")
            #expect(disk.control("stale-while-revalidate") == 20 && disk.control("stale-if-error") == 600)
            site.clock.advance(1)
            let memory = try await endpoint.get(Self.target)
            #expect(memory["cache-status"] == "tileserver; hit; ttl=4; detail=memory" && memory.age == 5)
            #expect(memory["etag"] == disk["etag"] && layer.callCount == 0)
        }
    }

    /// The client lifetime and the `Date` of the upstream are stored on disk.
    @Test func restoresDateAndClientLifetimeFromDisk() async throws {
        let site = try Site()
        let layer = RevalidatingLayer { _, _ in
            var terms = SourceTerms.lasting(900)
            (terms.clientLifetime, terms.mustRevalidate, terms.date) = (60, true, 784_111_777)
            return .tile("old", terms)
        }
        try await site.run(layer) { _ = try await $0.get(Self.target) }
        site.clock.advance(4)
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            for _ in 0..<2 {
                let response = try await endpoint.get(Self.target)
                #expect(response["date"] == "Sun, 06 Nov 1994 08:49:37 GMT" && response.age == 4)
                #expect(response["cache-control"] == "public, max-age=60, must-revalidate", "\(response.summary)")
            }
        }
    }

    @Test func servesAndRenewsAStaleTileFromDisk() async throws {
        let site = try await warmSite()
        site.clock.advance(28)
        let layer = RevalidatingLayer { question, _ in
            question.validators?.etag == "\"1\"" ? .notModified(.lasting(9)) : .tile("wrong", .lasting(9))
        }
        try await site.run(layer) { (endpoint: Endpoint) async throws in
            let stale = try await endpoint.get(Self.target)
            #expect(stale["cache-status"] == "tileserver; hit; ttl=-19; detail=disk", "\(stale.summary)")
            #expect(stale.text == "old" && stale["x-tile-status"] == "stale" && stale.age == 28)
            #expect((stale.control("max-age") ?? .max) <= 60)
            try await expectEventually { try await endpoint.get(Self.target)["x-tile-status"] == "tile" }
            let renewed = try await endpoint.get(Self.target)
            #expect(renewed.text == "old" && renewed.age == 0 && renewed.ttl == 9 && layer.callCount == 1)
        }
        // The lifetime of the renewed tile is stored on disk too.
        site.clock.advance(5)
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get(Self.target)["cache-status"] == "tileserver; hit; ttl=4; detail=disk")
        }
    }

    @Test func servesStaleTilesAfterARestartDuringAnOutage() async throws {
        let site = try await warmSite()
        site.clock.advance(300)
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            for why in ["error", "back-off", "back-off"] {
                let stale = try await endpoint.get(Self.target)
                #expect(stale.text == "old" && stale["cache-status"] == "tileserver; fwd=stale; detail=\(why)")
                #expect(stale.age == 300)
            }
        }
        site.clock.advance(309)
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get(Self.target).status == 502)
        }
    }

    /// An operator may change lifetimes without losing tiles, because the source of the layer is the same.
    @Test func keepsTilesOfALayerThatGoesOffline() async throws {
        let site = try await warmSite()
        site.clock.advance(86_400 * 30)
        let layer = Self.failing()
        try await site.run(layer) {
            $0.offline = true
            $0.ttl = .seconds(5)
            $0.maxAge = .seconds(7)
        } _: { (endpoint: Endpoint) async throws in
            for _ in 0..<2 {
                let stale = try await endpoint.get(Self.target)
                #expect(stale.text == "old" && stale["cache-status"] == "tileserver; fwd=stale; detail=offline")
                #expect(stale.control("max-age") == 7 && stale["x-tile-status"] == "stale")
            }
            #expect(try await endpoint.get("/test/4/0/0.png").problem == "offline")
            #expect(layer.callCount == 0)
        }
    }

    /// Issue 3, point 6, also for the clear of a tile and of a box.
    @Test(arguments: ["/admin/cache", "/admin/cache/test", "/admin/cache/test/4/5/6", "/admin/cache/test?zoom=4"])
    func keepsTilesClearedAfterARestart(target: String) async throws {
        let site = try await warmSite()
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.delete(target)
            #expect(answer.status == 200 && answer.json?["entries"] as? Int == 1, "\(answer.text)")
            #expect(try await endpoint.get(Self.target).status == 502)
        }
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get(Self.target).status == 502)
        }
    }

    @Test(arguments: [true, false]) func keepsSoftlyClearedTilesStale(restarts: Bool) async throws {
        let site = try await warmSite()
        func expectStale(_ endpoint: Endpoint) async throws {
            let stale = try await endpoint.get(Self.target)
            #expect(stale.text == "old" && stale["x-tile-status"] == "stale", "\(stale.summary)")
        }
        try await site.run(Self.failing()) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.delete("/admin/cache/test?soft=1").json?["entries"] as? Int == 1)
            if !restarts { try await expectStale(endpoint) }
        }
        if restarts { try await site.run(Self.failing()) { try await expectStale($0) } }
    }

    /// T49: the clock is wrong after the restart, or was wrong before it.
    // docs/spec/threats.md T49
    @Test(arguments: [-86_400, -3_652 * 86_400, 3_652 * 86_400, 1 << 33]) func expiresTilesAfterAClockJump(
        jump: Int
    ) async throws {
        let site = try await warmSite()
        site.clock.jump(jump)
        let layer = RevalidatingLayer { _, _ in .tile("new", .lasting(9)) }
        try await site.run(layer) { (endpoint: Endpoint) async throws in
            let first = try await endpoint.get(Self.target)
            #expect(first.status == 200 && (first.age ?? 0) >= 0 && (first.age ?? 0) <= 400 * 86_400)
            try await expectEventually { try await endpoint.get(Self.target).text == "new" }
            #expect(layer.callCount == 1)
        }
    }
}
