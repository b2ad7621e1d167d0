import Foundation
import GRDB
import TestSupport
import Testing
import Tiles

@testable import Runtime
@testable import TileSources

/// Tests for files that another program locks while it writes (docs/spec/threats.md T43c).
@Suite struct MBTilesLockTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    /// An exclusive lock on a file, from `init` until `release`.
    private struct Lock {
        private let queue: DatabaseQueue

        init(_ path: String) throws {
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        }

        func release() throws {
            try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try queue.close()
        }
    }

    private func make(_ name: String = "a.mbtiles", width: Int = 64) throws -> String {
        try directory.make(name) { try $0.insert(0, 0, row: 0, try samplePNG(width: width)) }
    }

    private func layer(_ path: String, _ queue: WorkQueue? = nil) throws -> MBTilesLayer {
        // With this pace, a file that is slow once stays slow.
        let pace = MBTilesPace(moment: Patience.seconds, shortest: 1e6, longest: 1e6)
        return try MBTilesLayer(
            path: path, queue: queue ?? directory.queue, timeout: Patience.seconds * 2, pace: pace
        ) { [events = directory.events] _, event in events.change { $0.append(event) } }
    }

    /// The test holds the threads of slow files. Tiles of a locked file wait for these threads and hold no others.
    @Test func leavesThreadsToOtherFiles() async throws {
        let queue = WorkQueue(label: "test.files", width: 8, layerWidth: 4, depth: 1_000)
        let (gate, end) = (DispatchSemaphore(value: 0), DispatchTime.now() + Patience.seconds * 1.5)
        let path = try make()
        let (locked, healthy) = (try layer(path, queue), try layer(try make("b.mbtiles"), queue))
        for _ in 0..<4 { #expect(queue.submit(for: MBTilesLayer.slowFiles) { _ = gate.wait(timeout: end) }) }
        let lock = try Lock(path)
        let tasks = (0..<6).map { _ in Task { await locked.tile(at: place(0, 0, 0), scale: 1) } }
        await expectEventually { queue.counts.waiting == 6 && queue.counts.running == 4 }
        for _ in 0..<20 { #expect(await healthy.tile(at: place(0, 0, 0), scale: 1).tile != nil) }
        #expect(queue.counts.waiting == 6)
        try lock.release()
        for _ in 0..<4 { gate.signal() }
        for task in tasks { #expect(await task.value.tile != nil) }
        #expect(directory.events.value.isEmpty)
    }

    @Test func failsOnlyWhileFileIsLocked() async throws {
        let path = try make()
        let layer = try layer(path)
        let lock = try Lock(path)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .failed)
        #expect(directory.events.value == [.unreadable(code: 5, message: "database is locked")])
        try lock.release()
        for _ in 0..<2 { #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil) }
        // Reads several tiles at once, because the file is no longer slow.
        let tasks = (0..<8).map { _ in Task { await layer.tile(at: place(0, 0, 0), scale: 1) } }
        for task in tasks { #expect(await task.value.tile != nil) }
    }

    /// A read that waits for memory holds the only connection.
    @Test func quickReadNeverWaitsForConnection() async throws {
        let path = try directory.make { database in
            try database.execute(
                sql: "INSERT INTO tiles VALUES (1, 0, 0, zeroblob(100)), (1, 1, 0, zeroblob(3000000))")
        }
        let (file, memory) = (try MBTilesFile(path: path, readers: 1), MemoryBudget(bytes: 16_000_000))
        #expect(memory.take(12_000_000, for: .tiles))
        @Sendable func read(_ x: Int, waits: Bool) -> MBTilesFile.Content {
            file.content(
                z: 1, x: x, row: 0, maxBytes: 4_000_000, seconds: Patience.seconds * 2, memory: memory, waits: waits)
        }
        let large = Shared(0)
        let thread = Thread {
            if case .bytes(let bytes) = read(1, waits: true) { large.change { $0 = bytes.count } }
        }
        thread.start()
        await expectEventually {
            if case .tooSlow = read(0, waits: false) { true } else { false }
        }
        memory.giveBack(12_000_000, for: .tiles)
        await expectEventually { large.value == 3_000_000 }
        guard case .bytes = read(0, waits: true) else {
            Issue.record("the connection is idle again")
            return
        }
    }

    @Test func rejectsLockedFile() throws {
        let path = try make()
        let lock = try Lock(path)
        let error = MBTilesError(path: path, fault: .locked)
        #expect(throws: error) { try MBTilesLayer.check(path: path) }
        #expect("\(error)" == "\(path): the MBTiles file is locked by another program that writes to it")
        try lock.release()
        #expect(throws: Never.self) { try MBTilesLayer.check(path: path) }
    }

    /// Only the lock changes. The layer must not reject the file for good, and it must not return a tile of the old
    /// file.
    @Test func servesLockedReplacementAfterUnlock() async throws {
        let path = try make(width: 100)
        let layer = try layer(path)
        let replacement = try make("b.mbtiles", width: 200)
        let lock = try Lock(replacement)
        try #require(rename(replacement, path) == 0)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .failed)
        #expect(directory.events.value == [.notReplaced(MBTilesError(path: path, fault: .locked))])
        try lock.release()
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile?.width == 200)
        #expect(directory.events.value.last == .replaced)
    }
}
