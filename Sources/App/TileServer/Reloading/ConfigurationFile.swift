import Configuration
import Synchronization

/// The configuration file, which can be read many times. Flags and environment variables override values in the file,
/// each time it is read. Thread rule: any thread; reading blocks.
package final class ConfigurationFile: Sendable {
    package typealias Load =
        @Sendable (_ warn: (ConfigurationProblem) -> Void) throws(ConfigurationErrors) -> Configuration

    /// The path of the file. Nil if there are only flags and environment variables.
    let path: String?
    private let load: Load
    private let stamp: Mutex<FileStamp>

    /// Makes the source. Must be called before the first read, so that no later change is missed.
    package init(path: String?, load: @escaping Load) {
        self.path = path
        self.load = load
        stamp = Mutex(FileStamp(path))
    }

    func read(warn: (ConfigurationProblem) -> Void) throws(ConfigurationErrors) -> Configuration {
        // Takes the stamp before the content is read. A change in between is then read again, and never missed.
        let now = FileStamp(path)
        stamp.withLock { $0 = now }
        return try load(warn)
    }
}

extension ConfigurationFile: WatchedFiles {
    var notifyingPath: String? { path }

    var stamps: [FileStamp] { [FileStamp(path)] }

    /// The stamp of the file at the last read, or at `init` if the file was not read yet.
    var lastRead: [FileStamp] { [stamp.withLock { $0 }] }
}
