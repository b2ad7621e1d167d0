import TestSupport
import Testing

@testable import HTTPServer

/// Mutated heads never crash the parser. The parser gives the same result for one piece and for two pieces, and agrees
/// with the reference parser.
@Suite(.blocking) struct ParserFuzzTests {
    private static let pieces: [[UInt8]] =
        [
            "\r\n", "\r", "\n", " ", "\t", ":", ",", "Host: a\r\n", "Content-Length: 5\r\n", "Content-Length",
            "chunked",
            "Transfer-Encoding: chunked\r\n", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "Expect: 100-continue\r\n",
            "http://a", "/", "*",
            "?", "GET ", "Connection: close\r\n", "\u{0}", "%", "0", "5", "\u{7F}", "\u{1B}", "@", "OPTIONS ",
        ].map(latin1) + [[0x80], [0xFF], [0xC3, 0xA9]]

    private func mutate(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(place + Int.random(in: 0...4, using: &random), bytes.count)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default:
                bytes.replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &random) ?? [])
            }
        }
        return bytes
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func agreesWithTheReference(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let seeds = RequestParserTests.valid.map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<50_000 {
            let head = mutate(seeds[round % seeds.count], &random) + latin1("\r\n\r\n")
            let verdict = judge([head])
            let reference = ReferenceParser.framing(of: head)
            let framing = verdict.summary?.framing
            if framing != nil { accepted += 1 }
            guard framing.map(ReferenceParser.Framing.init) == reference else {
                let text = String(decoding: head, as: UTF8.self).debugDescription
                Issue.record("\(text): \(verdict), reference \(String(describing: reference))")
                return
            }
            if round % 8 == 0 {
                let cut = Int.random(in: 0...head.count, using: &random)
                let split = judge([Array(head[..<cut]), Array(head[cut...])])
                guard split.summary == verdict.summary, split.rejection?.status == verdict.rejection?.status else {
                    Issue.record("\(String(decoding: head, as: UTF8.self).debugDescription) cut at \(cut): \(split)")
                    return
                }
            }
        }
        // The test is useful only if it has both accepted and refused heads.
        #expect(accepted > 5_000 && accepted < 45_000, "accepted \(accepted)")
    }

    @Test func refusesRandomBytes() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let noise = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(judge([noise]).summary == nil)
        }
    }
}

extension ReferenceParser.Framing {
    init(_ framing: BodyFraming) {
        switch framing {
        case .none: self = .none
        case .length(let length): self = .length(length)
        case .chunked: self = .chunked
        }
    }
}
