import Foundation
import TileArchives

/// Shows the progress of an export on standard error. On a terminal, overwrites one line at most 5 times per second.
/// Elsewhere, writes a new line at most once per second. Thread rule: only one thread at a time may use a line.
final class ExportLine {
    private let begin = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var pace: ExportPace
    private var shown = 0.0

    init(total: Int) { pace = ExportPace(total: total, start: 0) }

    /// Seconds between two lines.
    private var interval: Double { isTerminal ? 0.2 : 1 }

    func show(done: Int, failed: Int) {
        let seconds = begin.duration(to: .now).inSeconds
        guard seconds - shown >= interval else { return }
        shown = seconds
        pace.record(done: done, failed: failed, at: seconds)
        write(isTerminal ? "\r\u{1B}[K\(pace.sentence)" : "\(pace.sentence)\n")
    }

    /// Prints `text` as a line on standard output. First removes the progress from a terminal, so that `text` begins
    /// on an empty line.
    func print(_ text: String) {
        clear()
        Swift.print(text)
    }

    /// Removes the progress from a terminal.
    func clear() { if isTerminal, shown > 0 { write("\r\u{1B}[K") } }

    private func write(_ text: String) {
        // Without a terminal, the archive is still made.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
