import Settings

extension PNGSettings {
    /// Reads the keys below `png`.
    mutating func read(_ section: inout MappingReader) {
        section.value("effort", .choice, into: &effort)
        section.value("quantize", .integer(4...256, orNone: "off"), into: &quantize)
    }
}
