import Testing

@testable import Fleet

/// Tests for the signatures of batches between nodes. A signature proves the batch's sender and its time.
@Suite struct FleetSignatureTests {
    private let signature = FleetSignature(secret: "0123456789abcdef")
    private let body = Array("{\"node\":\"a\",\"messages\":[]}".utf8)

    private func isGood(
        _ text: String, at time: String = "1000", _ body: [UInt8]? = nil, now: Int = 1_000
    ) -> Bool {
        Array(time.utf8).withUnsafeBytes { time in
            Array(text.utf8).withUnsafeBytes {
                signature.isGood(time: time, signature: $0, body: body ?? self.body, now: now)
            }
        }
    }

    @Test func signsTimeAndBody() {
        // printf '1000\n{"node":"a","messages":[]}' | openssl dgst -sha256 -hmac 0123456789abcdef
        let expected = "sha256=28c594c0f29f1f1fa6d0ee254d33d60ceaedead02fb4edc9b3de6b7f0f8d6732"
        #expect(signature.text(of: body, at: 1_000) == expected)
        #expect(isGood(expected))
    }

    @Test func isValidForHalfAMinute() throws {
        let text = try #require(signature.text(of: body, at: 1_000))
        #expect(isGood(text, now: 1_030) && isGood(text, now: 970))
        #expect(!isGood(text, now: 1_031) && !isGood(text, now: 969))
    }

    @Test func rejectsOtherTimesBodiesAndSecrets() throws {
        let text = try #require(signature.text(of: body, at: 1_000))
        #expect(!isGood(text, at: "1001"), "another time")
        #expect(!isGood(text, at: "01000") && !isGood(text, at: "+1000") && !isGood(text, at: ""))
        #expect(!isGood(text, at: "99999999999999999999"))
        #expect(!isGood(text, body + [0x20]), "another body")
        #expect(!isGood("") && !isGood("sha256=") && !isGood(text + "0") && !isGood(String(text.dropLast())))
        #expect(!isGood(text.uppercased()))
        for index in 7..<text.utf8.count {
            var bytes = Array(text.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(!isGood(String(decoding: bytes, as: UTF8.self)))
        }
        let other = FleetSignature(secret: "0123456789abcdeF")
        #expect(!isGood(try #require(other.text(of: body, at: 1_000))))
    }

    // MARK: Signatures of heads and answers

    private func isGoodHead(
        _ text: String, at time: String = "1000", length: String = "26", signature signed: String = "sha256=28c5"
    ) -> Bool {
        let bytes = [text, time, length, signed].map { Array($0.utf8) }
        return bytes[0].withUnsafeBytes { found in
            bytes[1].withUnsafeBytes { time in
                bytes[2].withUnsafeBytes { length in
                    bytes[3].withUnsafeBytes { signed in
                        signature.isGoodHead(found, time: time, length: length, signature: signed)
                    }
                }
            }
        }
    }

    @Test func signsHeadWithTimeLengthAndBodySignature() {
        // printf 'tileserver-fleet-head\n1000\nPOST /fleet/messages\n26\nsha256=28c5' |
        // openssl dgst -sha256 -hmac 0123456789abcdef
        let expected = "sha256=360ff8018aaaaac53e3b0b9e8060f926c5774c9b6fb353271a4fb1fd540ddcae"
        #expect(signature.headText(length: 26, signature: "sha256=28c5", at: 1_000) == expected)
        #expect(isGoodHead(expected))
        #expect(!isGoodHead(expected, at: "1001") && !isGoodHead(expected, length: "27"))
        #expect(!isGoodHead(expected, length: "026") && !isGoodHead(expected, signature: "sha256=28c6"))
        #expect(!isGoodHead("") && !isGoodHead(expected + "0"))
    }

    @Test func signsAnswerWithMessageSignatureAndNode() throws {
        // printf 'tileserver-fleet-answer\nsha256=28c5\nb\n5f' | openssl dgst -sha256 -hmac 0123456789abcdef
        let expected = "sha256=2f9f5e0547f572bb564330c3f4b2768e57af2d82c5f66839941655f1cb5e78f1"
        #expect(signature.answerText(to: "sha256=28c5", node: "b", instance: "5f") == expected)
        #expect(signature.isGoodAnswer(expected, to: "sha256=28c5", node: "b", instance: "5f"))
        #expect(!signature.isGoodAnswer(expected, to: "sha256=28c6", node: "b", instance: "5f"))
        #expect(!signature.isGoodAnswer(expected, to: "sha256=28c5", node: "c", instance: "5f"))
        #expect(!signature.isGoodAnswer(expected, to: "sha256=28c5", node: "b", instance: "6f"))
        #expect(!signature.isGoodAnswer("", to: "sha256=28c5", node: "b", instance: "5f"))
    }

    /// Anybody may have seen a head's signature. It must not be valid for a batch with any body.
    @Test func rejectsHeadSignatureForBatch() throws {
        let head = try #require(signature.headText(length: 26, signature: "sha256=28c5", at: 1_000))
        let rest = "1000\nPOST /fleet/messages\n26\nsha256=28c5"
        #expect(!isGood(head, at: "tileserver-fleet-head", Array(rest.utf8)))
        #expect(!isGood(head, Array("POST /fleet/messages\n26\nsha256=28c5".utf8)))
    }
}
