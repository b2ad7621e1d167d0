import Bytes
import CLibcrypto

/// The hashes of images that mean "not available". Some upstreams send such an image instead of an error. An image is
/// recognised by the SHA-256 of its bytes (docs/spec/threats.md T34).
struct RejectedImages: Sendable {
    private let digests: Set<[UInt8]>

    /// Each text must have 64 hexadecimal digits. Other texts match no image.
    init(_ texts: [String]) {
        digests = Set(texts.compactMap { Self.bytes(ofHex: $0) })
    }

    /// Reports whether the image is rejected. Hashes the image only if there are hashes to compare with.
    func contain(_ image: SharedBytes) -> Bool {
        guard !digests.isEmpty else { return false }
        var digest = [UInt8](repeating: 0, count: 32)
        withExtendedLifetime(image) { sha256_of(image.buffer.baseAddress, image.count, &digest) }
        return digests.contains(digest)
    }

    private static func bytes(ofHex text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { ASCII.hexValue($0) }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
