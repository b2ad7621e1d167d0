import Configuration
import Foundation
import Raster
import Testing

@testable import HTTPClient
@testable import MapService
@testable import TileCache
@testable import TileSources
@testable import Tiles

/// Tests of the findings of `doctor` about machine, disk and clock, and of the numbers at which a finding changes its
/// level.
@Suite struct InstallationCheckTests {
    private func configuration(_ text: String = "") throws -> Configuration {
        try Configuration.parse(text: "layers: { a: { generator: grid } }\n" + text, file: "t.yaml")
    }

    private func facts(memory: Int? = 8 << 30, group: Int? = nil, descriptors: Int? = 1_048_576) -> MachineFacts {
        MachineFacts(groupMemory: group, memory: memory, descriptors: descriptors, time: 1_800_000_000)
    }

    private func level(_ findings: [Finding], _ subject: String) -> Finding.Level? {
        findings.first { $0.subject == subject }?.level
    }

    @Test(arguments: [(2_000, Finding.Level.ok), (999, .warning), (900, .warning), (899, .fault)])
    func comparesServerMemoryWithTheMachine(mebibytes: Int, level: Finding.Level) throws {
        let configuration = try configuration("server: { memory: 900MiB }")
        let findings = MachineCheck.findings(configuration, facts(memory: mebibytes << 20))
        #expect(self.level(findings, "server.memory") == level)
    }

    @Test func comparesWithTheControlGroupsLimitIfItIsLower() throws {
        let configuration = try configuration("server: { memory: 900MiB }")
        let findings = MachineCheck.findings(configuration, facts(group: 800 << 20))
        let finding = try #require(findings.first { $0.subject == "server.memory" })
        #expect(finding.level == .fault && finding.text.contains("control group") && finding.advice != nil)
    }

    @Test func warnsIfTilesGetLessMemoryThanConfigured() throws {
        let configuration = try configuration("server: { memory: 400MiB }\ncache: { memory: 400MiB }")
        #expect(level(MachineCheck.findings(configuration, facts()), "cache.memory") == .warning)
    }

