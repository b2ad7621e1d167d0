import Bytes
import CLibcrypto
import Raster
import Synchronization

@testable import TileSources
@testable import Tiles

/// Returns a small PNG, made with our encoder.
func samplePNG(width: Int = 4, height: Int = 4) throws -> [UInt8] {
    try Tile(encoding: Pixmap(width: width, height: height, color: RGBA(red: 1, green: 2, blue: 3))).bytes.array
}

/// The parts of a result that tests compare.
extension TileResult {
    var tile: Tile? {
        switch self {
        case .tile(let tile): tile
        case .noTile, .unavailable: nil
        }
    }

    var reason: Unavailability? {
        switch self {
        case .unavailable(let reason): reason
        case .tile, .noTile: nil
        }
    }

    var isNoTile: Bool {
        switch self {
        case .noTile: true
        case .tile, .unavailable: false
        }
    }
}

/// The parts of an answer that tests compare.
extension SourceAnswer {
    var result: TileResult? {
        switch self {
        case .result(let result, _): result
        case .notModified: nil
        }
    }

    var terms: SourceTerms {
        switch self {
        case .result(_, let terms), .notModified(let terms): terms
        }
    }
}

/// A value that several tasks of a test can change.
final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) {
        content = Mutex(value)
    }

    var value: Value { content.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) {
        content.withLock { body(&$0) }
    }
}

/// Returns the SHA-256 of `bytes` in hexadecimal, as in a configuration.
func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    sha256_of(bytes, bytes.count, &digest)
    return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
