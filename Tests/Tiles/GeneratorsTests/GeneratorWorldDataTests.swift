import Foundation
@testable import Generators
import Testing
import Text

@testable import Raster

@Suite struct GeneratorWorldDataTests {
    /// The data has as many lines as Natural Earth, and each line lies on the map.
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
            // The runs together cover the whole line.
            let places = line.runs.indices.flatMap { line.places(ofRun: $0).dropLast() }
            #expect(places == Array(line.places.dropLast()))
        }
    }

    /// Natural Earth's 243 towns, and 5,000 of GeoNames.
    @Test func containsTowns() throws {
        #expect(WorldTown.all.count == 5_243)
        #expect(WorldTown.all.first?.name == "Tokyo")
        let vancouver = try #require(WorldTown.all.first { $0.name == "Vancouver" })
        #expect(!vancouver.isCapital && vancouver.rank == 1)
        // Vancouver is at 123.12° W, 49.27° N on the Mercator square.
        #expect(abs(vancouver.place.x - 0.1580) < 0.0005 && abs(vancouver.place.y - 0.3423) < 0.0005)
        let names = Set(WorldTown.all.map(\.name))
        for name in ["Copenhagen", "Kyiv", "Munich", "Cologne", "Lyon", "Strasbourg"] { #expect(names.contains(name)) }
        #expect(!names.contains("København") && !names.contains("Kiev"))
    }

    /// 175 of Natural Earth's 177 countries have names in CLDR. Each name is there in each language.
    @Test func containsCountries() throws {
        #expect(WorldCountry.languages.count == 36 && WorldCountry.languages.first == "en")
        for language in WorldCountry.languages {
            let countries = WorldCountry.all(language: language)
            #expect(countries.count == 175 && countries.allSatisfy { !$0.name.isEmpty }, "\(language)")
        }
        for country in WorldCountry.all(language: "en") {
            #expect((0...1).contains(country.place.x) && (0...1).contains(country.place.y) && country.width > 0)
            #expect(FontList.standard.missing(in: country.name).isEmpty, "\(country.name)")
        }
        // The name lies in Germany: between 6 and 15° E, and between 47 and 55° N.
        let germany = try #require(WorldCountry.all(language: "de").first { $0.name == "Deutschland" })
        #expect((6.0...15).contains(germany.place.x * 360 - 180) && (0.315...0.352).contains(germany.place.y))
        #expect(WorldCountry.all(language: "xx").map(\.name) == WorldCountry.all(language: "en").map(\.name))
    }

    @Test func fontHasGlyphsOfAllTownNames() {
        for town in WorldTown.all {
            #expect(FontList.standard.missing(in: town.name).isEmpty, "\(town.name)")
        }
    }

    /// A smooth line goes through the places of the data, stays on the map, and has no sharp corners.
    @Test func roundsCorners() {
        for (line, smooth) in zip(WorldAtlas.fine.land, WorldAtlas.smooth.land) {
            var rest = smooth.places[...]
            for place in line.places {
                guard let index = rest.firstIndex(of: place) else {
                    Issue.record("a place is missing")
                    return
                }
                rest = rest[index...]
            }
            #expect(smooth.places.allSatisfy { (0...WorldData.grid).contains(Int($0.x)) })
            #expect(smooth.places.allSatisfy { (0...WorldData.grid).contains(Int($0.y)) })
        }
        // A square with long sides: each corner of 90° becomes many small turns.
        let corners: [(Int32, Int32)] = [
            (4_000, 4_000), (8_000, 4_000), (8_000, 8_000), (4_000, 8_000), (4_000, 4_000),
        ]
        let square = WorldLine(
            places: corners.map { WorldLine.Place(x: $0.0, y: $0.1) }, firstZoom: 0, isDisputed: false
        ).smoothed(isClosed: true)
        let steps = zip(square.places, square.places.dropFirst()).map { (Double($1.x - $0.x), Double($1.y - $0.y)) }
        for (one, other) in zip(steps, steps.dropFirst()) {
            let (cross, dot) = (one.0 * other.1 - one.1 * other.0, one.0 * other.0 + one.1 * other.1)
            #expect(abs(atan2(cross, dot)) < 0.35)
        }
    }
}
