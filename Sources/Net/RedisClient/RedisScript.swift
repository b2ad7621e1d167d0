import CLibcrypto

/// A script in Lua, which Redis runs as one step that no other command divides.
package struct RedisScript: Sendable {
    package let source: String
    /// What Redis calls it: the SHA-1 of the source, 40 hexadecimal digits.
    package let digest: String

    package init(_ source: String) {
        self.source = source
        var digest = [UInt8](repeating: 0, count: 20)
        Array(source.utf8).withUnsafeBytes { bytes in sha1_of(bytes.baseAddress, bytes.count, &digest) }
        self.digest = String(
            decoding: digest.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
