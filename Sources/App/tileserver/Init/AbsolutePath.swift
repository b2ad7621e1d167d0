import Foundation

/// Returns `path` as an absolute path. A relative path is relative to the working directory. Removes `.`, and also `..`
/// if the shorter path leads to the same file, or if the file does not exist. With symbolic links, the shorter path may
/// lead to another file. Reads the metadata of the file, and so may block.
func absolutePath(_ path: String) -> String {
    var full = path
    if !path.hasPrefix("/"), let directory = getcwd(nil, 0) {
        defer { free(directory) }
        full = "\(String(cString: directory))/\(path)"
    }
    let names = full.split(separator: "/").filter { $0 != "." }
    var short: [Substring] = []
    for name in names {
        if name == ".." { _ = short.popLast() } else { short.append(name) }
    }
    let (long, plain) = ("/" + names.joined(separator: "/"), "/" + short.joined(separator: "/"))
    var (first, second) = (stat(), stat())
    // A directory that does not exist yet is at neither path.
    guard stat(long, &first) == 0 else { return plain }
    let isSame = stat(plain, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    return isSame ? plain : long
}
