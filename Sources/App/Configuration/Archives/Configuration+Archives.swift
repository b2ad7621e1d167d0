import Foundation
import Keys
import TileSources

/// The layers of the archives in the directories of the key `archives`.
extension Configuration {
    /// The directories of `archives`, before their first look.
    package var archiveDirectories: ArchiveDirectories {
        ArchiveDirectories(archives) { LayerSettings.complaint(about: $0) }
    }

    /// Returns this configuration with a layer for each archive of `found`, after the other layers. A layer or map with
    /// the name of an archive takes precedence. At most `most` layers and maps result. The second value has a fault for
    /// each archive beyond.
    package func completed(
        by found: FoundArchives, atMost most: Int
    ) -> (configuration: Configuration, beyond: [FoundArchives.Fault]) {
        let taken = Set((layers + maps).map(\.id))
        let archives = found.archives.filter { !taken.contains($0.name) }
        let room = max(most - layers.count - maps.count, 0)
        var completed = self
        completed.layers += archives.prefix(room).map { LayerSettings($0, defaults: layerDefaults) }
        let beyond = archives.dropFirst(room).map {
            FoundArchives.Fault(path: $0.path, reason: .tooMany(limit: most))
        }
        return (completed, beyond)
    }

    /// Reports whether an archive in a directory of `archives` could bring a layer `id`.
    package func mayGainLayer(_ id: String) -> Bool {
        !archives.isEmpty && LayerSettings.complaint(about: id) == nil
    }
}

extension LayerSettings {
    fileprivate init(_ archive: FoundArchives.Archive, defaults: LayerSettings?) {
        let source: LayerSource =
            switch archive.format {
            case .mbtiles: .mbtiles(path: archive.path)
            case .pmtiles: .pmtiles(location: archive.path)
            }
        self = defaults ?? LayerSettings(id: archive.name, source: source)
        (id, self.source) = (archive.name, source)
    }
}

extension Key<Configuration> {
    /// The key `archives`. The directories must be readable if sources are opened. Each file that is not served is a
    /// warning then.
    static var archives: Key {
        Key(
            "archives", list: \.archives, of: .filledText("a directory"),
            "[directories](../guides/archives.md#serve-a-directory-of-archives): each `.mbtiles` and `.pmtiles` file "
                + "is a layer of its name, with the keys of `layerDefaults`"
        ).following { section, configuration in
            for index in configuration.archives.indices {
                configuration.archives[index] = section.located(configuration.archives[index], for: "archives")
            }
            section.context.mayGainLayers = !configuration.archives.isEmpty
            guard section.context.opensSources else { return }
            var directories = configuration.archiveDirectories
            let found = directories.look(now: Int(Date.now.timeIntervalSince1970))
            section.context.archives = found.archives.map(\.name)
            for fault in found.faults {
                if case .directory = fault.reason {
                    section.complain("archives", "\(fault)")
                } else {
                    section.warn("archives", "\(fault)")
                }
            }
        }
    }
}
