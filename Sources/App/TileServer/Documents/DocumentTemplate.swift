import Bytes
import Foundation
import Glibc

/// A document in pieces, between which the base URL stands: making it for another base URL is copying.
struct DocumentTemplate: Sendable {
    /// The base URL stands between each two of them.
    private let pieces: [SharedBytes]

    /// Bytes of the pieces.
    var size: Int { pieces.reduce(0) { $0 + $1.count } }

    /// `make` makes the document for a base URL, and writes that as it is.
    init(_ make: (_ base: String) -> SharedBytes) {
        // A layer's description cannot contain it.
        let placeholder = "base-\(UUID().uuidString)"
        let document = make(placeholder)
        defer { withExtendedLifetime(document) {} }
        pieces = Self.split(document.buffer, at: Array(placeholder.utf8))
    }

    /// What stands before, between and behind each `separator`, in one pass.
    private static func split(_ bytes: UnsafeRawBufferPointer, at separator: [UInt8]) -> [SharedBytes] {
        guard let base = bytes.baseAddress, let first = separator.first else { return [SharedBytes(bytes)] }
        var pieces: [SharedBytes] = []
        var (start, place) = (0, 0)
        while place <= bytes.count - separator.count,
            let found = memchr(base + place, Int32(first), bytes.count - separator.count - place + 1)
        {
            place = base.distance(to: UnsafeRawPointer(found))
            guard memcmp(found, separator, separator.count) == 0 else {
                place += 1
                continue
            }
            pieces.append(SharedBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<place])))
            place += separator.count
            start = place
        }
        pieces.append(SharedBytes(UnsafeRawBufferPointer(rebasing: bytes[start...])))
        return pieces
    }

    /// The document for `base`, which is escaped as the document asks for.
    func filled(with base: String) -> SharedBytes {
        let base = SharedBytes(base)
        let size = pieces.reduce(base.count * (pieces.count - 1)) { $0 + $1.count }
        return SharedBytes(capacity: size) { target in
            var end = 0
            for (index, piece) in pieces.enumerated() {
                for part in index == 0 ? [piece] : [base, piece] {
                    UnsafeMutableRawBufferPointer(rebasing: target[end...]).copyMemory(from: part.buffer)
                    end += part.count
                }
            }
            return end
        }
    }
}
