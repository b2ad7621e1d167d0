import Foundation
import Synchronization
import TileServer

/// The terminal of a command such as `top`, which shows live data until a key ends it. The command reads single keys
/// and uses the alternate screen. At the end, the terminal gets its former state back, even if SIGTERM, SIGHUP or
/// SIGINT ends the process.
///
/// A class to own the mode of the terminal. Thread rule: one thread, except for `restore`.
final class LiveTerminal: Sendable {
    private let restoring: Restoring
    private let signals: [SignalSource]

    /// Restores the former state of the terminal. A second call does nothing.
    private final class Restoring: Sendable {
        private let mode: termios
        private let isDone = Mutex(false)

        init(_ mode: termios) { self.mode = mode }

        func restore() {
            isDone.withLock { isDone in
                guard !isDone else { return }
                isDone = true
                LiveTerminal.write("\u{1B}[?25h\u{1B}[?1049l")
                var mode = mode
                tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            }
        }
    }

    /// Prepares the terminal for live data. Returns nil if standard input or standard output is not a terminal.
    init?() {
        var mode = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &mode) == 0 else {
            return nil
        }
        let restoring = Restoring(mode)
        self.restoring = restoring
        signals = [SIGTERM, SIGHUP, SIGINT].map { number in
            SignalSource(number) {
                restoring.restore()
                // The exit status that shells use for a process that a signal ended.
                Foundation.exit(128 + number)
            }
        }
        // Reads single keys without echo. Control-C is a key, too.
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        // Shows the alternate screen without a cursor (xterm's private modes 1049 and 25).
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    func restore() { restoring.restore() }

    /// Shows as many of `lines` as fit. They must not contain control characters.
    func show(_ lines: [String]) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        let (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
        // Writes from the top, and clears the rest of each line and of the screen (ECMA-48 8.3.21, 8.3.41, 8.3.39).
        let text = lines.prefix(rows).map { $0.prefix(columns) + "\u{1B}[K" }.joined(separator: "\r\n")
        Self.write("\u{1B}[H\(text)\u{1B}[J")
    }

    /// Waits for the given time and reads keys. Returns false at once if a user types q or control-C, or if standard
    /// input has ended.
    func waits(seconds: Double) -> Bool {
        let end = ProcessInfo.processInfo.systemUptime + seconds
        while true {
            let left = end - ProcessInfo.processInfo.systemUptime
            guard left > 0 else { return true }
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Int32(min(left * 1_000 + 1, 1e9))) > 0 else { continue }
            var key: UInt8 = 0
            guard read(STDIN_FILENO, &key, 1) == 1, ![UInt8(ascii: "q"), UInt8(ascii: "Q"), 3].contains(key) else {
                return false
            }
        }
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // A closed terminal needs no restoring.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
