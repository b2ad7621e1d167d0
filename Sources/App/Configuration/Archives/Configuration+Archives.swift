import Foundation
import Keys
import TileSources

/// Adds a layer for each archive that the server finds in the directories of the key `archives`.
extension Configuration {
    /// The directories that the key `archives` names. Nothing is read from the disk until `look` is called.
    package var archiveDirectories: ArchiveDirectories {
        ArchiveDirectories(archives) { LayerSettings.complaint(about: $0) }
    }

    /// Returns a copy of this configuration with one more layer for each archive in `found`. The new layers follow the
    /// other layers. An archive is skipped if a layer or map already has its name. Archives are added only
    /// while the copy has fewer than `most` layers and maps. `beyond` has a fault for each archive over this limit.
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

    /// Reports whether a new file in a directory of the key `archives` could become the layer `id`. Returns false if
    /// the key names no directory, or if `id` is not a valid name of a layer.
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
    /// The key `archives`, a list of directories. If the caller loads the configuration with `opensSources`, the
    /// directories are read at once. A directory that cannot be read is then an error, and each file that cannot be
    /// served is a warning.
    static var archives: Key {
        Key(
            "archives", list: \.archives, of: .filledText("a directory"),
            "[directories](../guides/archives.md#serve-a-directory-of-archives): each `.mbtiles` and `.pmtiles` file "
                + "is a layer with the file's name and the keys of `layerDefaults`"
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
