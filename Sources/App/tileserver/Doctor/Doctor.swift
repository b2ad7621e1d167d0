import ArgumentParser
import Configuration
import Foundation
import MapService
import TileServer

/// `tileserver doctor`: says what is well with an installation, and what to change.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what is well with the configuration, its sources and this machine, and what to change.",
        discussion: """
            Each layer's source is asked for one tile; nothing is written, and no server is needed. Run it as the user that the server \
            runs as. A line for each finding: ok, warning or fault, what it is about, and what to change. The status is 1 where there \
            are faults, and 78 where the configuration has mistakes, as with check.
            """)

    @Flag(help: "Print one JSON object, with what was measured.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        var warnings: [ConfigurationProblem] = []
        let configuration = options.load(for: .drawing, warn: { warnings.append($0) })
        var findings = [summary(of: configuration)]
        findings += warnings.map { .warning("configuration", "\($0)", "what it names") }
        let running = RunningServer(configuration)
        var facts = MachineFacts.now()
        // What this shell may have says nothing about a server that was started elsewhere.
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
