import Testing

@testable import Raster
@testable import TileLayers

@Suite struct GeneratorWorldDataTests {
    /// As many lines as Natural Earth has, each on the map.
    @Test(arguments: [
        (WorldAtlas.coarse.land, 128...128), (WorldAtlas.coarse.lakes, 25...25),
        (WorldAtlas.coarse.boundaries, 180...186),
        (WorldAtlas.fine.land, 1420...1422), (WorldAtlas.fine.lakes, 450...457),
        (WorldAtlas.fine.boundaries, 355...363),
    ])
    func holdsEveryLine(lines: [WorldLine], count: ClosedRange<Int>) {
        #expect(count.contains(lines.count))
        let world = WorldBox(left: 0, top: 0, right: Double(WorldData.grid), bottom: Double(WorldData.grid))
        for line in lines {
            #expect(line.places.count > 1 && line.box.left >= world.left && line.box.top >= world.top)
            #expect(line.box.right <= world.right && line.box.bottom <= world.bottom)
            // Runs are the whole line, end to end.
            let places = line.runs.indices.flatMap { line.places(ofRun: $0).dropLast() }
            #expect(places == Array(line.places.dropLast()))
        }
    }

    @Test func knowsTheTowns() throws {
        #expect(WorldTown.all.count == 243)
        #expect(WorldTown.all.first?.name == "Tokyo")
        let vancouver = try #require(WorldTown.all.first { $0.name == "Vancouver" })
        #expect(!vancouver.isCapital && vancouver.rank == 1)
        // 123.12° W, 49.27° N on the Mercator square.
        #expect(abs(vancouver.x / Double(WorldData.grid) - 0.1580) < 0.0005)
        #expect(abs(vancouver.y / Double(WorldData.grid) - 0.3423) < 0.0005)
    }

    @Test func theFontHasEveryName() {
        for town in WorldTown.all {
            for character in town.name { #expect(StrokeFont.glyphs[character] != nil, "\(town.name)") }
        }
    }

    @Test func labelsDoNotMeet() {
        for zoom in [2, 3, 4, 5, 7, 14, 30] {
            let labels = WorldLabels().labels(zoom: zoom)
            let unit = Double(256 << min(zoom, 14)) / Double(WorldData.grid)
            for (index, label) in labels.enumerated() {
                for other in labels[..<index] {
                    let (dx, dy) = ((label.town.x - other.town.x) * unit, (label.town.y - other.town.y) * unit)
                    let apart =
                        label.box.left + dx > other.box.right || label.box.right + dx < other.box.left
                        || label.box.top + dy > other.box.bottom || label.box.bottom + dy < other.box.top
                    #expect(apart, "\(label.town.name) and \(other.town.name) at \(zoom)")
                }
            }
        }
    }

    @Test func importantTownsComeFirst() {
        let names = [0, 2, 4, 14, 30].map { zoom in WorldLabels().labels(zoom: zoom).map(\.town.name) }
        #expect(names[0].isEmpty)
        #expect(names[1].contains("Tokyo") && !names[1].contains("Bern"))
        #expect(names[2].count > names[1].count)
        #expect(names[3].count == 243 && names[4] == names[3])
    }

    /// Each layer decides for itself, and all decide the same.
    @Test func labelsAreTheSameEverywhere() {
        for zoom in [2, 5, 9] { #expect(WorldLabels().labels(zoom: zoom) == WorldLabels().labels(zoom: zoom)) }
    }
}
