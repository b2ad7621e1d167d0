import Keys
import Testing

@testable import Configuration

/// What every declared key must hold to, whoever adds one.
struct DeclarationTests {
    private static let sections: [any KeyedSettings.Type] =
        [
            Configuration.self, ServerSettings.self, ServerLimits.self, AdminSettings.self, CacheSettings.self,
            DiskSettings.self, PNGOptions.self, URLSource.self, GeoJSONSource.self, MBTilesSource.self, MapSource.self,
            MapLayer.self, CameraSection.self,
        ] + GeneratorSource.kinds.map { $0 }

    @Test(arguments: sections.indices) func defaultsCanBeWritten(index: Int) {
        check(Self.sections[index])
    }

    private func check<Section: KeyedSettings>(_: Section.Type) {
        check(Section.keys, Section())
    }

    @Test func defaultsOfLayersCanBeWritten() {
        check(
            LayerSettings.servedKeys + LayerSettings.sourceKeys,
            LayerSettings(id: "a", source: .url(URLSource(template: "u"))))
    }

    /// Reads each default as a table shows it, alone, and looks whether it is the same then.
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
