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

    @Test func containsTowns() throws {
        #expect(WorldTown.all.count == 243)
        #expect(WorldTown.all.first?.name == "Tokyo")
        let vancouver = try #require(WorldTown.all.first { $0.name == "Vancouver" })
        #expect(!vancouver.isCapital && vancouver.rank == 1)
        // Vancouver is at 123.12° W, 49.27° N on the Mercator square.
        #expect(abs(vancouver.x / Double(WorldData.grid) - 0.1580) < 0.0005)
        #expect(abs(vancouver.y / Double(WorldData.grid) - 0.3423) < 0.0005)
    }

    /// 175 of Natural Earth's 177 countries have names in CLDR. Each name is there in each language.
    @Test func containsCountries() throws {
        #expect(WorldCountry.languages.count == 36 && WorldCountry.languages.first == "en")
        for language in WorldCountry.languages {
            let countries = WorldCountry.all(language: language)
            #expect(countries.count == 175 && countries.allSatisfy { !$0.name.isEmpty }, "\(language)")
        }
        let side = Double(WorldData.grid)
        for country in WorldCountry.all(language: "en") {
            #expect((0...side).contains(country.x) && (0...side).contains(country.y) && country.width > 0)
            #expect(FontList.standard.missing(in: country.name).isEmpty, "\(country.name)")
        }
        // The name lies in Germany: between 6 and 15° E, and between 47 and 55° N.
        let germany = try #require(WorldCountry.all(language: "de").first { $0.name == "Deutschland" })
        #expect((6.0...15).contains(germany.x / side * 360 - 180) && (0.315...0.352).contains(germany.y / side))
        #expect(WorldCountry.all(language: "xx").map(\.name) == WorldCountry.all(language: "en").map(\.name))
    }

    @Test(arguments: [("en", "Japan"), ("ja", "日本"), ("ar", "اليابان")])
    func namesCountriesInALanguage(language: String, name: String) {
        let labels = WorldLabels(language: language)
        #expect(labels.names(zoom: 4).countries.contains { $0.lines.joined() == name })
        #expect(labels.names(zoom: 1).countries.isEmpty && labels.names(zoom: 7).countries.isEmpty)
    }

    @Test func fontHasGlyphsOfAllTownNames() {
        for town in WorldTown.all {
            #expect(FontList.standard.missing(in: town.name).isEmpty, "\(town.name)")
        }
    }

    @Test func namesDoNotOverlap() {
        for zoom in [2, 3, 4, 5, 6, 7, 14, 30] {
            let names = WorldLabels().names(zoom: zoom)
            let unit = Double(256 << min(zoom, 14)) / Double(WorldData.grid)
            let all =
                names.towns.map { ($0.town.name, $0.town.x * unit, $0.town.y * unit, $0.box) }
                + names.seas.map { ($0.sea.lines.joined(), $0.sea.x * unit, $0.sea.y * unit, $0.box) }
                + names.countries.map { ($0.country.name, $0.country.x * unit, $0.country.y * unit, $0.box) }
            for (index, (name, x, y, box)) in all.enumerated() {
                for (other, otherX, otherY, otherBox) in all[..<index] {
                    let (dx, dy) = (x - otherX, y - otherY)
                    let apart =
                        box.left + dx > otherBox.right || box.right + dx < otherBox.left
                        || box.top + dy > otherBox.bottom || box.bottom + dy < otherBox.top
                    #expect(apart, "\(name) and \(other) at \(zoom)")
                }
            }
        }
    }

    /// Maps of the whole world name every ocean. Every sea is named at one or more zooms.
    @Test func namesAllSeasAndOceans() {
        let oceans = WorldLabels().names(zoom: 2).seas.map { $0.sea.lines.joined(separator: " ") }
        #expect(
            Set(oceans) == [
                "NORTH PACIFIC OCEAN", "SOUTH PACIFIC OCEAN", "NORTH ATLANTIC OCEAN", "SOUTH ATLANTIC OCEAN",
                "INDIAN OCEAN", "ARCTIC OCEAN", "SOUTHERN OCEAN",
            ])
        let named = (2...7).flatMap { WorldLabels().names(zoom: $0).seas.map(\.sea.lines) }
        for sea in WorldSea.all { #expect(named.contains(sea.lines), "\(sea.lines)") }
    }

    /// The map of one world ends at the antimeridian. The label of Sydney is near this edge and must not cross it.
    @Test func namesStayWithinAntimeridian() throws {
        let sydney = try #require(WorldLabels().names(zoom: 1).towns.first { $0.town.name == "Sydney" })
        #expect(sydney.town.x / Double(WorldData.grid) * 512 + sydney.box.right <= 512)
    }

    @Test func importantTownsComeFirst() {
        let names = [0, 2, 4, 14, 30].map { zoom in WorldLabels().names(zoom: zoom).towns.map(\.town.name) }
        #expect(names[0].isEmpty)
        #expect(names[1].contains("Tokyo") && !names[1].contains("Bern"))
        #expect(names[2].count > names[1].count)
        #expect(names[3].count == 243 && names[4] == names[3])
    }

    /// Each layer computes its labels itself, and all layers get the same labels.
    @Test func labelsAreDeterministic() {
        for zoom in [2, 5, 9] { #expect(WorldLabels().names(zoom: zoom) == WorldLabels().names(zoom: zoom)) }
    }
}
