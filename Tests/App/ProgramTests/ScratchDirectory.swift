import Foundation

/// An empty directory for one test. A class to remove the directory.
final class ScratchDirectory {
    let path = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover in the temporary directory harms nobody.
        try? FileManager.default.removeItem(atPath: path)
    }
}
