import Foundation

/// A temporary directory.
///
/// It is a class because `deinit` removes the directory.
final class TemporaryDirectory {
    let path = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A directory left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }
}
