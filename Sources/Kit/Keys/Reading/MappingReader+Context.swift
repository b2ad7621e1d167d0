extension MappingReader {
    /// What a value may need beside its own text.
    package struct Context {
        package let substitution: Substitution
        /// Whether files are opened to judge what stands in them, and templates read.
        package var opensSources = false
        /// The directory that relative paths count from; empty for the working directory.
        package var directory = ""
        /// What all layers have beside their own keys.
        package var layerDefaults: SharedEntries?
        /// The ids of the layers that a map may draw.
        package var layers: [String] = []
        /// The ids of the maps, which none may draw.
        package var maps: [String] = []

        package init(substitution: Substitution) {
            self.substitution = substitution
        }

        /// Takes every text as it stands.
        static let verbatim = Context(substitution: Substitution(environment: nil))
    }

    /// One problem with its place.
    package struct Problem {
        package let position: Position
        package let path: String
        package let message: String
        /// Whether it may be right all the same.
        package let isWarning: Bool

        package init(position: Position, path: String, message: String, isWarning: Bool = false) {
            self.position = position
            self.path = path
            self.message = message
            self.isWarning = isWarning
        }
    }
}
