import Keys

/// A kind of source of tiles: what its settings are, and what the rest of the program must know of it.
package protocol SourceSettings: Sendable, Equatable {
    /// The key that says that a layer has this source.
    static var key: String { get }
    /// The source in a message, such as `a url`.
    static var wording: String { get }
    /// The keys that belong to it beside `key`.
    static var ownKeys: [String] { get }
    /// The sides of tiles that layers of this source can have, in pixels at scale 1.
    static var tileSizes: ValueRule<Int> { get }
    /// Whether the source itself says which zooms it has, how large its tiles are and whom to credit.
    static var describesItself: Bool { get }
    /// Whether the program draws the tiles: another build may draw them otherwise.
    static var isDrawn: Bool { get }
    /// Whether the tiles, or what they are made of, lie on this machine already: keeping them a second time would gain
    /// nothing.
    var isLocal: Bool { get }
    /// What the tiles are made from: equal where the same tiles come out, in every process. May read a file's properties.
    var identity: [String] { get }
    /// What is wrong with the first value that is, where they were set in code.
    var refusal: Refusal? { get }
    /// What is wrong with what the settings name. Opens files, and so may block.
    func problems() -> [SourceProblem]

    /// Reads the source and its keys; nil where it does not become clear what it is.
    static func read(_ section: inout MappingReader) -> Self?
    /// The forms of a layer with this source, for the schema: a title, and the properties beside those of all layers. The
    /// first property is required.
    static var forms: [(title: String, properties: [(String, SchemaValue)])] { get }
    /// The keys, for a table.
    static var rows: [KeyRow] { get }
}

/// What is wrong with what a source's settings name.
package struct SourceProblem: Sendable, Equatable {
    /// The key that names it.
    package let key: String
    package let message: String
    /// Whether it only looks wrong: the source can be served.
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

    /// Reports what is wrong with the files and templates that `keys` name, where those are right as far as they go.
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
    /// The sides of tiles that come from elsewhere, in pixels.
    package static var anyTileSize: ValueRule { .integer(64...4_096) }
    /// The sides of tiles that are drawn here, in pixels.
    package static var drawnTileSize: ValueRule { .oneOf([256, 512]) }
}
