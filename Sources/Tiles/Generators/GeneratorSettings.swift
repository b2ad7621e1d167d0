import Keys
import Tiles

/// The settings of a generator. The conforming type also identifies the generator.
package protocol GeneratorSettings: KeyedSettings {
    /// The generator's name in the configuration file.
    static var name: String { get }
    /// A description of the picture, in Markdown.
    static var doc: String { get }

    /// True if the generator draws text, so that its tiles depend on the fonts.
    static var drawsText: Bool { get }

    /// Returns facts about the generator's tiles, such as their zooms. A fact replaces a missing setting of the layer.
    /// Returns nil if the generator states no facts.
    func description(tileSize: TileSize) -> SourceDescription?

    /// True if the generator draws names of places.
    static var namesPlaces: Bool { get }

    /// The places whose names the generator draws, for a search. Empty if it draws no names.
    var places: [NamedPlace] { get }

    /// Returns the layer that draws the tiles with these settings.
    func layer(tileSize: TileSize) -> any SyncTileLayer
}

extension GeneratorSettings {
    package static var drawsText: Bool { false }
    package func description(tileSize: TileSize) -> SourceDescription? { nil }
    package static var namesPlaces: Bool { false }
    package var places: [NamedPlace] { [] }

    /// Reads the settings from their keys in the configuration file.
    package static func source(from section: inout MappingReader) -> GeneratorSource {
        var settings = Self()
        settings.read(&section)
        return GeneratorSource(settings)
    }

    fileprivate func isEqual(to other: any GeneratorSettings) -> Bool { other as? Self == self }

    fileprivate var text: String { "\(Self.name) \(self)" }
}

/// One of the server's built-in generators, together with its settings.
public struct GeneratorSource: Sendable, Equatable, CustomStringConvertible {
    package let settings: any GeneratorSettings

    package init(_ settings: any GeneratorSettings) {
        self.settings = settings
    }

    /// Reports whether both sources are the same generator with equal settings.
    public static func == (left: GeneratorSource, right: GeneratorSource) -> Bool {
        left.settings.isEqual(to: right.settings)
    }

    /// The name of the generator and its settings. Two sources with equal texts draw equal tiles.
    public var description: String { settings.text }
}
