import GRDB
import Testing

@testable import TileCache

/// Tests for how the store gives free pages back to the file system.
struct DiskVacuumTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    /// Returns the value of `PRAGMA auto_vacuum`. Mode 1 frees all free pages at each commit. Mode 2 frees pages only
    /// on request.
    private static func mode(of store: DiskStore) async throws -> Int? {
        try await store.writer.run { writer in
            Result {
                try writer.connection.pool?.writeWithoutTransaction { db in
                    try Int.fetchOne(db, sql: "PRAGMA auto_vacuum")
                }
            }
        }.get()
    }

    @Test func returnsToRequestedVacuumAfterFailure() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        await store.settle()
        let setting = setting
        await store.writer.run { writer in
            writer.emptyLog(over: 0)
            setting.isFull.withLock { $0 = { true } }
            writer.isVacuuming = true
            writer.giveBack(isQuick: false)
        }
        #expect(!store.totals().isWriting)
        #expect(try await Self.mode(of: store) == 2)
    }

    @Test func returnsToRequestedVacuumAfterKill() async throws {
        await setting.fill(try setting.open())
        #expect(try setting.edit("PRAGMA auto_vacuum = FULL; PRAGMA auto_vacuum") == [1])
        #expect(try setting.edit("PRAGMA auto_vacuum") == [1])
        let store = try setting.open()
        #expect(try await Self.mode(of: store) == 2)
        await store.close()
        #expect(try setting.edit("PRAGMA auto_vacuum") == [2])
    }
}
