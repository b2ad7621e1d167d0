import Bytes
import Foundation

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
        let document = Data(make(placeholder).array)
        let placeholderBytes = Data(placeholder.utf8)
        var pieces: [SharedBytes] = []
        var start = document.startIndex
        while let found = document.range(of: placeholderBytes, in: start..<document.endIndex) {
            pieces.append(SharedBytes(document[start..<found.lowerBound]))
            start = found.upperBound
        }
        pieces.append(SharedBytes(document[start...]))
        self.pieces = pieces
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
