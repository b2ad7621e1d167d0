import Bytes
import CLibcrypto

/// SHA-256 and HMAC-SHA-256 (RFC 2104) of libcrypto.
enum SHA256 {
    /// Returns the SHA-256 of `bytes`: 64 hexadecimal digits in lower case.
    static func hexadecimal(of bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        sha256_of(bytes, bytes.count, &digest)
        return String(decoding: ASCII.hexadecimal(digest), as: UTF8.self)
    }

    /// Returns the HMAC-SHA-256 of `text` with the key `key`: 32 bytes. Returns nil if memory runs out.
    static func hmac(of text: String, key: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        return sha256_hmac_of(key, key.count, bytes, bytes.count, &digest) == 1 ? digest : nil
    }
}
