import Testing

@testable import Fleet
@testable import MapService
@testable import TileCache
@testable import TileServer

@Suite struct ClearReportTests {
    @Test(arguments: [false, true]) func writesAllLayersLikeSingleLayers(inFleet: Bool) {
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
            "bytes": reports.reduce(0) { $0 + $1.bytes }, "layers": reports.map(Self.document),
        ]
        document["fleet"] = inFleet ? ["nodes": 3, "reached": 2] : nil
        #expect(ClearReport.body(of: reports, tellsCaches: false).text == JSONBody.bytes(document).text)
        document["cdn"] = "pending"
        #expect(ClearReport.body(of: reports, tellsCaches: true).text == JSONBody.bytes(document).text)
        #expect(
            ClearReport.body(of: [], tellsCaches: false).text
                == "{\"bytes\":0,\"entries\":0,\"layer\":\"*\",\"layers\":[]}\n")
        for report in reports {
            var document = Self.document(report)
            #expect(ClearReport.body(of: report, tellsCaches: false).text == JSONBody.bytes(document).text)
            (document["tiles"], document["cdn"]) = (4, "pending")
            #expect(ClearReport.body(of: report, tiles: 4, tellsCaches: true).text == JSONBody.bytes(document).text)
        }
    }

    private static func document(_ report: ClearReport) -> [String: Any] {
        let (cleared, memory) = (report.cleared, report.cleared.memory)
        var document: [String: Any] = [
            "layer": report.layer, "generation": Int(cleared.generation), "entries": report.entries,
            "bytes": report.bytes,
        ]
        if !cleared.tiers.isEmpty { document["memory"] = ["entries": memory.entries, "bytes": memory.bytes] }
        for tier in cleared.tiers {
            let change = tier.change
            document["\(tier.name)"] = [
                "entries": change.usage.entries, "bytes": change.usage.bytes, "complete": change.isComplete,
                "durable": change.isDurable,
            ]
        }
        document["fleet"] = report.fleet.map { ["nodes": $0.nodes, "reached": $0.reached] }
        return document
    }
}
