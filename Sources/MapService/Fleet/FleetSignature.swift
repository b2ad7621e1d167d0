import Bytes
import CLibcrypto

/// Tells messages of the fleet's servers to each other from anybody else's: an HMAC-SHA-256 (RFC 2104) of the time, a line feed and the
/// body, by the secret that all of them have.
package struct FleetSignature: Sendable {
    private let secret: [UInt8]

    /// The names of the fields with the time, in seconds since 1970, and the signature.
    package static let timeField: StaticString = "x-fleet-time"
    package static let field: StaticString = "x-fleet-signature"
    /// Seconds by which the time of a message may differ from a server's own.
    package static let tolerance = 30
    private static let prefix = Array("sha256=".utf8)

    /// `secret`: 16 bytes or more.
    package init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// What the field says of `body` that is sent at `seconds` since 1970: `sha256=` and 64 hexadecimal digits. Nil where there is
    /// no memory for it.
    package func text(of body: [UInt8], at seconds: Int) -> String? {
        bytes(of: body, time: Array("\(seconds)".utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a body may come from a server of the fleet, by its time and the form of its signature.
    package static func mayBeGood(time: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer, now: Int) -> Bool {
        guard let seconds = ASCII.canonicalDecimal(Array(time)) else { return false }
        return abs(seconds - now) <= tolerance && signature.count == prefix.count + 64
    }

    /// Whether `body` came from a server of the fleet within `tolerance` of `now`; `time` and `signature` are the fields' values.
    package func isGood(
        time: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer, body: [UInt8], now: Int
    ) -> Bool {
        let time = Array(time)
        guard time.withUnsafeBytes({ Self.mayBeGood(time: $0, signature: signature, now: now) }),
            let expected = bytes(of: body, time: time), expected.count == signature.count
        else { return false }
        // In a time that does not depend on where the two differ.
        return zip(expected, signature).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func bytes(of body: [UInt8], time: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let signed = time + [UInt8(ascii: "\n")] + body
        guard sha256_hmac_of(secret, secret.count, signed, signed.count, &digest) == 1 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return Self.prefix + digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
