import Glibc

/// Recognizes paths that mean an open descriptor of this process, such as `/dev/stdin` or `/dev/fd/3`.
enum OpenDescriptor {
    /// Returns the number of the descriptor that `path` means, such as 1 for `/dev/stdout`. Returns nil for other
    /// paths.
    static func number(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return STDIN_FILENO
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let name = path.dropFirst(folder.count)
            guard (1...9).contains(name.utf8.count), name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int32(name)
        }
        return nil
    }
}
