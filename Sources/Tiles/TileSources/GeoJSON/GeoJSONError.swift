import Files
import JSON
import Tiles

/// The reason why a GeoJSON file cannot be drawn. The description names the file, and is one line without control
/// characters.
package struct GeoJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    /// The problem.
    package let fault: ContentError

    /// The problems that make a GeoJSON file unusable.
    package enum ContentError: Error, Hashable, Sendable {
        /// The file cannot be opened or read. Holds the system's reason.
        case inaccessible(String)
        /// The path holds this kind of file instead of a regular file.
        case notAFile(FileError.Kind)
        /// The file has more than this many bytes.
        case tooLarge(limit: Int)
        /// The file is not a JSON text (RFC 8259). Holds the expected text at a line and column. Lines and columns
        /// count from 1, and a column is one byte wide.
        case notJSON(line: Int, column: Int, expected: String, found: String)
        /// Values are nested more than `limit` levels deep.
        case tooDeep(line: Int, limit: Int)
        /// The file is JSON but not GeoJSON (RFC 7946). Holds the problem at a path such as `features[12].geometry`.
        case notGeoJSON(path: String, problem: String)
    }

    package var description: String {
        "\(PlainText.of(path, limit: 256)): \(PlainText.of(reason, limit: 512))"
    }

    private var reason: String {
        switch fault {
        case .inaccessible(let why): "the GeoJSON file cannot be read: \(why)"
        case .notAFile(let kind): "expected a GeoJSON file, found \(kind)"
        case .tooLarge(let limit): "the GeoJSON file is larger than \(limit >> 20) MiB"
        case .notJSON(let line, let column, let expected, let found):
            "not JSON: line \(line), column \(column): expected \(expected), found \(found)"
        case .tooDeep(let line, let limit): "line \(line): more than \(limit) nested arrays and objects"
        case .notGeoJSON(let path, let problem): path.isEmpty ? problem : "\(path): \(problem)"
        }
    }
}

extension GeoJSONError.ContentError {
    /// Returns the error as seen from one level above. `step` leads from there to the place of the error.
    func within(_ step: String) -> GeoJSONError.ContentError {
        guard case .notGeoJSON(let path, let problem) = self else { return self }
        let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return .notGeoJSON(path: step + separator + path, problem: problem)
    }

    /// Converts an error of the JSON parser.
    init(_ error: JSONError) {
        self =
            switch error {
            case .syntax(let line, let column, let expected, let found):
                .notJSON(line: line, column: column, expected: expected, found: found)
            case .notUTF8(let line, let column):
                .notJSON(line: line, column: column, expected: "UTF-8", found: "another encoding")
            case .tooDeep(let line, let limit): .tooDeep(line: line, limit: limit)
            case .repeated(let path): .notGeoJSON(path: path, problem: "the name is given twice")
            // These errors only occur for fields that are read by name.
            case .unknown(let path), .missing(let path), .mistyped(let path, _, _):
                .notGeoJSON(path: path, problem: "\(error)")
            }
    }

    static func wrong(_ problem: String) -> GeoJSONError.ContentError { .notGeoJSON(path: "", problem: problem) }
}

/// Reads a GeoJSON file.
enum GeoJSONFile {
    /// Maximum size of a file in bytes.
    static let largest = 64 << 20

    /// Returns the bytes of the regular file at `path`. Also returns the file's identity, which shows later whether the
    /// file has changed. Blocks.
    static func bytes(at path: String) throws(GeoJSONError) -> (bytes: [UInt8], identity: FileIdentity) {
        do throws(FileError) {
            let file = try RegularFile(path)
            // The identity is taken before the content is read. If the file is written in between, its identity differs
            // later and the file is read again.
            return (try file.bytes(limit: largest), FileIdentity(file.status))
        } catch {
            let fault: GeoJSONError.ContentError =
                switch error {
                case .system: .inaccessible("\(error)")
                case .notRegular(let kind), .foreign(let kind): .notAFile(kind)
                case .noWriter, .noReader: .notAFile(.pipe)
                case .tooLarge(let limit): .tooLarge(limit: limit)
                }
            throw GeoJSONError(path: path, fault: fault)
        }
    }
}
