import MapService
import Testing

@testable import TileCache
@testable import TileServer

@Suite struct ClearReportTests {
    @Test(arguments: [false, true]) func allLayersAreWrittenAsEachIs(inFleet: Bool) {
        let change = StoreChange(usage: StoreUsage(entries: 7, bytes: 8), isComplete: false, isDurable: true)
        let tiers = ["disk", "fleet"].map { (name: StaticString) in TileLoader.Cleared.Tier(name: name, change: change)
        }
        let reports = [[], Array(tiers.prefix(1)), tiers].enumerated().map { number, tiers in
            var usage = MemoryStore.Usage()
            (usage.entries, usage.bytes) = (number, number * 9)
            return ClearReport(
                layer: "land-\(number)_x", cleared: .init(generation: .max, memory: usage, tiers: tiers),
                fleet: inFleet ? .init(nodes: 3, reached: 2) : nil)
        }
        var document: [String: Any] = [
            "layer": "*", "entries": reports.reduce(0) { $0 + $1.entries },
            "bytes": reports.reduce(0) { $0 + $1.bytes }, "layers": reports.map(\.document),
        ]
        document["fleet"] = inFleet ? ["nodes": 3, "reached": 2] : nil
        #expect(ClearReport.body(of: reports, tellsCaches: false).text == JSONBody.bytes(document).text)
        document["cdn"] = "pending"
        #expect(ClearReport.body(of: reports, tellsCaches: true).text == JSONBody.bytes(document).text)
        #expect(
            ClearReport.body(of: [], tellsCaches: false).text
                == "{\"bytes\":0,\"entries\":0,\"layer\":\"*\",\"layers\":[]}\n")
    }
}