    /// In a container of 64 MiB, the server can draw a PNG with 1,024 pixels a side, but not one with 2,048 pixels.
    @Test func namesScalesThatNeverFit() throws {
        let text =
            "layers: { a: { generator: grid }, b: { generator: relief, tileSize: 512 } }\nmaps: { m: { layers: [b] } }"
        let configuration = try Configuration.parse(text: text, file: "t.yaml")
        let warning = MachineCheck.findings(configuration, facts(group: 64 << 20)).first { $0.level == .warning }
        #expect(warning?.subject == "server.memory")
        #expect(
            warning?.text.contains("for: a @4x.webp; b @2x.webp, @3x, @4x; m @2x.webp, @3x, @4x;") == true,
            "\(warning?.text ?? "")")
        #expect(MachineCheck.findings(configuration, facts()).allSatisfy { $0.level == .ok })
    }

    /// The default needs at least 2 × (4,096 + 128) descriptors.
    @Test(arguments: [(8_448, Finding.Level.ok), (8_446, .warning), (1_024, .warning)])
    func comparesDescriptorsWithConnections(descriptors: Int, level: Finding.Level) throws {
        let findings = MachineCheck.findings(try configuration(), facts(descriptors: descriptors))
        #expect(self.level(findings, "server.limits.connections") == level)
    }

    @Test func warnsAboutImplausibleAddresses() throws {
        let open = try configuration(
            "server: { host: 0.0.0.0, trustedProxies: [0.0.0.0/0], publicURL: 'http://localhost' }")
        let findings = MachineCheck.findings(open, facts())
        #expect(level(findings, "server.trustedProxies") == .warning && level(findings, "server.publicURL") == .warning)
        let proxied = try configuration("server: { trustedProxies: [10.0.0.1], publicURL: 'https://tiles.example' }")
        #expect(MachineCheck.findings(proxied, facts()).allSatisfy { $0.level == .ok })
    }

    @Test(arguments: [
        ([Int](), Finding.Level.ok), ([60], .ok), ([-60, 5], .ok), ([61], .warning), ([-61], .warning),
        // One of three sources has a wrong clock.
        ([0, 1, 90_000], .ok),
    ])
    func comparesTheClockWithUpstreams(offsets: [Int], level: Finding.Level) {
        #expect(ClockCheck.finding(offsets, time: 1_800_000_000).level == level)
        #expect(ClockCheck.finding(offsets, time: 86_400).level == .fault)
    }

    @Test(arguments: [
        (10, 5, 5, Finding.Level.ok), (10, 5, 6, .warning), (5, 5, 1, .warning), (4, 5, 1, .fault),
    ])
    func comparesFreeDiskSpaceWithTheCacheLimits(free: Int, minFree: Int, maxBytes: Int, level: Finding.Level) throws {
        let path = NSTemporaryDirectory() + "doctor-\(UUID()).sqlite"
        var inspection = DiskInspection(path: path)
        #expect(inspection.content == .nothing && inspection.bytes == 0 && inspection.holder == nil)
        inspection.freeBytes = free << 30
        var settings = DiskSettings()
        (settings.minFree, settings.maxBytes) = (minFree << 30, maxBytes << 30)
        #expect(StorageCheck.space(inspection, settings).map(\.level) == [level])
        // The inspection creates no files.
        #expect(access(path, F_OK) != 0 && access(path + ".lock", F_OK) != 0)
    }

    @Test func readsMeminfo() {
        let text = "MemTotal:       16316412 kB\nMemFree: 5 kB\nMemAvailable:   99999999999999999999 kB\n"
        #expect(MachineFacts.memory("MemTotal", in: text) == 16_316_412 * 1_024)
        #expect(MachineFacts.memory("MemAvailable", in: text) == nil && MachineFacts.memory("Mem", in: text) == nil)
    }

    @Test(arguments: [
        (0, "0 B"), (1_023, "1023 B"), (1 << 20, "1 MiB"), (10_239, "10239 B"), (512 << 20, "512 MiB"),
        (1 << 33, "8 GiB"),
    ])
    func formatsBytes(count: Int, text: String) {
        #expect(Measure.bytes(count) == text)
    }

    @Test(arguments: [(0.0, "0 ms"), (0.9994, "999 ms"), (2.56, "2.5 s"), (.infinity, "no end")])
    func formatsSeconds(seconds: Double, text: String) {
        #expect(Measure.seconds(seconds) == text)
    }

    // MARK: Sources

    @Test(arguments: [
        ("", "0/0/0"), ("minZoom: 3", "3/4/4"), ("minZoom: 8, bounds: [5.9, 45.8, 10.5, 47.8]", "8/133/90"),
        // The bounds cross the antimeridian.
        ("minZoom: 4, bounds: [170, -10, -170, 10]", "4/0/8"), ("minZoom: 2, bounds: [-10, 80, 10, 90]", "2/2/0"),
    ])
    func asksForATileWithinBoundsAndZooms(keys: String, tile: String) throws {
        let configuration = try Configuration.parse(
            text: "layers: { a: { url: 'http://127.0.0.1/{z}/{x}/{y}'\(keys.isEmpty ? "" : ", ")\(keys) } }",
            file: "t.yaml")
        #expect(configuration.layers.first?.sampleTile.map { "\($0)" } == tile)
    }

    @Test(arguments: [(13 * 86_400, Finding.Level.warning), (14 * 86_400, .ok)])
    func warnsOfAnExpiringCertificate(seconds: Int, level: Finding.Level) throws {
        let layer = try #require(
            try Configuration.parse(text: "layers: { a: { url: 'https://127.0.0.1/{z}/{x}/{y}' } }", file: "t").layers
                .first)
        let tile = try Tile(encoding: Pixmap(width: 256, height: 256, color: .white))
        var seen = SourceExamination(answer: .result(.tile(tile), SourceTerms()))
        seen.time = 1_800_000_000
        seen.trace = UpstreamTrace(
            address: "192.0.2.1:443", resolved: 0.001, connected: 0.01, secured: 0.03, firstByte: 0.05, total: 0.06,
            tlsVersion: "TLSv1.3", certificateEnd: seen.time + seconds, tlsTrouble: nil, redirects: 0)
        let coordinate = try #require(layer.sampleTile)
        let finding = SourceVerdict(layer, at: coordinate, seen).finding
        #expect(finding.level == level && finding.text.contains("TLSv1.3") && finding.text.contains("192.0.2.1:443"))
        #expect(finding.figures["certificateDays"] == .number(Double(seconds / 86_400)))
    }
}
