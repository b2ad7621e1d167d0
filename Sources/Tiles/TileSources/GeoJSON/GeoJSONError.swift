import Files
import JSON

/// Why a GeoJSON file cannot be drawn. The description names the file and is one line without control characters.
package struct GeoJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given.
    package let path: String
    /// What is wrong.
    package let fault: ContentError

    /// What can be wrong with a file.
    package enum ContentError: Error, Hashable, Sendable {
        /// It cannot be opened or read; why, in the system's words.
        case inaccessible(String)
        /// It is no regular file, but a file of this kind.
        case notAFile(FileError.Kind)
        /// It has more than this many bytes.
        case tooLarge(limit: Int)
        /// It is no JSON text (RFC 8259): what should stand at a line and a column, counted in bytes from 1.
        case notJSON(line: Int, column: Int, expected: String, found: String)
        /// Values lie in each other more than `limit` deep.
        case tooDeep(line: Int, limit: Int)
        /// It is JSON and no GeoJSON (RFC 7946): what is wrong at a path such as `features[12].geometry`.
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
    /// The same, as seen from one level above, where `step` leads to where it was found.
    func within(_ step: String) -> GeoJSONError.ContentError {
        guard case .notGeoJSON(let path, let problem) = self else { return self }
        let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return .notGeoJSON(path: step + separator + path, problem: problem)
    }

    /// What the file's JSON has wrong.
    init(_ error: JSONError) {
        self =
            switch error {
            case .syntax(let line, let column, let expected, let found):
                .notJSON(line: line, column: column, expected: expected, found: found)
            case .notUTF8(let line, let column):
                .notJSON(line: line, column: column, expected: "UTF-8", found: "another encoding")
            case .tooDeep(let line, let limit): .tooDeep(line: line, limit: limit)
            case .repeated(let path): .notGeoJSON(path: path, problem: "the name is given twice")
            // Only fields that are read by name can be so.
            case .unknown(let path), .missing(let path), .mistyped(let path, _, _):
                .notGeoJSON(path: path, problem: "\(error)")
            }
    }

    static func wrong(_ problem: String) -> GeoJSONError.ContentError { .notGeoJSON(path: "", problem: problem) }
}

/// Reads a GeoJSON file.
enum GeoJSONFile {
    /// The largest file there can be, in bytes.
    static let largest = 64 << 20

    /// The content of the regular file at `path`, and which file that was. Blocks.
    static func bytes(at path: String) throws(GeoJSONError) -> (bytes: [UInt8], identity: FileIdentity) {
        do throws(FileError) {
            let file = try RegularFile(path)
            // Looked at before the content: one that is written meanwhile differs afterwards, and is read again.
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
