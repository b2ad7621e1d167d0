import Testing

@testable import TileArchives

@Suite struct BulkPolicyTests {
    @Test(arguments: [
        "tile.openstreetmap.org", "a.tile.openstreetmap.org", "TILE.OpenStreetMap.org", "tile.openstreetmap.org.",
    ])
    func refusesHostsOfAPolicy(_ host: String) throws {
        let policy = try #require(BulkPolicy.forbidding(host))
        #expect(policy.address == "https://operations.osmfoundation.org/policies/tiles/")
        #expect(policy.refusal(of: host).contains(policy.address))
        #expect(policy.refusal(of: host).hasPrefix("\(host) does not allow bulk downloads: "))
    }

    @Test(arguments: [
        "evil-tile.openstreetmap.org", "eviltile.openstreetmap.org", "tile.openstreetmap.org.example",
        "evil-tile.openstreetmap.org.example", "openstreetmap.org", "org", "", ".", "..tile.example", "tile.example",
    ])
    func matchesWholeLabelsOnly(_ host: String) {
        #expect(BulkPolicy.forbidding(host) == nil)
    }

    @Test func hasCompleteRows() {
        #expect(Set(BulkPolicy.all.map(\.host)).count == BulkPolicy.all.count)
        for policy in BulkPolicy.all {
            #expect(policy.address.hasPrefix("https://"))
            #expect(policy.read.wholeMatch(of: /20\d\d-[01]\d-[0-3]\d/) != nil)
            #expect(policy.sentence.hasSuffix("."))
            #expect(policy.host == policy.host.lowercased() && !policy.host.hasPrefix("."))
        }
    }

    @Test func saysNothingUnprintable() throws {
        let policy = try #require(BulkPolicy.forbidding("tile.openstreetmap.org"))
        #expect(!policy.refusal(of: "a\n\u{1B}[2Jb").contains { $0.isNewline || $0 == "\u{1B}" })
    }
}
