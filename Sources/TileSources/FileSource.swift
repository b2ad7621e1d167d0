import Settings

/// A source that is one file on this machine.
protocol FileSource: KeyedSettings, SourceSettings {
    /// Throws what is wrong with the file. Opens it, and so may block.
    func checkFile() throws
}

extension FileSource {
    package var isLocal: Bool { true }

    package func check(_ section: inout MappingReader) {
        reportProblems(&section, unlessUnsound: [Self.key])
    }

    package func problems() -> [SourceProblem] {
        do {
            try checkFile()
            return []
        } catch {
            return [SourceProblem(key: Self.key, message: "\(error)")]
        }
    }
}
