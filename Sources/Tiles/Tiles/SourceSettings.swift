import Keys

/// The settings of one kind of tile source, for example of a URL template. The type also states facts about this kind
/// of source, which the program needs to read a configuration and to document it.
package protocol SourceSettings: Sendable, Equatable {
    /// The key that gives a layer this source.
    static var key: String { get }
    /// The name of the source in messages, such as `a url`.
    static var wording: String { get }
    /// The keys of the source besides `key`.
    static var ownKeys: [String] { get }
    /// Allowed tile sizes of layers with this source, in pixels at scale 1.
    static var tileSizes: ValueRule<Int> { get }
    /// True if the source itself states its zooms, its tile size and its credit.
    static var describesItself: Bool { get }
    /// True if the server looks every second whether the source has changed, and then makes the layer again.
    static var isWatched: Bool { get }
    /// True if the program draws the tiles. Another version of the program may then draw them differently.
    static var isDrawn: Bool { get }
    /// True if the tiles, or the data for drawing them, are already on this machine. Storing them a second time would
    /// gain nothing.
    var isLocal: Bool { get }
    /// Texts that identify the content of the tiles. Equal settings have equal texts in all processes, except for a
    /// GeoJSON file: its texts also include its device, inode, size and modification time. May read a file's
    /// properties.
    var identity: [String] { get }
    /// The first invalid value in settings that code has set. Nil if all are valid.
    var refusal: Refusal? { get }
    /// Checks the files and addresses in the settings, and returns their problems. Opens files, so it may block.
    func problems() -> [SourceProblem]

    /// Reads the settings of the source from the configuration of a layer. Returns nil if the source cannot be
    /// determined.
    static func read(_ section: inout MappingReader) -> Self?
    /// The forms of a layer with this source for the schema: a title, and the properties besides the common ones. The
    /// first property is required.
    static var forms: [(title: String, properties: [(String, SchemaValue)])] { get }
    /// The keys for a table in the documentation.
    static var rows: [KeyRow] { get }
}

/// A problem with a file or an address in a source's settings.
package struct SourceProblem: Sendable, Equatable {
    /// The key with the problem.
    package let key: String
    package let message: String
    /// True if the source can be served despite the problem.
    package let isWarning: Bool

    package init(key: String, message: String, isWarning: Bool = false) {
        self.key = key
        self.message = message
        self.isWarning = isWarning
    }
}

extension SourceSettings {
    package static var describesItself: Bool { false }
    package static var isDrawn: Bool { false }
    package static var isWatched: Bool { false }
    package func problems() -> [SourceProblem] { [] }
}

extension SourceSettings where Self: KeyedSettings {
    package static var ownKeys: [String] { keyNames.filter { $0 != key } }

    package static var forms: [(title: String, properties: [(String, SchemaValue)])] {
        [(key, properties.filter { $0.0 == key } + properties.filter { $0.0 != key })]
    }

    package static func read(_ section: inout MappingReader) -> Self? {
        var source = Self()
        source.read(&section)
        return source
    }

    /// Reports the problems of the files and templates that `keys` name. Does nothing if the value of one of these keys
    /// is invalid, or if the reader must not open files.
    package func reportProblems(_ section: inout MappingReader, unlessUnsound keys: [String]) {
        guard section.context.opensSources, keys.allSatisfy(section.isSound) else { return }
        for problem in problems() {
            if problem.isWarning {
                section.warn(problem.key, problem.message)
            } else {
                section.complain(problem.key, problem.message)
            }
        }
    }
}

extension ValueRule where Value == Int {
    /// Allowed sides of tiles that the server does not draw, in pixels.
    package static var anyTileSize: ValueRule { .integer(64...4_096) }
    /// Allowed sides of tiles that the server draws, in pixels.
    package static var drawnTileSize: ValueRule { .oneOf([256, 512]) }
}
