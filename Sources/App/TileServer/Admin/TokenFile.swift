import Files
import Glibc
import Synchronization

/// The file of a token that a server has made. It belongs to one server at a time: the server holds a lock on the file, which
/// the system drops when the process ends. Another server in the same directory has its port in its file's name.
///
/// A device, a pipe or a socket in the place of the file stays there. It belongs to no server, and no command reads it.
///
/// The lock is one of an open file description (fcntl(2)), so that a command can ask whether the file is held without taking
/// the lock itself. A server that starts at that moment would take such a lock for another server's.
///
/// A class to own the descriptor. Thread rule: any thread, each call blocks for a moment.
final class TokenFile: Sendable {
    private struct State {
        /// Nil while the token is in no file.
        var path: String?
        /// Open as long as the file is this server's.
        var descriptor: Int32?
    }

    private enum Attempt: Equatable {
        case written, busy
        /// The path leads to a device, a pipe or a socket.
        case special(FileError.Kind)
        /// The file is another one than a moment ago, because another server was quicker or has gone.
        case changed
    }

    /// The most changes of the file by other servers while this one starts.
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

    /// Nil before `write`, and if a device, a pipe or a socket is in the place of the file.
    var path: String? { state.withLock { $0.path } }

    /// The path of the file. `port` nil: the file of the first server in a directory.
    static func path(in directory: String, port: Int? = nil) -> String {
        "\(directory)/admin-token" + (port.map { "-\($0)" } ?? "")
    }

    /// Writes `text` to a file that only this user can read, and replaces a file that no running server holds. Call it when
    /// the server listens on `port`.
    ///
    /// Writes into a device or a pipe in the place of the file, if that needs no waiting. Returns what is there then, and nil
    /// for a file.
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

    /// Removes the file if it is this server's.
    func remove() {
        state.withLock { state in
            guard let descriptor = state.descriptor.take() else { return }
            if let path = state.path, Self.isSame(descriptor, path) { unlink(path) }
            close(descriptor)
        }
    }

    /// Leaves the file, with what is in it, to the next server.
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

    /// Writes into a device or a pipe. Returns the reason if that fails.
    private static func write(_ text: String, into path: String) -> FileError? {
        do throws(FileError) {
            try OutputFile.own(path).write(Array((text + "\n").utf8))
            return nil
        } catch {
            return error
        }
    }

    /// The kind of the file at `path` if that is a device, a pipe or a socket. Nil otherwise, also for a link.
    private static func specialKind(_ path: String) -> FileError.Kind? {
        var status = stat()
        guard lstat(path, &status) == 0, let kind = FileError.Kind(status.st_mode) else { return nil }
        return [.device, .pipe, .socket].contains(kind) ? kind : nil
    }

    private func attempt(_ text: String, _ path: String) throws(AdminTokenError) -> Attempt {
        // Before a file is opened: some devices act when they are opened.
        if let kind = Self.specialKind(path) { return .special(kind) }
        do throws(FileError) {
            let draft = try Array((text + "\n").utf8).withUnsafeBufferPointer { line throws(FileError) in
                try FileDraft(UnsafeRawBufferPointer(line), beside: path, mode: 0o600)
            }
            // Where the file system knows no locks, the last server to start has the file.
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

    /// Gives the draft the name `path`, unless a running server holds the file there.
    ///
    /// Of two servers that start at once each holds a lock on its draft before the draft has the name, and on what was there before
    /// it takes that file's place: the second one finds the file held, or changed.
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
            // A link, or the file of another user: no server of this user holds it.
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

    /// F_OFD_GETLK and F_OFD_SETLK of Linux, which Glibc's module leaves out.
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)

    /// Takes the lock. Returns false if another server has it.
    private static func lock(_ descriptor: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        return fcntl(descriptor, setLock, &lock) == 0 || (errno != EAGAIN && errno != EACCES)
    }

    /// Whether a server has the lock.
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
