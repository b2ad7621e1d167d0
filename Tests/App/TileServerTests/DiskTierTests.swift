import Configuration
import Logging
import TileCache
import Testing

@testable import TileServer

/// Tests of the log lines of the disk tier.
struct DiskTierTests {
    @Test(
        arguments: [
            (.writeFailed(code: 778, meaning: "disk I/O error", errno: 5), ["errno": "5", "sqlite": "778"]),
            (.writeFailed(code: 13, meaning: "full"), ["sqlite": "13", "why": "full"]),
            (.storeSkipped(why: .lowSpace(free: 7, limit: 9)), ["why": "lowSpace", "free": "7", "limit": "9"]),
            (.storeSkipped(why: .longReader), ["why": "longReader"]),
            (.purgeWidened(layer: "sea"), ["layer": "sea"]),
            (.startedOver(entries: 3, bytes: 5, lost: 4), ["n": "3", "freed": "5", "lost": "4"]),
            (.lockLost, [:]), (.lockRenewed, [:]),
            (.recovered, [:]),
        ] as [(DiskEvent, [String: String])])
    func logsPathAndNumbers(_ event: DiskEvent, _ expected: [String: String]) {
        let fields = event.fields("/var/cache.sqlite").mapValues { "\($0)" }
        #expect(fields["path"] == "/var/cache.sqlite")
        for (key, value) in expected { #expect(fields[key] == value) }
    }

    @Test(arguments: [(999, (1 << 20) - 1, false), (1_000, 0, true), (1, 1 << 20, true)])
    func logsSmallReclaimsAtDebugLevel(entries: Int, bytes: Int, isNews: Bool) {
        #expect(DiskEvent.reclaimed(entries: entries, bytes: bytes).level == (isNews ? .info : .debug))
    }

    /// Tiles on disk are stored by this fingerprint. A version with another fingerprint would lose them all.
    @Test func keepsTheFingerprintOfAURLInEveryVersion() {
        var source = URLSource(template: "https://tile.example.org/{z}/{x}/{y}{r}.png?key={key}")
        source.values = ["key": "secret"]
        source.headers = [URLSource.Header(name: "X-One", value: "1")]
        let settings = LayerSettings(id: "osm", source: .url(source))
        #expect(settings.sourceFingerprint == "ebf4c4730776b5a050d3cbeb84477312")
    }
}
