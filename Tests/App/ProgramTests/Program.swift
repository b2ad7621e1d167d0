import Foundation
import Glibc
import TestSupport
import Testing

/// The executable of the server, started as a process. It is a class because `deinit` ends the process and removes its
/// temporary directory.
final class Program {
    /// The other end of a standard stream of the process.
    enum Stream {
        /// A pipe with a buffer of one page.
        case pipe
        /// A terminal, which ends its lines with CR LF.
        case terminal
        case closed
    }

    /// The exit status or the signal that ended the process.
    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    let pid: pid_t
    private(set) var output: Int32 = -1
    private(set) var errors: Int32 = -1
    /// The descriptor for typing into a terminal, or -1 if there is none.
    private(set) var input: Int32 = -1
    let directory: String
    private var end: End?

    /// Starts the executable with `arguments`. `configuration` is the text of the file that the command reads, or nil
    /// for no file. `place` is the working directory. `input` is a terminal or closed. If `place` or `input` is nil,
    /// the process inherits it from the tests. `environment` is added to the environment of the tests. `socket` is
    /// passed as a service manager passes it. `limits` are commands of the shell that starts the program.
    init(
        _ arguments: [String], configuration: String?, output: Stream = .pipe, errors: Stream = .pipe,
        input: Stream? = nil, fillsErrors: Bool = false, in place: String? = nil,
        environment added: [String: String] = [:],
        socket: Int32? = nil, limits: String? = nil
    ) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let file = "\(directory)/tileserver.yaml"
        try ((configuration ?? "") + "\ncache: { directory: \(directory) }\n").write(
            toFile: file, atomically: true, encoding: .utf8)
        // The process must not inherit blocked or ignored signals from the test runner.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var theirs: [Int32] = []
        defer { theirs.forEach { close($0) } }
        func connect(_ stream: Stream, to number: Int32) throws -> Int32 {
            guard stream != .closed else {
                posix_spawn_file_actions_addclose(&actions, number)
                return -1
            }
            var ends: [Int32] = [0, 0]
            if stream == .terminal {
                ends[0] = open("/dev/ptmx", O_RDWR | O_NOCTTY)
                // TIOCSPTLCK and TIOCGPTPEER. The Glibc module has neither these constants nor `unlockpt` and
                // `ptsname`.
                var lock: CInt = 0
                try #require(ioctl(ends[0], 0x4004_5431, &lock) == 0)
                ends[1] = ioctl(ends[0], 0x5441, O_RDWR | O_NOCTTY)
                try #require(ends[1] >= 0)
            } else {
                try #require(pipe(&ends) == 0)
                // F_SETPIPE_SZ, which the Glibc module does not have.
                try #require(fcntl(ends[1], 1031, 4_096) == 4_096)
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            theirs.append(ends[1])
            posix_spawn_file_actions_adddup2(&actions, ends[1], number)
            return ends[0]
        }
        if let input {
            try #require(input != .pipe)
            self.input = try connect(input, to: STDIN_FILENO)
        }
        self.output = try connect(output, to: STDOUT_FILENO)
        self.errors = try connect(errors, to: STDERR_FILENO)
        if fillsErrors, let full = theirs.last {
            #expect(write(full, [UInt8](repeating: 10, count: 4_096), 4_096) == 4_096)
        }
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: executable).deletingLastPathComponent().appending(path: "tileserver").path
        if let socket { posix_spawn_file_actions_adddup2(&actions, socket, 3) }
        // A shell sets up the process and then becomes the program by `exec`. The Glibc module does not have
        // `posix_spawn_file_actions_addchdir_np`, and only the shell knows the number of the process.
        let listens = socket == nil ? "" : "export LISTEN_FDS=1 LISTEN_PID=$$; "
        let needsShell = place != nil || socket != nil || limits != nil
        let script = "\(listens)\(limits.map { "\($0); " } ?? "")cd \"$0\" && exec \"$@\""
        let start = needsShell ? ["/bin/sh", "-c", script, place ?? ".", path] : [path]
        var words = (start + arguments + (configuration == nil ? [] : ["--config", file])).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TILESERVER_") }
        variables.merge(added) { $1 }
        // A report of the address sanitizer about leaks fills the pipe, and no test reads it. `scripts/test-addresses`
        // finds the leaks of the tests' own process.
        if let options = variables["ASAN_OPTIONS"] { variables["ASAN_OPTIONS"] = options + ":detect_leaks=0" }
        var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { environment.forEach { free($0) } }
        var pid = pid_t()
        let failure = posix_spawn(&pid, start[0], &actions, &attributes, &words, &environment)
        try #require(failure == 0, "\(path) cannot be run")
        self.pid = pid
    }

    deinit {
        if end == nil {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
        // A directory left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: directory)
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Types a line into the terminal.
    func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #expect(write(input, bytes, bytes.count) == bytes.count)
    }

    /// Waits for the end of the program. Returns nil if it does not end within `Patience.seconds`.
    func ending() -> End? { eventuallyBlocking { hasEnded() } ? end : nil }

    private func hasEnded() -> Bool {
        var status: Int32 = 0
        guard end == nil, waitpid(pid, &status, WNOHANG) == pid else { return end != nil }
        end = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
        return true
    }

    /// A moment of the program's start, named by the line that the dynamic linker prints right before it. Signals are
    /// blocked at both moments.
    enum Moment: String, CaseIterable {
        /// Before the constructors of the first library.
        case libraries = "calling init: "
        /// Before `main`.
        case main = "transferring control: "

        /// The environment in which glibc's dynamic linker prints these lines to standard error.
        static let environment = ["LD_DEBUG": "libs"]
        /// The moments at which signals are blocked. With a sanitizer this is `main` only, because the sanitizer and
        /// its libraries start first.
        static let blocked = isSanitized ? [main] : allCases

        private static let isSanitized: Bool = {
            guard let tests = dlopen(nil, RTLD_NOW) else { return false }
            return dlsym(tests, "__asan_init") != nil || dlsym(tests, "__tsan_init") != nil
        }()
    }

    /// Waits until the program reaches `moment`. Returns false if the program ends before. The program must be
    /// started with `Moment.environment`. The program continues until its next lines fill the pipe, which holds one
    /// page, so the caller must read `errors`.
    func reaches(_ moment: Moment) -> Bool {
        var (isBlocked, isReached) = (false, false)
        _ = lines(of: errors) { line in
            isBlocked = isBlocked || line.contains("calling preinit: ")
            isReached = isBlocked && line.contains(moment.rawValue)
            return isReached
        }
        return isReached
    }

    /// Reads lines from `descriptor` up to the first line for which `isLast` returns true, or to the end.
    func lines(of descriptor: Int32, until isLast: (Substring) -> Bool) -> [Substring] {
        var text: [UInt8] = []
        var seen = 0
        var lines: [Substring] = []
        while let more = bytes(of: descriptor), !more.isEmpty {
            text += more
            while let end = text[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Substring(decoding: text[seen..<end], as: UTF8.self))
                seen = end + 1
                if let last = lines.last, isLast(last) { return lines }
            }
        }
        return lines
    }

    /// Returns the port of the line that the server prints when it listens, or nil if the process ends before.
    func port() -> Int? {
        let line = lines(of: output) { _ in true }.first
        return line?.firstMatch(of: /on http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) }
    }
}
