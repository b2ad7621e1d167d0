import Foundation
import Testing

@testable import TileCache

/// Tests for files of other programs at paths that the store writes beside its database (docs/spec/threats.md T43).
struct DiskForeignFileTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    private static let suffixes = ["-wal", "-shm", "-journal", ".reserve"]

    private func url(_ name: String) -> URL { setting.directory.appendingPathComponent(name) }

    @Test(arguments: suffixes, [false, true]) func setsAsideFilesOfOtherPrograms(suffix: String, hasDatabase: Bool)
        async throws
    {
        if hasDatabase { await setting.fill(try setting.open()) }
        // The second content is larger than the reserve's record. It has zeros in the place of the record.
        for (number, text) in [Data("mine".utf8), Data(count: 40_000) + Data(repeating: 7, count: 100_000)].enumerated()
        where number == 0 || suffix == ".reserve" {
            try text.write(to: url("tiles.sqlite\(suffix)"))
            let store = try setting.open()
            _ = store.keep(TileRecord("new"), for: StoreKey(3, 1, 1))
            await store.flush()
            #expect(await store.record(for: StoreKey(3, 1, 1))?.text == "new")
            #expect(await store.record(for: StoreKey(8, 5, 0)) != nil || !hasDatabase)
            #expect(await store.clear(.land, generation: 7 + UInt32(number)).isDurable)
            await store.close()
            let kept = setting.files.filter { $0.hasPrefix("tiles.sqlite\(suffix).unusable-") }
            #expect(kept.count == number + 1)
            #expect(try kept.contains { try Data(contentsOf: url($0)) == text })
            #expect(setting.eventsSoFar.contains { if case .setAside(_, .foreign) = $0 { true } else { false } })
        }
    }

    /// The check for free space uses its own file. It must not write through a link or delete a file.
    @Test func checksFreeSpaceWithoutTouchingOtherFiles() throws {
        try Data("mine".utf8).write(to: url("other"))
        try FileManager.default.createSymbolicLink(at: url("tiles.sqlite.room"), withDestinationURL: url("other"))
        #expect(DiskFile(path: setting.path).hasRoom)
        #expect(setting.files.sorted() == ["other", "tiles.sqlite.room"])
        #expect(try Data(contentsOf: url("other")) == Data("mine".utf8))
    }

    /// The files come from a killed store, and then from a store that was closed.
    @Test func keepsOwnFiles() async throws {
        let store = try setting.open()
        for x in 0..<50 { _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0)) }
        await store.flush()
        let other = try DiskSetting()
        try setting.copyFiles(to: other)
        try Data(contentsOf: url("tiles.sqlite-shm")).write(
            to: other.directory.appendingPathComponent("tiles.sqlite-shm"))
        #expect(other.size(of: "tiles.sqlite-wal") > 0 && other.size(of: "tiles.sqlite.reserve") > 0)
        for _ in 0..<2 {
            let again = try other.open()
            #expect(await again.record(for: StoreKey(8, 5, 0)) != nil)
            await again.close()
        }
        #expect(other.eventsSoFar.isEmpty && !other.files.contains { $0.contains("unusable") })
        await store.close()
    }

    @Test func keepsEmptyAndZeroedFiles() async throws {
        for suffix in Self.suffixes {
            for data in [Data(), Data(count: 100)] {
                try data.write(to: url("tiles.sqlite\(suffix)"))
                let store = try setting.open()
                await store.close()
            }
        }
        #expect(setting.eventsSoFar.isEmpty && !setting.files.contains { $0.contains("unusable") })
    }
}
