import MapGeometry
import Testing

@testable import MapService

/// Tests of expire lists in the format of osm2pgsql and imposm.
@Suite struct ExpireListTests {
    /// Reads `text` in chunks of `count` bytes and returns the tiles.
    private func read(_ text: String, by count: Int = .max) throws(ExpireList.ListError) -> [String] {
        var list = ExpireList()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(count, max(bytes.count, 1))) {
            bytes[start..<min(start + min(count, bytes.count), bytes.count)].withUnsafeBytes { list.take($0) }
        }
        try list.finish()
        return list.tiles.map(\.description)
    }

    private static let lists: [(text: String, tiles: [String])] = [
        ("", []), ("\n", []), ("\r\n\n\r\n", []), ("0/0/0", ["0/0/0"]), ("14/8720/5741\n", ["14/8720/5741"]),
        ("14/8720/5741\r\n14/8721/5741\r\n", ["14/8720/5741", "14/8721/5741"]),
        ("1/0/1\n\n\n1/1/0", ["1/0/1", "1/1/0"]),
        ("30/1073741823/1073741823\n", ["30/1073741823/1073741823"]), ("1/0/0\r\n1/0/0", ["1/0/0", "1/0/0"]),
    ]

    @Test(arguments: lists) func readsATilePerLine(list: (text: String, tiles: [String])) throws {
        for count in [1, 2, 3, 7, .max] { #expect(try read(list.text, by: count) == list.tiles, "\(list.text)") }
    }

    @Test(arguments: [
        ("1/0", 1), ("1", 1), ("/0/0", 1), ("1//0", 1), ("1/0/", 1), ("1/0/0/0", 1), ("1/0/0 ", 1), (" 1/0/0", 1),
        ("1/2/0", 1), ("1/0/2", 1), ("31/0/0", 1), ("-1/0/0", 1), ("+1/0/0", 1), ("01/0/0", 1), ("1/00/0", 1),
        ("1/0/0x", 1), ("1/0/0\r", 1), ("1/0/0\r1/0/0", 1), ("1/0/0\r\r\n", 1), ("\u{FEFF}1/0/0", 1), ("1/0/٣", 1),
        ("1/0/0\n\n1/0/9\n1/x/0", 3), ("1/0/0\n99999999999999999999/0/0", 2), ("1/0/0\n1/0/0\n1/0/10737418240", 3),
        ("1/0/0\n# comment\n", 2), ("1/0/0\n1/0/0\0\n", 2),
    ]) func namesTheFirstWrongLine(text: String, line: Int) {
        for count in [1, 2, .max] {
            #expect(throws: ExpireList.ListError.line(line), "\(text)") { try read(text, by: count) }
        }
    }

    @Test func limitsTheNumberOfLines() throws {
        let most = String(repeating: "20/5/7\n\n", count: ExpireList.mostLines)
        #expect(try read(most).count == ExpireList.mostLines)
        #expect(throws: ExpireList.ListError.tooManyLines) { try read(most + "1/0/0") }
        // A mistake in an earlier line is reported first.
        #expect(throws: ExpireList.ListError.line(1)) { try read("x\n" + most + "1/0/0") }
        #expect(throws: ExpireList.ListError.compressed) { try read("\u{1F}\u{8}", by: 1) }
        #expect(throws: ExpireList.ListError.line(2)) { try read("1/0/0\n\u{1F}") }
    }
}
