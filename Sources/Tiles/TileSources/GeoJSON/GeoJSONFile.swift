import Files

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
