import TestSupport
import Testing

@testable import HTTPServer

/// The chunked coding is parsed strictly and in pieces of any size (RFC 9112 7.1; docs/spec/threats.md T04).
@Suite(.blocking) struct BodyDrainTests {
    /// Number of bytes that the drain used, and its last step.
    struct Outcome: Equatable {
        var used: Int
        var step: BodyDrain.Step
    }

    private func drain(_ pieces: [[UInt8]], _ framing: BodyFraming = .chunked, limit: Int = 65_536) -> Outcome {
        var drain = BodyDrain(framing, limit: limit)
        var total = 0
        for piece in pieces {
            let (used, step) = piece.withUnsafeBytes { drain.take($0) }
            total += used
            guard step == .incomplete else { return Outcome(used: total, step: step) }
            guard used == piece.count else { return Outcome(used: -1, step: step) }
        }
        return Outcome(used: total, step: .incomplete)
    }

    static let valid = [
        "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "A\r\n0123456789\r\na\r\n0123456789\r\n00\r\n\r\n",
        "5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n",
        "0000000000000005\r\n\r\n\r\n\r\r\n0\r\n\r\n", "1\r\n\n\r\n0\r\nTrailer: one\r\nOther: two\r\n\r\n",
        "3 ;\ta = b ; c\t=\t\"\" ;d\r\nabc\r\n0\r\n\r\n", "1;a=\"\\\"\\\\;\t \u{E9}\"\r\na\r\n0;b=!\r\n\r\n",
    ]

    @Test(arguments: valid)
    func readsChunksSplitAtEveryByte(text: String) {
        let bytes = Array(text.utf8)
        let expected = Outcome(used: bytes.count, step: .complete)
        #expect(drain([bytes]) == expected)
        for cut in 1..<bytes.count {
            #expect(drain([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected, "cut at \(cut)")
        }
        #expect(drain(bytes.map { [$0] }) == expected)
    }

    @Test(arguments: valid)
    func leavesTheNextRequestAlone(text: String) {
        let bytes = Array(text.utf8)
        #expect(drain([bytes + Array("GET / HTTP/1.1\r\n".utf8)]) == Outcome(used: bytes.count, step: .complete))
    }

    @Test(arguments: valid)
    func isIncompleteWithFewerBytes(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(drain([Array(bytes[..<count])]).step == .incomplete) }
    }

    // docs/spec/threats.md T04
    @Test(arguments: [
        "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-1\r\n", "5 \r\nhello\r\n", " 5\r\nhello\r\n", "1_0\r\n", "\r\nhello",
        ";a\r\n",
        "5\nhello\n", "5\rhello", "5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\rX", "5\r\nhello0\r\n\r\n", "G\r\n",
        "00000000000000005\r\nhello\r\n", "FFFFFFFFFFFFFFFF\r\n", "8000000000000000\r\n", "5;a\u{0}b\r\nhello\r\n",
        "5;a\nb\r\nhello\r\n", "5;a\rb\r\n", "0\r\nT: a\u{0}\r\n\r\n", "0\r\nT: a\nU: b\r\n\r\n", "0\r\n\rX",
        "0\r\nT: a\rX",
        "5\r\nhello\r\n\r\n", "5;\u{7F}\r\n", "5\t\r\nhello\r\n", "5;\r\nhello\r\n", "5 ;\r\n", "5;a;\r\n", "5;a=\r\n",
        "5;a= \r\n", "5;=b\r\n", "5;a b\r\n", "5;a=b \r\n", "5;a \r\n", "5;a=b c\r\n", "5;a=\"b\r\nhello\r\n",
        "5;a=\"b\"c\r\n",
        "5;a=\"b\" \r\n", "5;a=\"\\\r\n", "5;a=\"\u{1}\"\r\n", "5;a==b\r\n", "5;a=b=c\r\n", "5;(\r\n", "5;a=\u{E9}\r\n",
        "5 a\r\n",
        "0\r\nGET / HTTP/1.1\r\n\r\n", "0\r\n: a\r\n\r\n", "0\r\nT\r\n\r\n", "0\r\n T: a\r\n\r\n", "0\r\nT : a\r\n\r\n",
    ])
    func refusesMalformedChunks(text: String) {
        let bytes = latin1(text)
        let rejected = BodyDrain.Step.rejected(.framing("chunk"))
        #expect(drain([bytes]).step == rejected)
        #expect(drain(bytes.map { [$0] }).step == rejected)
    }

    /// The limit counts white space and text alike.
    // docs/spec/threats.md T04
    @Test(arguments: [";a", " ;a", ";a=", ";a=\""]) func limitsTheLengthOfChunkExtensions(start: String) {
        func body(_ length: Int) -> [UInt8] {
            let end = start.hasSuffix("\"") ? "\"" : ""
            let filling = String(repeating: "b", count: length - start.utf8.count - end.utf8.count)
            return latin1("0" + start + filling + end + "\r\n\r\n")
        }
        #expect(drain([body(1_025)]).step == .complete)
        #expect(drain([body(1_026)]).step == .rejected(.framing("chunk")))
    }

    // docs/spec/threats.md T04
    @Test func limitsTheNameOfAChunkExtension() {
        func body(_ length: Int) -> [UInt8] { latin1("0;" + String(repeating: "a", count: length) + "\r\n\r\n") }
        #expect(drain([body(1_024)]).step == .complete)
        #expect(drain([body(1_025)]).step == .rejected(.framing("chunk")))
    }

    @Test func readsExactlyTheLength() {
        #expect(drain([Array(repeating: 65, count: 12)], .length(10)) == Outcome(used: 10, step: .complete))
        #expect(drain(Array(repeating: [65], count: 10), .length(10)) == Outcome(used: 10, step: .complete))
        #expect(drain([Array(repeating: 65, count: 9)], .length(10)) == Outcome(used: 9, step: .incomplete))
    }

    @Test func staysWithinItsLimit() {
        let tooLarge = BodyDrain.Step.rejected(.limit(.contentTooLarge, "body"))
        func body(_ size: Int) -> [UInt8] {
            latin1(String(size, radix: 16) + "\r\n" + String(repeating: "a", count: size) + "\r\n0\r\n\r\n")
        }
        let content = body(4_000)
        #expect(drain([content], limit: content.count).step == .complete)
        #expect(drain([content], limit: content.count - 1).step == tooLarge)
        // A chunk that claims the largest possible size allocates nothing. The drain stops at its limit.
        #expect(
            drain([latin1("7FFFFFFFFFFFFFFF\r\n"), Array(repeating: 65, count: 5_000)], limit: 4_000).step == tooLarge)
        // Chunk heads count as well.
        let heads = Array(repeating: latin1("1;" + String(repeating: "x", count: 1_000) + "\r\na\r\n"), count: 5)
        #expect(drain(heads, limit: 4_000).step == tooLarge)
    }
}
