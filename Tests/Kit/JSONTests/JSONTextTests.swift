import Testing

@testable import JSON

/// Which texts are valid JSON (RFC 8259), and which values they contain.
@Suite struct JSONTextTests {
    @Test(
        arguments: [
            ("null", .word("null")), (" \t\r\n true \n", .word("true")), ("false", .word("false")),
            ("\"\"", .string("")), ("\"é\u{10FFFF}\u{7F}\"", .string("é\u{10FFFF}\u{7F}")),
            ("[]", .array([])), ("{}", .object([:])), ("[ ]", .array([])), ("{ }", .object([:])),
            ("[1, [2,{}] ,\"]\"]", .array([.number(1), .array([.number(2), .object([:])]), .string("]")])),
            (
                "{\"\": 1, \"a\\\"}\" :{\"a\":[ ]}, \"\\u0061\":-0}",
                .object(["": .number(1), "a\"}": .object(["a": .array([])]), "a": .number(0)])
            ),
            ("\u{FEFF}[0]", .array([.number(0)])),
            ("\"\u{2028}\u{FEFF}\u{FFFF}\"", .string("\u{2028}\u{FEFF}\u{FFFF}")),
        ] as [(String, JSONTree)])
    func readsValidJSON(text: String, expected: JSONTree) throws {
        #expect(try tree(text) == expected)
    }

