import Glibc

/// Reads a GeoJSON file.
enum GeoJSONFile {
    /// The largest file there can be, in bytes.
    static let largest = 64 << 20

    /// The content of the regular file at `path`, and which file that was. Blocks.
    static func bytes(at path: String) throws(GeoJSONError) -> (bytes: [UInt8], identity: FileIdentity) {
        do throws(GeoJSONError.ContentError) {
            // Without waiting: opening a pipe would block until a writer opens it.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw .inaccessible(String(cString: strerror(errno))) }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .inaccessible(String(cString: strerror(errno))) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
            // Looked at before the content: one that is written meanwhile differs afterwards, and is read again.
            let identity = FileIdentity(status)
            return (try bytes(of: descriptor, size: Int(status.st_size)), identity)
        } catch {
            throw GeoJSONError(path: path, fault: error)
        }
    }

    private static func bytes(of descriptor: Int32, size: Int) throws(GeoJSONError.ContentError) -> [UInt8] {
        guard size <= largest else { throw .tooLarge(limit: largest) }
        var bytes: [UInt8] = []
        // One more than is needed, for the end of a text.
        bytes.reserveCapacity(size + 1)
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .inaccessible(String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= largest else { throw .tooLarge(limit: largest) }
        }
    }
}
