import Testing

@testable import JSON

/// A name may occur only once in an object.
@Suite struct RepeatedNameTests {
    @Test(
        arguments: [
            ("{\"a\":1,\"a\":2}", "a"), ("{\"a\":1,\"b\":2,\"\\u0061\":3}", "a"), ("{\"\":1,\"\":1}", "\"\""),
            ("[0,{\"b\":{\"a\":1,\"c\":{\"a\":1},\"a\":2}}]", "[1].b.a"),
            ("{\"a b\":[[],[{\"é\":{},\"\\u00E9\":{}}]]}", "\"a b\"[1][0].\"é\""),
            ("{\"\u{1F600}\":1,\"\\ud83d\\ude00\":2}", "\"\u{1F600}\""), ("{\"a/\":1,\"a\\/\":2}", "\"a/\""),
        ])
    func refusesARepeatedName(text: String, path: String) {
        #expect(throws: JSONError.repeated(path: path)) { try tree(text) }
    }

    @Test func acceptsTheSameNameInDifferentObjects() throws {
        let text = "{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}],\"c\":{\"a\":3},\"A\":1,\"a \":1,\"aa\":1}"
        guard case .object(let members) = try tree(text) else { throw JSONError.missing(path: "") }
        #expect(members.count == 6)
    }

    /// Swift compares strings by their Unicode form. Names with different bytes are different names.
    @Test func comparesNamesByTheirBytes() throws {
        #expect(throws: Never.self) { try JSONText(Array("{\"e\u{301}\":1,\"\u{E9}\":1,\"K\":1,\"\u{212A}\":1}".utf8)) }
    }

    /// Tries every position of two equal names among 40 other names.
    @Test func findsARepeatedNameAmongMany() {
        for (first, second) in (0..<40).flatMap({ first in (first + 1..<41).map { (first, $0) } }) {
            var names = (0..<40).map { "n\($0)" }
            names.insert("n\(first)", at: second)
            let text = "{" + names.map { "\"\($0)\":{\"n1\":0}" }.joined(separator: ",") + "}"
            #expect(throws: JSONError.repeated(path: "n\(first)")) { try JSONText(Array(text.utf8)) }
        }
    }

    /// 200,000 names are the maximum that fits into a body. Comparing every pair of names would take minutes.
    @Test func acceptsManyNames() throws {
        let names = (0..<200_000).map { "\"\($0)\":0" }
        #expect(throws: Never.self) { try JSONText(Array("{\(names.joined(separator: ","))}".utf8)) }
        let text = "{\(names.joined(separator: ",")),\"77\":0}"
        #expect(throws: JSONError.repeated(path: "77")) { try JSONText(Array(text.utf8)) }
    }

    /// Comparing each name with the long names, or reading the long names again, would take hours.
    @Test func acceptsManyNamesAfterLongNames() throws {
        let long = String(repeating: "x", count: 100_000)
        let names = (0..<8).map { "\"\\u0061\(long)\($0)\":0" } + (0..<100_000).map { "\"\($0)\":0" }
        #expect(throws: Never.self) { try JSONText(Array("{\(names.joined(separator: ","))}".utf8)) }
        let text = "{\(names.joined(separator: ",")),\"a\(long)7\":0}"
        #expect(throws: JSONError.repeated(path: "a" + String(repeating: "x", count: 63) + "…")) {
            try JSONText(Array(text.utf8))
        }
    }

    @Test func shortensLongNames() {
        let name = String(repeating: "x", count: 65)
        #expect(throws: JSONError.repeated(path: String(repeating: "x", count: 64) + "…")) {
            try tree("{\"\(name)\":1,\"\(name)\":1}")
        }
    }
}