    @Test(
        arguments: [
            ("", 1, 1, "a value", "the end of the text"), (" \n ", 2, 2, "a value", "the end of the text"),
            ("{\n \"a\": 1,\n}", 3, 1, "a name in quotes", "}"), ("{,}", 1, 2, "a name in quotes", ","),
            ("{1: 2}", 1, 2, "a name in quotes", "1"), ("{a: 2}", 1, 2, "a name in quotes", "a"),
            ("[1 2]", 1, 4, "a comma or ]", "2"), ("[1}", 1, 3, "a comma or ]", "}"),
            ("{\"a\":1]", 1, 7, "a comma or }", "]"), ("[1,]", 1, 4, "a value", "]"), ("[,1]", 1, 2, "a value", ","),
            ("{\"a\" 1}", 1, 6, "a colon", "1"), ("{\"a\":}", 1, 6, "a value", "}"),
            ("[1]]", 1, 4, "the end of the text", "]"), ("1 2", 1, 3, "the end of the text", "2"),
            ("[1] // x", 1, 5, "the end of the text", "/"), ("/**/1", 1, 1, "a value", "/"),
            ("[01]", 1, 3, "a comma or ]", "1"), ("-01", 1, 3, "the end of the text", "1"),
            ("[-]", 1, 3, "a digit", "]"),
            ("+1", 1, 1, "a value", "+"), (".5", 1, 1, "a value", "."), ("[1.]", 1, 4, "a digit", "]"),
            ("1.e1", 1, 3, "a digit", "e"), ("1e", 1, 3, "a digit", "the end of the text"),
            ("1e+-1", 1, 4, "a digit", "-"), ("0x10", 1, 2, "the end of the text", "x"),
            ("1_000", 1, 2, "the end of the text", "_"), ("-Infinity", 1, 2, "a digit", "I"),
            ("[NaN]", 1, 2, "a value", "N"), ("[nul]", 1, 2, "a value", "n"), ("True", 1, 1, "a value", "T"),
            ("nulls", 1, 5, "the end of the text", "s"), ("'a'", 1, 1, "a value", "'"),
            ("[\"a", 1, 4, "the end of a string", "the end of the text"),
            ("\"a\\", 1, 4, "an escape such as \\n", "the end of the text"),
            ("[\"\\x\"]", 1, 4, "an escape such as \\n", "x"), ("\"\\'\"", 1, 3, "an escape such as \\n", "'"),
            ("[\"\\u00g0\"]", 1, 7, "four hexadecimal digits", "g"),
            ("\"\\u00", 1, 6, "four hexadecimal digits", "the end of the text"),
            ("\"\\U0041\"", 1, 3, "an escape such as \\n", "U"),
            ("[\"\u{1}\"]", 1, 3, "the end of a string", "the byte 0x1"),
            ("\"\n\"", 1, 2, "the end of a string", "the byte 0xA"),
            ("\"\u{0}\"", 1, 2, "the end of a string", "the byte 0x0"),
            ("[1\u{0}]", 1, 3, "a comma or ]", "the byte 0x0"), ("1\u{0}", 1, 2, "the end of the text", "the byte 0x0"),
            ("[1\u{A0}]", 1, 3, "a comma or ]", "the byte 0xC2"),
            ("\u{FEFF}\u{FEFF}1", 1, 4, "a value", "the byte 0xEF"),
            // Incomplete surrogate pairs of every kind.
            ("\"\\ud83d\"", 1, 2, "both halves of a surrogate pair", "\\"),
            ("\"\\uDE00\"", 1, 2, "both halves of a surrogate pair", "\\"),
            ("\"a\\ud83d\\n\"", 1, 3, "both halves of a surrogate pair", "\\"),
            ("\"\\ud83dx\"", 1, 2, "both halves of a surrogate pair", "\\"),
            ("\"\\ud83d\\ud83d\"", 1, 2, "both halves of a surrogate pair", "\\"),
            ("\"\\ude00\\ud83d\"", 1, 2, "both halves of a surrogate pair", "\\"),
            ("\"\\ud83d\\u0041\"", 1, 2, "both halves of a surrogate pair", "\\"),
        ])
    func reportsThePositionOfASyntaxError(text: String, line: Int, column: Int, expected: String, found: String) {
        #expect(throws: JSONError.syntax(line: line, column: column, expected: expected, found: found)) {
            try tree(text)
        }
    }

    /// Byte sequences that are not well-formed in Unicode 16, table 3-7. The error names the first byte of the
    /// sequence.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xFE], [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xC2, 0xC2, 0x80],
            [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func refusesInvalidUTF8(sequence: [UInt8]) {
        let start = Array("[1,\n \"é".utf8)
        for rest in [Array("\"]".utf8), []] {
            #expect(throws: JSONError.notUTF8(line: 2, column: 5)) { try JSONTree(start + sequence + rest) }
        }
        // Invalid bytes outside of strings give the same error.
        #expect(throws: JSONError.notUTF8(line: 1, column: 1)) { try JSONTree(sequence) }
    }

    @Test func acceptsTheBoundariesOfUTF8() throws {
        for scalar: Unicode.Scalar in ["\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{10000}"] {
            #expect(try tree("\"\(scalar)\"") == .string(String(scalar)))
        }
    }

    @Test func limitsTheDepthOfValues() throws {
        func nested(_ depth: Int, _ open: String, _ middle: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)).utf8)
        }
        for (open, middle, close) in [("[", "", "]"), ("{\"a\":", "1", "}"), ("[{\"a\":", "[]", "}]")] {
            let levels = open.count { $0 == "[" || $0 == "{" }
            let within = (32 - (middle == "[]" ? 1 : 0)) / levels
            #expect(throws: Never.self) { try JSONTree(nested(within, open, middle, close)) }
            #expect(throws: JSONError.tooDeep(line: 1, limit: 32)) {
                try JSONTree(nested(within + 1, open, middle, close))
            }
        }
        #expect(throws: Never.self) { try JSONTree(nested(64, "[", "", "]"), depth: 64) }
        #expect(throws: JSONError.tooDeep(line: 1, limit: 64)) { try JSONTree(nested(65, "[", "", "]"), depth: 64) }
        #expect(throws: JSONError.tooDeep(line: 1, limit: 0)) { try JSONTree(nested(1, "[", "", "]"), depth: 0) }
    }

    /// Foundation's decoder crashes on 513 opening brackets if the last one is at the end of the text.
    @Test(arguments: [33, 512, 513, 514, 1_000_000], ["[", "{\"a\":", "[{\"\":"])
    func refusesOpeningBracketsWithoutEnd(count: Int, opening: String) {
        #expect(throws: JSONError.tooDeep(line: 1, limit: 32)) {
            try tree(String(repeating: opening, count: count))
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", -0.0), ("-0.0e-0", -0.0), ("-0.5", -0.5), ("123456789012345", 123_456_789_012_345),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1.7976931348623159e308", .infinity),
            ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("0.1", 0.1), ("7.0123456789", 7.0123456789), ("179.99999999999997", 179.99999999999997), ("1E2", 100),
            ("-12.345e-3", -0.012345), ("9007199254740993.0", 9007199254740992), ("1e400", .infinity),
            ("-1e+99999999999999999999", -.infinity), ("1e-99999999999999999999", 0),
            ("0.000000000000000000000000001", 1e-27), ("1" + String(repeating: "0", count: 400), .infinity),
            ("0." + String(repeating: "0", count: 400) + "1", 0),
        ] as [(String, Double)])
    func readsNumbersExactly(text: String, expected: Double) throws {
        let json = try JSONText(Array("[\(text)]".utf8))
        let (number, end) = json.number(at: 1)
        #expect(number == expected && number.sign == expected.sign && end == text.utf8.count + 1)
    }

    @Test func readsEscapes() throws {
        let text = #""a\"\\\/\b\f\n\r\té\u00e9\u0000\uD83D\ude00\ud83d\uDE00!""#
        #expect(try tree(text) == .string("a\"\\/\u{8}\u{C}\n\r\té\u{E9}\u{0}\u{1F600}\u{1F600}!"))
    }
}
