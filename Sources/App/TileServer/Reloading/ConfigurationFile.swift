import Configuration
import Synchronization

/// What the configuration is read from, again and again: a file, with flags and the environment above it.
///
/// A class to be shared. Thread rule: any thread; reading blocks.
package final class ConfigurationFile: Sendable {
    package typealias Load =
        @Sendable (_ warn: (ConfigurationProblem) -> Void) throws(ConfigurationErrors) -> Configuration

    /// Nil where there are flags and the environment alone.
    let path: String?
    private let load: Load
    private let stamp: Mutex<FileStamp>

    /// To be made before the configuration is read for the first time, so that no change after that goes unseen.
    package init(path: String?, load: @escaping Load) {
        self.path = path
        self.load = load
        stamp = Mutex(FileStamp(path))
    }

    /// The file as it was when it was read last, or when this was made.
    var lastRead: FileStamp { stamp.withLock { $0 } }

    func read(warn: (ConfigurationProblem) -> Void) throws(ConfigurationErrors) -> Configuration {
        // Before the content: what changes in between is read again, never missed.
        let now = FileStamp(path)
        stamp.withLock { $0 = now }
        return try load(warn)
    }
}
