import Foundation
import GRDB
import TestSupport
import Testing

@testable import Runtime
@testable import TileSources

/// Tests for files that make SQLite take long within a single instruction, where no progress handler runs
/// (docs/spec/threats.md T43c).
@Suite struct MBTilesInstructionTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    private static let page = 4_096
    /// Number of levels of pages below the table's root page. The table has 401 to the power of `levels` rows.
    private static let levels = 14

    private func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }

    private func short(_ number: Int) -> [UInt8] { Array(bytes(number).suffix(2)) }

    /// Returns a page of a table's tree. All its children are the page `child`. If `child` is nil, the page is a leaf
    /// with one row (sqlite.org/fileformat2.html 1.6).
    private func treePage(_ child: Int?) -> [UInt8] {
        guard let child else {
            let row: [UInt8] = [2, 1, 2, 8]
            let head = [13, 0, 0] + short(1) + short(Self.page - row.count) + [0] + short(Self.page - row.count)
            return head + [UInt8](repeating: 0, count: Self.page - head.count - row.count) + row
        }
        let cells = (0..<400).flatMap { bytes(child) + [UInt8(1 + $0 % 100)] }
        let start = Self.page - cells.count
        let head =
            [5, 0, 0] + short(400) + short(start) + [0] + bytes(child) + (0..<400).flatMap { short(start + 5 * $0) }
        return head + [UInt8](repeating: 0, count: start - head.count) + cells
    }

    /// Replaces the table `t` by a table whose pages share their children.
    private func share(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let found = try queue.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 't'"),
                try Int.fetchOne(database, sql: "PRAGMA page_size")
            )
        }
        try queue.close()
        #expect(found.1 == Self.page)
        var content = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let first = content.count / Self.page + 1
        let pages = [try #require(found.0)] + Array(first..<first + Self.levels)
        content += [UInt8](repeating: 0, count: Self.levels * Self.page)
        for (index, number) in pages.enumerated() {
            let child = index + 1 < pages.count ? pages[index + 1] : nil
            content.replaceSubrange((number - 1) * Self.page..<number * Self.page, with: treePage(child))
        }
        content.replaceSubrange(28..<32, with: bytes(content.count / Self.page))
        try Data(content).write(to: URL(filePath: path))
    }

    /// `count(*)` of a table is a single instruction.
    @Test func interruptsEndlessCount() throws {
        let path = "\(directory.path)/a.mbtiles"
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE metadata (name, value); CREATE TABLE t (a);
                    CREATE VIEW tiles AS SELECT 0 zoom_level, 0 tile_column, 0 tile_row,
                    (SELECT count(*) FROM t) tile_data
                    """)
        }
        try queue.close()
        try share(path)
        #expect(throws: MBTilesError(path: path, fault: .tooSlow(milliseconds: 300))) {
            let file = try MBTilesFile(path: path, seconds: 0.3)
            // The file opens if opening does not read a tile.
            guard case .tooSlow = file.content(z: 0, x: 0, row: 0, maxBytes: 1_000, seconds: 0.3) else { return }
            throw MBTilesError(path: path, fault: .tooSlow(milliseconds: 300))
        }
    }

    /// Matching a pattern takes time proportional to the pattern's length times the text's length.
    @Test func matchesPatternsInShortTextsOnly() throws {
        let path = try directory.make("b.mbtiles", .table) { database in
            try database.execute(
                sql: """
                    DROP TABLE tiles;
                    CREATE VIEW tiles AS SELECT 0 zoom_level, 0 tile_column, 0 tile_row, CASE WHEN
                        'abc' LIKE 'A%' AND 'abc' GLOB 'a*' AND NOT ('abc' GLOB 'A*') AND 'a%c' LIKE 'a!%_' ESCAPE '!'
                        AND NOT ('abc' LIKE 'a!%_' ESCAPE '!') AND hex(zeroblob(30000)) LIKE '%0'
                        AND (hex(zeroblob(40000)) LIKE '%0') IS NULL AND (hex(zeroblob(40000)) GLOB '*0') IS NULL
                        THEN x'01' END tile_data
                    """)
        }
        let file = try MBTilesFile(path: path)
        guard case .bytes(let bytes) = file.content(z: 0, x: 0, row: 0, maxBytes: 1_000, seconds: Patience.seconds)
        else {
            Issue.record("a function answers otherwise than SQLite's")
            return
        }
        #expect(bytes.array == [1])
    }

    /// If other users hold the memory, a large tile waits for room in the budget. Without room, the tile is not read.
    @Test func reservesMemoryForLargeTile() throws {
        let path = try directory.make("c.mbtiles", .table) { database in
            try database.execute(
                sql: """
                    INSERT INTO tiles VALUES (1, 0, 0, zeroblob(60000)), (1, 1, 0, zeroblob(3000000));
                    """)
        }
        let (file, memory) = (try MBTilesFile(path: path), MemoryBudget(bytes: 16_000_000))
        func read(_ x: Int, seconds: Double) -> MBTilesFile.Content {
            file.content(z: 1, x: x, row: 0, maxBytes: 4_000_000, seconds: seconds, memory: memory)
        }
        do {
            guard case .bytes(let bytes) = read(1, seconds: Patience.seconds) else {
                Issue.record("there is room")
                return
            }
            #expect(bytes.count == 3_000_000)
            // The tile counts while anything holds it.
            #expect(memory.used == 3_000_000 && memory.used(by: .encodedTiles) == 3_000_000)
        }
        #expect(memory.used == 0)
        #expect(memory.take(11_000_000, for: .tiles))
        // On a busy machine, the time may be over before the read asks for memory.
        var (answer, seconds) = (read(1, seconds: 0.1), 0.1)
        while case .tooSlow = answer, seconds < Patience.seconds {
            seconds *= 2
            answer = read(1, seconds: seconds)
        }
        guard case .noRoom = answer, case .bytes = read(0, seconds: Patience.seconds) else {
            Issue.record("a large tile is read without room, or a small one is not read")
            return
        }
        memory.giveBack(11_000_000, for: .tiles)
        #expect(memory.used == 0)
    }
}
