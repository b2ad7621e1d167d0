import Files

/// Returns the content of the regular file at `path`. Nil if there is no such file, it is unreadable, or it has more
/// than `limit` bytes. Blocks while it reads.
func contents(of path: String, limit: Int) -> [UInt8]? {
    // Callers continue without the file.
    guard let file = try? RegularFile(path) else { return nil }
    return try? file.bytes(limit: limit)
}
