import TestSupport
import Testing

@testable import JSON

/// A damaged text is read or refused. It never ends the process.
@Suite struct JSONDamageTests {
    private static let text = Array(
        """
        \u{FEFF}{"camera": {"lat": -49.26e+0, "lng": 1.5E2, "zoom": 0, "tilt": null}, "a\\n": [true, false, [[], {}]],
        "é\u{1F600}": "\\u00e9\\ud83d\\ude00\\"\\\\/", "n": [0, -0, 0.000001, 123456789012345678901234567890]}
        """.utf8)

    /// Reads the text with every function of the reader and returns true if it is valid. The values must survive
    /// writing and reading again.
    private func attempt(_ bytes: [UInt8]) -> Bool {
        guard let read = try? JSONTree(bytes) else { return false }
        if let written = read.written { #expect((try? tree(written)) == read) }
        return true
    }

    @Test func refusesEveryTruncatedText() {
        #expect(attempt(Self.text))
        for count in Self.text.indices { #expect(!attempt(Array(Self.text[..<count]))) }
    }

    @Test func survivesEveryReplacedByte() {
        for place in Self.text.indices {
            for byte in Array("{}[],:\"\\/0e-.n ".utf8) + [0, 0x0A, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF] {
                var damaged = Self.text
                damaged[place] = byte
                _ = attempt(damaged)
            }
        }
    }

    /// Cuts out, doubles, moves and flips parts of the text. The fixed seed makes every run the same.
    @Test func survivesRandomDamage() {
        var random = SeededRandom(seed: 9)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = Self.text
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let start = Int.random(in: bytes.indices, using: &random)
                let end = min(start + Int.random(in: 0...12, using: &random), bytes.count)
                let place = Int.random(in: 0...start, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(start..<end)
                case 1: bytes.insert(contentsOf: bytes[start..<end], at: place)
                case 2: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                default: bytes[start] = UInt8.random(in: 0...255, using: &random)
                }
            }
            if attempt(bytes) { accepted += 1 }
        }
        // The damaged texts must contain both valid and invalid ones.
        #expect(accepted > 100 && accepted < 19_900)
    }

    /// Texts made only of tokens that have a meaning in JSON.
    @Test func survivesRandomTokens() {
        var random = SeededRandom(seed: 10)
        let tokens = ["{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\":", "1", "-", "0", "e", ".", "\\", "true"]
        for _ in 0..<50_000 {
            let count = Int.random(in: 1...12, using: &random)
            let text = (0..<count).compactMap { _ in tokens.randomElement(using: &random) }
            _ = attempt(Array(text.joined().utf8))
        }
    }
}
