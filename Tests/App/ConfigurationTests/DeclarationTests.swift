import Keys
import Testing

@testable import Configuration

/// Rules that every declared key must follow.
struct DeclarationTests {
    private static let sections: [any KeyedSettings.Type] =
        [
            Configuration.self, ServerSettings.self, ServerLimits.self, AdminSettings.self, CacheSettings.self,
            DiskSettings.self, PNGOptions.self, URLSource.self, GeoJSONSource.self, MBTilesSource.self, MapSource.self,
            MapLayer.self, CameraSection.self,
        ] + GeneratorSource.kinds.map { $0 }

    @Test(arguments: sections.indices) func readsBackEveryDefault(index: Int) {
        check(Self.sections[index])
    }

    private func check<Section: KeyedSettings>(_: Section.Type) {
        check(Section.keys, Section())
    }

    @Test func readsBackEveryLayerDefault() {
        check(
            LayerSettings.servedKeys + LayerSettings.sourceKeys,
            LayerSettings(id: "a", source: .url(URLSource(template: "u"))))
    }

    /// Checks that each key parses its own default, in the form that the tables of the documentation show, to the same
    /// value.
    private func check<Section>(_ keys: [Key<Section>], _ standard: Section) {
        #expect(Set(keys.map(\.name)).count == keys.count)
        for key in keys {
            #expect(!key.doc.isEmpty, "\(key.name)")
            #expect(key.refusal(standard) == nil, "\(key.name)")
            guard let value = key.standard(standard)?.yaml else { continue }
            let text = "\(key.name): \(value)"
            let context = MappingReader.Context(substitution: Substitution(environment: [:]))
            var reader = MappingReader(
                YAMLDocument.read(Array(text.utf8)).root, path: "", position: .start, context: context)
            var section = standard
            key.read(&reader, &section)
            #expect(reader.problems.isEmpty, "\(text): \(reader.problems.map(\.message))")
            #expect(key.standard(section)?.yaml == value)
        }
    }
}
