import Files
import Glibc
import Synchronization

/// The file in which a server stores the admin token that it has made. The file belongs to one server at a time. The
/// server holds a lock on the file, and the system releases the lock when the process ends. A second server in the same
/// directory uses another file, with its port in the name.
///
/// The server never replaces a device, a pipe or a socket at the path of the file. No command reads such a special
/// file.
///
/// A command tests the lock without taking it (`F_OFD_GETLK` in fcntl(2)). If a command took the lock, a starting
/// server would believe that another server holds the file.
///
/// The object owns the descriptor. Thread rule: any thread, each call blocks for a moment.
final class TokenFile: Sendable {
    private struct State {
        /// Nil if the token is not in a file.
        var path: String?
        /// Open as long as this server holds the file.
        var descriptor: Int32?
    }

    private enum Attempt: Equatable {
        case written, busy
        /// A device, a pipe or a socket stands at the path.
        case special(FileError.Kind)
        /// Another server has created, replaced or removed the file in the meantime.
        case changed
    }

    /// Maximum number of attempts for each path if other servers change the file in the meantime.
    private static let mostAttempts = 16

    private let directory: String
    private let state: Mutex<State>

    init(directory: String) {
        self.directory = directory
        state = Mutex(State())
    }

    deinit {
        release()
    }

    /// The path of the file. Nil before `write`, and if a device, a pipe or a socket stands at the path.
    var path: String? { state.withLock { $0.path } }

    /// Returns the path of the file. `port` nil: the file of the first server in a directory.
    static func path(in directory: String, port: Int? = nil) -> String {
        "\(directory)/admin-token" + (port.map { "-\($0)" } ?? "")
    }

    /// Writes the token `text` to a file that only this user can read. A file that another running server has locked is
    /// not replaced. Must be called while the server listens on `port`.
    ///
    /// Returns nil for a regular file. If a device, a pipe or a socket has the path of the file, returns a description
    /// of it. The token is written into it only if the write does not block.
    func write(_ text: String, port: Int) throws(AdminTokenError) -> SpecialTokenFile? {
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw AdminTokenError(path: directory, code: errno)
        }
        let own = Self.path(in: directory, port: port)
        for path in [Self.path(in: directory), own] {
            for _ in 0..<Self.mostAttempts {
                switch try attempt(text, path) {
                case .written: return nil
                case .special(let kind):
                    return SpecialTokenFile(path: path, kind: kind, fault: Self.write(text, into: path))
                case .changed: continue
                case .busy: break
                }
                break
            }
        }
        throw AdminTokenError(path: own, code: EBUSY)
    }

    /// Removes the file if this server holds it.
    func remove() {
        state.withLock { state in
            guard let descriptor = state.descriptor.take() else { return }
            if let path = state.path, Self.isSame(descriptor, path) { unlink(path) }
            close(descriptor)
        }
    }

    /// Releases the file and leaves it with its content to the next server.
    func release() {
        if let descriptor = state.withLock({ $0.descriptor.take() }) { close(descriptor) }
    }

    /// Reads the token in the file at `path`. Nil if there is no file.
    static func read(_ path: String) throws(AdminTokenError) -> PublishedToken? {
        let (bytes, isHeld): ([UInt8], Bool)
        do throws(FileError) {
            let file = try RegularFile(path, followsLink: false)
            (bytes, isHeld) = (try file.prefix(1_024), file.withDescriptor(Self.isHeld))
        } catch {
            if error.code == ENOENT { return nil }
            throw AdminTokenError(path: path, code: error.code, fault: error)
        }
        guard !bytes.isEmpty else { throw AdminTokenError(path: path, code: EINVAL) }
        let line = bytes.prefix { $0 >= 0x21 && $0 <= 0x7E }
        return PublishedToken(text: String(decoding: line, as: UTF8.self), file: path, isHeld: isHeld)
    }

    // MARK: Writing

    /// Writes into a device or a pipe. Returns the error if the write fails.
    private static func write(_ text: String, into path: String) -> FileError? {
        do throws(FileError) {
            try OutputFile.own(path).write(Array((text + "\n").utf8))
            return nil
        } catch {
            return error
        }
    }

    /// Returns the kind of the file at `path` if it is a device, a pipe or a socket. Nil for other files and for links.
    private static func specialKind(_ path: String) -> FileError.Kind? {
        var status = stat()
        guard lstat(path, &status) == 0, let kind = FileError.Kind(status.st_mode) else { return nil }
        return [.device, .pipe, .socket].contains(kind) ? kind : nil
    }

    private func attempt(_ text: String, _ path: String) throws(AdminTokenError) -> Attempt {
        // Runs before the file is opened: some devices react to being opened.
        if let kind = Self.specialKind(path) { return .special(kind) }
        do throws(FileError) {
            let draft = try Array((text + "\n").utf8).withUnsafeBufferPointer { line throws(FileError) in
                try FileDraft(UnsafeRawBufferPointer(line), beside: path, mode: 0o600)
            }
            // The result is ignored: on a file system without locks, the last server to start owns the file.
            _ = Self.lock(draft.descriptor)
            let attempt = try Self.put(draft, at: path)
            guard attempt == .written else {
                draft.discard()
                return attempt
            }
            let previous = state.withLock { state in
                defer { (state.path, state.descriptor) = (path, draft.descriptor) }
                return state.descriptor
            }
            if let previous { close(previous) }
            return .written
        } catch {
            throw AdminTokenError(path: path, code: error.code)
        }
    }

    /// Gives the file `draft` its final name `path`, unless a running server holds a lock on the file at `path`.
    ///
    /// Two servers can start at the same time. Each server locks its draft before the rename, and locks the old file
    /// before it replaces that file. The second server therefore finds that the file is locked or has changed.
    private static func put(_ draft: FileDraft, at path: String) throws(FileError) -> Attempt {
        let old = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard old >= 0 else {
            if errno == ENOENT {
                if link(draft.path, path) == 0 {
                    unlink(draft.path)
                    return .written
                }
                if errno == EEXIST { return .changed }
            }
            // A link, a file of another user, or a file system without hard links: no server of this user holds the
            // file.
            try draft.replace(path)
            return .written
        }
        defer { close(old) }
        guard lock(old) else { return .busy }
        guard isSame(old, path) else { return .changed }
        try draft.replace(path)
        return .written
    }

    // MARK: Lock

    /// F_OFD_GETLK and F_OFD_SETLK of Linux, which the Glibc module does not have.
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)

    /// Takes the lock. Returns false if another server has the lock. Returns true without a lock if the file system has
    /// no locks.
    private static func lock(_ descriptor: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        return fcntl(descriptor, setLock, &lock) == 0 || (errno != EAGAIN && errno != EACCES)
    }

    /// Reports whether a server has the lock.
    private static func isHeld(_ descriptor: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
        return fcntl(descriptor, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }
}
