import Files

/// The regular file at `path`; nil where there is none, none that can be read, or more than `limit` bytes. Blocks while it reads.
func contents(of path: String, limit: Int) -> [UInt8]? {
    // Callers go on without the file.
    guard let file = try? RegularFile(path) else { return nil }
    return try? file.bytes(limit: limit)
}
