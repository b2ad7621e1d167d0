import Foundation

/// An empty temporary directory for one test. It is a class because `deinit` removes the directory.
final class ScratchDirectory {
    let path = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A directory left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }
}
