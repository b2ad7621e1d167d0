/// Why a `DiskStore` cannot be had at its path. Anything less makes a store that degrades instead.
package enum DiskStoreError: Error, Sendable, Hashable {
    /// What lies at the path is a directory, a link, a pipe, a device or a socket.
    case notAFile(path: String)
    /// What lies at the path is a database of another program.
    case foreign(path: String, application: UInt32)
    /// The directory cannot be made or written.
    case directory(path: String, reason: String)

    /// Another server has the database open.
    case inUse(path: String)

    /// The path itself is wrong; otherwise what the system has at it.
    package var isConfigurationFault: Bool {
        switch self {
        case .notAFile, .foreign: true
        case .directory, .inUse: false
        }
    }
}

extension DiskStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAFile(let path): "\(path): expected a regular file or nothing"
        case .foreign(let path, let application):
            "\(path): expected a tile cache, found a database of another program (application id \(application))"
        case .inUse(let path): "\(path): in use by another server"
        case .directory(let path, let reason): "\(path): expected a directory to write in: \(reason)"
        }
    }
}
