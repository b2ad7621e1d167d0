import Foundation
import TestSupport
import Testing
import TileServer

/// Tests of `server.export`.
@Suite struct EmbeddingExportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path) }

    private struct Failure: Error {}
    /// A layer that fails for every tile. The failures wait for the reader, so an export of more than a thousand tiles
    /// goes on only if its progress is read.
    private static let failing = Layer.sync("failing", SampleLayer { _, _, _ in throw Failure() })

    @Test(arguments: ["a.pmtiles", "a.mbtiles", "a.zip", "a"]) func writesAnArchive(name: String) async throws {
        let layer = SampleLayer { x, y, _ in (x + y).isMultiple(of: 2) ? .image(.sample) : .noTile }
        try await serving([.sync("test", layer)]) { server in
            var last: TileServerExport.Progress?
            for try await progress in server.export("test", to: path(name), zooms: 0...3, format: .webp, quality: 50) {
                #expect(progress.total == 85 && progress.done >= last?.done ?? 0 && progress.failures.isEmpty)
                last = progress
            }
            let end = try #require(last)
            #expect((end.done, end.written, end.absent, end.failed) == (85, 43, 42, 0))
            #expect(end.bytes > 43 * 20)
            #expect(try files() == [name])
        }
    }

    @Test func servesWhatItExports() async throws {
        try await serving([.generator("grid", .grid(color: .black, background: .white))]) { server in
            let box = GeographicBox(west: 5, south: 45, east: 11, north: 48)
            let export = server.export("grid", to: path("a.pmtiles"), area: .box(box), zooms: 5...6)
            for try await _ in export {}
            try await server.add(.pmtiles("again", PMTilesSource(location: path("a.pmtiles"))))
            let (drawn, stored) = (
                try await server.tile("grid", x: 33, y: 22, zoom: 6),
                try await server.tile("again", x: 33, y: 22, zoom: 6)
            )
            #expect(try drawn.pixels != nil && stored.pixels == drawn.pixels)
            #expect(try await server.tile("again", x: 0, y: 0, zoom: 6).isNoTile)
        }
    }

    @Test func losesNoFailureWithASlowReader() async throws {
        let layer = SampleLayer { x, y, _ in
            guard (x + y).isMultiple(of: 2) else { throw Failure() }
            return .image(.sample)
        }
        try await serving([.sync("test", layer)]) { server in
            var (failures, elements, last) = ([FailedTile](), 0, 0)
            for try await progress in server.export("test", to: path("a.pmtiles"), zooms: 0...6) {
                #expect(progress.failures.count <= 1_000)
                failures += progress.failures
                (elements, last) = (elements + 1, progress.failed)
                // The export goes on meanwhile, until 1,000 failures wait.
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(failures.count == 2_730 && Set(failures).count == 2_730 && last == 2_730)
            #expect(failures.allSatisfy { $0.reason == .unavailable(.failed) })
            #expect(elements < 1_000, "\(elements) elements")
        }
    }

    @Test func stopsAndRemovesTheDraftAfterABreak() async throws {
        try await serving([Self.failing]) { server in
            for try await progress in server.export("failing", to: path("a.pmtiles"), zooms: 0...6)
            where progress.done > 0 {
                #expect(try files().first?.hasSuffix(".part") == true)
                break
            }
            try await expectEventually("the draft is removed") { try files().isEmpty }
        }
    }

    @Test func throwsAfterACancelledExportRemovedItsDraft() async throws {
        try await serving([Self.failing]) { server in
            let export = server.export("failing", to: path("a.mbtiles"), zooms: 0...6)
            let reader = Task {
                for try await progress in export where progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            await #expect(throws: CancellationError.self) { try await reader.value }
            let left = try files()
            #expect(left.isEmpty)
        }
    }

    @Test func endsWithTheServer() async throws {
        let server = try TileServer(port: 0, layers: [Self.failing], logger: .silent) { $0.server.reactors = 1 }
        await #expect(throws: TileServerError.stopped) {
            for try await progress in server.export("failing", to: path("a.zip"), zooms: 0...6)
            where progress.done > 0 { await server.stop() }
        }
        #expect(try files().isEmpty)
    }

    @Test func throwsTheReason() async throws {
        let refused = Layer.template("osm", "https://tile.openstreetmap.org/{z}/{x}/{y}.png")
        let allowed = Layer.sync("bulk", SampleLayer()) { $0.bulk = .refuse }
        try await serving([Self.failing, refused, allowed, .sync("test", SampleLayer())]) { server in
            func error(_ export: TileServerExport) async -> String {
                do {
                    for try await _ in export {}
                    return "none"
                } catch { return "\(error)" }
            }
            let to = path("a.pmtiles")
            #expect(
                await error(server.export("none", to: to, zooms: 0...1)) == "\(TileServerError.unknownLayer("none"))")
            #expect(await error(server.export("test", to: path("a.tar"), zooms: 0...1)).contains(".tar"))
            #expect(await error(server.export("test", to: to, zooms: 0...31)).contains("expected zooms in 0-30"))
            #expect(await error(server.export("test", to: to, zooms: 0...1, quality: 0)).contains("1…100, found 0"))
            #expect(await error(server.export("test", to: to, zooms: 0...1, format: .gif)).contains("found gif"))
            let area = TileServerExport.Area.geoJSON(path: path("none.json"))
            #expect(await error(server.export("test", to: to, area: area, zooms: 0...1)).contains("none.json"))
            #expect(await error(server.export("osm", to: to, zooms: 0...1)).contains("does not allow bulk downloads"))
            #expect(await error(server.export("bulk", to: to, zooms: 0...1)).contains("`bulk: refuse`"))
            #expect(await error(server.export("failing", to: to, zooms: 0...1)).contains("no tile could be exported"))
            let left = try files()
            #expect(left.isEmpty)
        }
    }
}
