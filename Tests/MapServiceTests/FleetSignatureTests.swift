import Testing

@testable import MapService

/// Letters between the servers of a fleet: who wrote them, and when.
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

    @Test func isAnHMACOfTheTimeAndTheBody() {
        // printf '1000\n{"node":"a","messages":[]}' | openssl dgst -sha256 -hmac 0123456789abcdef
        let expected = "sha256=28c594c0f29f1f1fa6d0ee254d33d60ceaedead02fb4edc9b3de6b7f0f8d6732"
        #expect(signature.text(of: body, at: 1_000) == expected)
        #expect(isGood(expected))
    }

    @Test func holdsForHalfAMinute() throws {
        let text = try #require(signature.text(of: body, at: 1_000))
        #expect(isGood(text, now: 1_030) && isGood(text, now: 970))
        #expect(!isGood(text, now: 1_031) && !isGood(text, now: 969))
    }

    @Test func nothingElseIsGood() throws {
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
}
