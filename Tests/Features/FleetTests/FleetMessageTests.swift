import MapGeometry
import TestSupport
import Testing
import TileCache

@testable import Fleet

@Suite struct FleetMessageTests {
    static let messages = [
        FleetMessage(layer: "osm", content: .clear(generation: 4_294_967_295), node: "a", name: "a-1"),
        FleetMessage(
            layer: "osm", content: .purge(previous: .zero, .everything, isSoft: false), node: "a.example", name: "a-2"),
        FleetMessage(
            layer: "osm",
            content: .purge(
                previous: StreamID(milliseconds: 7, sequence: 9),
                .box(
                    TileBox(
                        zooms: 2...3, northWest: WorldPoint(x: 0.9, y: 0.1), southEast: WorldPoint(x: 0.1, y: 0.4))),
                isSoft: true), node: "A_b", name: "x"),
    ]

    @Test(arguments: messages) func decodesEncodedMessage(message: FleetMessage) {
        #expect(FleetMessage(fields: message.fields) == message)
    }

    @Test func decodesEncodedTileSet() throws {
        let tiles = try (0..<300).map { try #require(TileCoordinate(z: 14, x: $0 * 31, y: $0 * 7)) }
        let area = TileArea.set(try #require(TileSet(tiles)))
        #expect(TileArea(fleetText: area.fleetText) == area)
    }

    @Test(arguments: [
        "", "box", "box 0-0", "box 0-0 0,0,0", "box 0-0 0,0,0,0 0,0,0,0", "box 0-0 1,0,0,0", "box 1-0 0,0,0,0",
        "box 31-31 0,0,0,0", "box +0-0 0,0,0,0", "box 0-0 0,0,0,00", "box 0-0 0,0,0,-1", "set", "set ", "set !!",
        "set AQ",
        "tile 1/1/1", "box 0-0  0,0,0,0",
    ]) func rejectsInvalidArea(text: String) {
        #expect(TileArea(fleetText: text) == nil)
    }

    @Test func rejectsInvalidMessage() {
        let good = Self.messages[0].fields
        #expect(FleetMessage(fields: good) != nil)
        for index in good.indices {
            var fields = good
            fields.remove(at: index)
            #expect(FleetMessage(fields: fields) == nil)
            fields = good
            fields[index].name = "other"
            #expect(FleetMessage(fields: fields) == nil)
            for value in ["", " ", "a\r\n", String(repeating: "a", count: 97), "é", "-1"]
            where index != 2 || value != "-1" {
                guard index > 0, !(value == "-1" && index < 4) else { continue }
                fields = good
                fields[index].value = value
                #expect(FleetMessage(fields: fields) == nil, "\(good[index].name): \(value)")
            }
        }
        #expect(FleetMessage(fields: good + [("more", "1")]) == nil)
        #expect(FleetMessage(fields: [("kind", "clear")]) == nil)
    }

    @Test(arguments: ["", "-", "1", "1-", "-1", "01-0", "1-01", "+1-0", "1-0-0", " 1-0", "9007199254740992-0", "1.0-0"])
    func rejectsInvalidID(text: String) {
        #expect(StreamID(text) == nil)
    }

    @Test func ordersIDsByTime() throws {
        let texts = ["0-0", "0-1", "1-0", "1-9", "1-10", "2-0", "10-0", "9007199254740991-9007199254740991"]
        let ids = try texts.map { try #require(StreamID($0)) }
        #expect(ids.sorted() == ids && ids.map(\.description) == texts)
    }
}

@Suite struct PurgeListTests {
    static func id(_ number: UInt64) -> StreamID { StreamID(milliseconds: number, sequence: 0) }
    let tile = TileCoordinate(z: 1, x: 0, y: 0)
    let other = TileCoordinate(z: 1, x: 1, y: 0)

    @Test func removesTileOfLaterPurge() throws {
        let (tile, other) = (try #require(tile), try #require(other))
        var list = PurgeList()
        list.add(Self.id(5), .box(TileBox(tile)), isSoft: false)
        list.add(Self.id(7), .box(TileBox(other)), isSoft: true)
        #expect(list.verdict(on: tile, stamp: Self.id(4)) == .gone)
        #expect(list.verdict(on: tile, stamp: Self.id(5)) == .valid)
        #expect(list.verdict(on: other, stamp: Self.id(4)) == .stale)
        #expect(list.verdict(on: other, stamp: Self.id(7)) == .valid)
        list.add(Self.id(8), .everything, isSoft: false)
        #expect(list.verdict(on: other, stamp: Self.id(6)) == .gone)
    }

    @Test func removesTilesOlderThanRememberedPurges() throws {
        let (tile, other) = (try #require(tile), try #require(other))
        var list = PurgeList()
        for number in 1...UInt64(PurgeList.most) { list.add(Self.id(number), .box(TileBox(other)), isSoft: false) }
        #expect(list.verdict(on: tile, stamp: .zero) == .valid)
        list.add(Self.id(1_000), .box(TileBox(other)), isSoft: false)
        #expect(list.verdict(on: tile, stamp: .zero) == .gone)
        #expect(list.verdict(on: tile, stamp: Self.id(1)) == .valid)
        list.forget(upTo: Self.id(2_000))
        #expect(list.verdict(on: tile, stamp: Self.id(1_999)) == .gone)
        #expect(list.verdict(on: tile, stamp: Self.id(2_000)) == .valid)
    }
}
