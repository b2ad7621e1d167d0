import Glibc

/// Makes the name of a new file durable. Ignores errors: some file systems cannot do this, and the content of the file
/// is safe without it.
///
/// Thread rule: any thread that may block.
package func syncDirectory(of path: String) {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
}
