import Bytes
import MapGeometry
import TileCache

/// Parses an expire list: the list of outdated tiles that osm2pgsql or imposm writes after an update of the data. Each
/// line is `z/x/y` and ends with LF or CRLF. Empty lines are ignored, and the last line needs no line end. The text can
/// arrive in several parts of any size.
package struct ExpireList: Sendable {
    /// The error of a text that is not a valid expire list.
    package enum ListError: Error, Equatable {
        /// The number of the first wrong line, from 1 on.
        case line(Int)
        case tooManyLines
        /// The content begins like the output of gzip or compress, or the request says that its content is encoded.
        case compressed
    }

    /// Maximum number of lines that are not empty.
    package static let mostLines = TileSet.mostTiles
    /// Maximum size of the text in bytes.
    package static let mostBytes = 8 << 20

    /// The tiles in the order of the list. Duplicates are possible.
    package private(set) var tiles: [TileCoordinate] = []
    private var fault: ListError?
    private var lineNumber = 1
    /// The numbers of the current line that are complete. `number` is the number that is being read.
    private var z = 0
    private var x = 0
    /// Number of slashes in the current line so far.
    private var slashes = 0
    private var number = 0
    private var digits = 0
    /// True after a CR. Only an LF may follow.
    private var isEnding = false

    package init() {}

    /// Bytes of memory that the list uses.
    package var capacity: Int { tiles.capacity * MemoryLayout<TileCoordinate>.stride }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            if fault != nil { return }
            take(byte)
        }
    }

    /// Ends the list. Throws the first error of the text.
    package mutating func finish() throws(ListError) {
        if fault == nil, isEnding { fault = .line(lineNumber) }
        if fault == nil { endLine() }
        if let fault { throw fault }
    }

    private mutating func take(_ byte: UInt8) {
        switch byte {
        case ASCII.lf: endLine()
        // First byte of the magic numbers of gzip (RFC 1952 2.3.1) and compress. No list contains it.
        case 0x1F where lineNumber == 1 && slashes == 0 && digits == 0: fault = .compressed
        case _ where isEnding: fault = .line(lineNumber)
        case ASCII.cr: isEnding = true
        case ASCII.slash where slashes < 2 && digits > 0:
            if slashes == 0 { z = number } else { x = number }
            slashes += 1
            (number, digits) = (0, 0)
        // Numbers have the same rules as in a path: no sign and no leading zero. Ten digits are enough for every tile.
        case _ where ASCII.isDigit(byte) && digits < 10 && (digits == 0 || number > 0):
            number = number * 10 + Int(byte &- ASCII.zero)
            digits += 1
        default: fault = .line(lineNumber)
        }
    }

    private mutating func endLine() {
        if digits > 0 || slashes > 0 {
            guard slashes == 2, digits > 0, let tile = TileCoordinate(z: z, x: x, y: number) else {
                fault = .line(lineNumber)
                return
            }
            guard tiles.count < Self.mostLines else {
                fault = .tooManyLines
                return
            }
            tiles.append(tile)
        }
        lineNumber += 1
        (slashes, number, digits, isEnding) = (0, 0, 0, false)
    }
}
