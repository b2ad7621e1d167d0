import MapGeometry
import Testing

@testable import Generators
@testable import Labels

/// The names of the generator `world`.
@Suite struct WorldLabelTests {
    private static func names(zoom: Int, _ style: WorldColors = WorldColors()) throws -> [Label] {
        let group = WorldLabels(style: style).group
        let set = try #require(group.members.first?.set)
        return group.placed(zoom: zoom)[0].items(of: set).map { set.labels[$0.label] }
    }

    private static let seas = Set(WorldSea.all.map(\.name))

    @Test(arguments: [("en", "Japan"), ("ja", "日本"), ("ar", "اليابان")])
    func namesCountriesInALanguage(language: String, name: String) throws {
        var style = WorldColors()
        style.language = language
        #expect(try Self.names(zoom: 4, style).contains { $0.text == name && $0.language == language })
        for zoom in [1, 7] { #expect(try !Self.names(zoom: zoom, style).contains { $0.text == name }) }
    }

    /// Maps of the whole world name every ocean. Every sea is named at one or more zooms.
    @Test func namesAllSeasAndOceans() throws {
        let oceans = try Self.names(zoom: 2).map(\.text).filter(Self.seas.contains)
        #expect(
            Set(oceans) == [
                "NORTH\nPACIFIC\nOCEAN", "SOUTH\nPACIFIC\nOCEAN", "NORTH\nATLANTIC\nOCEAN",
                "SOUTH\nATLANTIC\nOCEAN", "INDIAN\nOCEAN", "ARCTIC OCEAN", "SOUTHERN OCEAN",
            ])
        let named = Set(try (2...7).flatMap { try Self.names(zoom: $0).map(\.text) })
        #expect(Self.seas.subtracting(named).isEmpty)
    }

    /// The map of one world ends at the antimeridian. The label of Sydney is near this edge and must not cross it.
    @Test func namesStayWithinAntimeridian() throws {
        let group = WorldLabels(style: WorldColors()).group
        let set = try #require(group.members.first?.set)
        let sydney = try #require(
            group.placed(zoom: 1)[0].items(of: set).first { set.labels[$0.label].text == "Sydney" })
        #expect(sydney.anchor.x * 512 + sydney.box.right <= 512)
    }

    @Test func importantTownsComeFirst() throws {
        let towns = Set(WorldTown.all.map(\.name))
        let names = try [0, 2, 4, 6, 8].map { zoom in try Self.names(zoom: zoom).map(\.text).filter(towns.contains) }
        #expect(names[0].isEmpty)
        #expect(names[1].contains("Moscow") && !names[1].contains("Bern"))
        for (fewer, more) in zip(names, names.dropFirst()) { #expect(fewer.count < more.count) }
        #expect(names[4].count > 4_000)
    }

    /// Germany and France had one town each at zoom 6 with the towns of Natural Earth alone.
    @Test func namesManyTownsOfEuropeAtZoom6() throws {
        let names = try Self.names(zoom: 6).map(\.text)
        for name in ["Munich", "Dresden", "Leipzig", "Stuttgart", "Lyon", "Bordeaux", "Strasbourg", "Toulouse"] {
            #expect(names.contains(name), "\(name)")
        }
    }

    /// A country's name does not cover the dot of a capital if there is another place.
    @Test func countriesKeepOffCapitals() throws {
        let names = try Set(Self.names(zoom: 5).map(\.text))
        for pair in [("France", "Paris"), ("Spain", "Madrid"), ("Germany", "Berlin"), ("Poland", "Warsaw")] {
            #expect(names.contains(pair.0) && names.contains(pair.1), "\(pair)")
        }
    }
}
