import Keys
import Tiles

/// What a generator draws with; the type stands for the generator itself.
package protocol GeneratorSettings: KeyedSettings {
    /// The generator's name in the file.
    static var name: String { get }
    /// What it draws, in Markdown.
    static var doc: String { get }

    /// What draws the tiles.
    func layer(tileSize: TileSize) -> any SyncTileLayer
}

extension GeneratorSettings {
    /// Reads the keys.
    package static func source(from section: inout MappingReader) -> GeneratorSource {
        var settings = Self()
        settings.read(&section)
        return GeneratorSource(settings)
    }

    fileprivate func isEqual(to other: any GeneratorSettings) -> Bool { other as? Self == self }

    fileprivate var text: String { "\(Self.name) \(self)" }
}

/// Which of the generators built into the server draws the tiles, and with what.
public struct GeneratorSource: Sendable, Equatable, CustomStringConvertible {
    package let settings: any GeneratorSettings

    package init(_ settings: any GeneratorSettings) {
        self.settings = settings
    }

    /// Whether both are the same generator with equal settings.
    public static func == (left: GeneratorSource, right: GeneratorSource) -> Bool {
        left.settings.isEqual(to: right.settings)
    }

    /// The generator and its settings: the same text for the same tiles.
    public var description: String { settings.text }
}
