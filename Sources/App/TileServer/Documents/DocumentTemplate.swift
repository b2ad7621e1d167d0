import Bytes
import Foundation
import Glibc

/// A document with gaps for the base URL of the server. To make the document for another base URL, the server only
/// copies text.
struct DocumentTemplate: Sendable {
    /// The pieces of the document. The base URL stands between two pieces.
    private let pieces: [SharedBytes]

    /// Size of the pieces in bytes.
    var size: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Makes a template. `make` returns the document for a base URL, and must write the base URL unchanged.
    init(_ make: (_ base: String) -> SharedBytes) {
        // A random placeholder, so that no description of a layer can contain it.
        let placeholder = "base-\(UUID().uuidString)"
        let document = make(placeholder)
        defer { withExtendedLifetime(document) {} }
        pieces = Self.split(document.buffer, at: Array(placeholder.utf8))
    }

    /// Splits `bytes` at each `separator`, in one pass.
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

    /// Returns the document with `base` in all gaps. The caller has escaped `base` for the format of the document.
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
