import Generators
import Keys
import Text
import Tiles

extension GeneratorSource {
    /// All generators.
    package static let kinds: [any GeneratorSettings.Type] = [
        SolidSource.self,
        CheckerboardSource.self,
        LineSource<GridLayer>.self,
        LineSource<GraticuleLayer>.self,
        OddColumnsSource.self,
        WorldColors.self,
        ReliefSource.self,
        MandelbrotSource.self,
        DaylightSource.self,
        PNGFormsSource.self,
    ]
}

extension GeneratorSource: SourceSettings {
    package static let key = "generator"
    package static let wording = "a generator"
    package static let isDrawn = true
    package static var tileSizes: ValueRule<Int> { .drawnTileSize }

    /// All keys that belong to a generator.
    package static let ownKeys: [String] = kinds.reduce(into: []) { keys, kind in
        for key in kind.keyNames where !keys.contains(key) { keys.append(key) }
    }

    package var isLocal: Bool { false }
    package var identity: [String] {
        ["\(self)"] + (type(of: settings).drawsText ? [FontList.process.identity] : [])
    }
    package var refusal: Refusal? { settings.refusal }

    /// Reads which generator a layer uses, and the keys of this generator. Returns nil if there is no such generator.
    package static func read(_ section: inout MappingReader) -> GeneratorSource? {
        var kind: (any GeneratorSettings.Type)?
        section.value(key, .generator, into: &kind)
        guard let kind else {
            if section.isSound(key) { section.complain(key, "expected a generator, found nothing") }
            section.acknowledge(ownKeys)
            return nil
        }
        let own = kind.keyNames
        for key in ownKeys where !own.contains(key) {
            let others = own.isEmpty ? "has no keys of its own" : "does not have this key, only \(alternatives(own))"
            section.refuse(key, "the generator \(kind.name) \(others)")
        }
        return kind.source(from: &section)
    }

    package static var forms: [(title: String, properties: [(String, SchemaValue)])] {
        kinds.map { kind in
            let name: SchemaValue = ["const": .text(kind.name), "description": .text(withoutLinks(kind.doc))]
            return ("generator \(kind.name)", [(key, name)] + kind.properties)
        }
    }

    /// Empty: each generator has its own rows.
    package static var rows: [KeyRow] { [] }
}

extension ValueRule where Value == any GeneratorSettings.Type {
    /// A generator by its name.
    fileprivate static var generator: ValueRule {
        .oneOf(GeneratorSource.kinds.map { ($0.name, $0) }) { .text($0.name) }
    }
}
