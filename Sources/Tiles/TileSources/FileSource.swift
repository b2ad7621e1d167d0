import Keys
import Tiles

/// A source that is one file on this machine.
protocol FileSource: KeyedSettings, SourceSettings {
    /// Throws what is wrong with the file. Returns what only looks wrong, in a sentence; nil if nothing does. Opens the file, and so
    /// may block.
    func checkFile() throws -> String?
}

extension FileSource {
    package var isLocal: Bool { true }

    package func check(_ section: inout MappingReader) {
        reportProblems(&section, unlessUnsound: [Self.key])
    }

    package func problems() -> [SourceProblem] {
        do {
            let doubt = try checkFile()
            return doubt.map { [SourceProblem(key: Self.key, message: $0, isWarning: true)] } ?? []
        } catch {
            return [SourceProblem(key: Self.key, message: "\(error)")]
        }
    }
}
