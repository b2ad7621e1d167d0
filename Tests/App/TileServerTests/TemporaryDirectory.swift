import Foundation

/// A directory of a test's own, gone with it.
///
/// A class to own the directory.
final class TemporaryDirectory {
    let path = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // What is left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }
}
