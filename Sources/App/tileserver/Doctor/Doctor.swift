import ArgumentParser
import Configuration
import Foundation
import MapService
import TileServer

/// The command `tileserver doctor`. It checks the configuration, the sources and this machine, and tells what to
/// change.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration, its sources and this machine, and suggest changes.",
        discussion: """
            The command asks each layer's source for one tile. It writes nothing and needs no server. \
            Run it as the user of the \
            server. Each finding is one line: ok, warning or fault, the subject, \
            and what to change. The status is 1 if there are \
            faults, and 78 if the configuration has mistakes, as with check.
            """)

    @Flag(help: "Print one JSON object with all measurements.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        var warnings: [ConfigurationProblem] = []
        let configuration = options.load(for: .drawing, warn: { warnings.append($0) })
        var findings = [summary(of: configuration)]
        findings += warnings.map { .warning("configuration", "\($0)", "correct what the warning names") }
        let running = RunningServer(configuration)
        var facts = MachineFacts.now()
        // The limits of this shell say nothing about a server that was started elsewhere.
        if let limit = running.process?.descriptorLimit { facts.descriptors = limit }
        do {
            findings += try await InstallationCheck.findings(configuration, facts)
        } catch {
            throw CommandError(error, status: EX_OSERR)
        }
        findings += running.findings()
        let report = DoctorReport(findings)
        print(json ? report.json : report.text(colored: DoctorReport.wantsColor), terminator: "")
        if report.hasFaults { throw ExitCode(1) }
    }

    private func summary(of configuration: Configuration) -> Finding {
        let layers = counted(configuration.layers.count, "layer")
        let maps = counted(configuration.maps.count, "map")
        return .ok("configuration", "\(options.file ?? "--url"): \(layers), \(maps), no mistakes")
    }
}

/// Formats the findings of `doctor` as the output of the command.
struct DoctorReport {
    private let findings: [Finding]

    init(_ findings: [Finding]) { self.findings = findings }

    var hasFaults: Bool { count(.fault) > 0 }

    /// True if standard output is a terminal with colours, and its user did not turn them off (no-color.org).
    static var wantsColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }

    // MARK: For people

    /// Returns a line for each finding, and a line for the total.
    func text(colored: Bool) -> String {
        let width = min(findings.map(\.subject.count).max() ?? 0, 40)
        let lines = findings.map { finding in
            let level = finding.level.rawValue.padded(to: 7)
            let advice = finding.advice.map { ". Change: \($0)" } ?? ""
            return "\(colored ? Self.color(finding.level, level) : level)  \(finding.subject.padded(to: width))  "
                + "\(finding.text.shown())\(advice.shown())\n"
        }
        return lines.joined()
            + "\(counted(count(.fault), "fault")), \(counted(count(.warning), "warning")), \(count(.ok)) ok\n"
    }

    /// Colours the text with SGR sequences (ECMA-48 8.3.117).
    private static func color(_ level: Finding.Level, _ text: String) -> String {
        let code =
            switch level {
            case .ok: "32"
            case .warning: "33"
            case .fault: "31"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    // MARK: For programs

    /// A JSON object and a line feed.
    var json: String {
        let document = Document(
            version: TileServer.version,
            faults: count(.fault), warnings: count(.warning),
            findings: findings.map {
                Entry(
                    level: $0.level.rawValue, subject: $0.subject, text: $0.text, change: $0.advice,
                    figures: $0.figures.isEmpty ? nil : $0.figures)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding never fails: the values are texts and finite numbers.
        let bytes = (try? encoder.encode(document)) ?? Data()
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        let version: String
        let faults: Int
        let warnings: Int
        let findings: [Entry]
    }

    private struct Entry: Encodable {
        let level: String
        let subject: String
        let text: String
        let change: String?
        let figures: [String: Finding.Figure]?
    }
}

extension String {
    /// Adds spaces up to a width of at least `width` characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
