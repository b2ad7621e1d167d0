/// The requested form of an encoded image. It is either a fixed format, or a rule that chooses the format from the
/// pixels. The keys of tiles in memory have four bits for a number that is made from the raw value (`TileKey.Variant`).
public enum ImageForm: UInt8, Sendable, CaseIterable {
    /// PNG: lossless, with transparency.
    case png
    /// JPEG: lossy, opaque.
    case jpeg
    /// WebP: lossless, unless a quality is set.
    case webp
    /// A format that suits the picture and that every client can read: JPEG for an opaque photograph, else PNG. A PNG
    /// from the source stays a PNG if JPEG saves less than half of its bytes.
    case auto
    /// Like `auto`, for clients that read WebP. An opaque photograph is JPEG or WebP, the smaller of the two. Any other
    /// picture is lossless WebP, or the source's PNG if that is not larger.
    case autoWebP

    /// The fixed format of the form, or nil if the pixels decide.
    @inlinable package var format: ImageFormat? {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webp
        case .auto, .autoWebP: nil
        }
    }
}

extension ImageForm {
    /// Reports whether an image of `format` has this form without being encoded again. For the forms in which the
    /// pixels decide, the result is false for a PNG, because only its pixels could tell.
    @inlinable
    package func takes(_ format: ImageFormat) -> Bool {
        if let named = self.format { return named == format }
        return format == .jpeg || self == .autoWebP && format == .webp
    }

    /// The forms with a fixed format, which a client can name.
    package static let named = allCases.compactMap { form in form.format.map { (form: form, format: $0) } }

    /// Creates the form of `format`. Returns nil if the server does not write images of this format.
    package init?(_ format: ImageFormat) {
        guard let found = Self.named.first(where: { $0.format == format }) else { return nil }
        self = found.form
    }

    /// Creates the form that a path suffix names, without its dot. Returns nil if the suffix names no form. Allocates
    /// no memory.
    package init?(suffix: UnsafeRawBufferPointer) {
        guard let word = Self.word(suffix), let found = Self.suffixWords.first(where: { $0.word == word }) else {
            return nil
        }
        self = found.form
    }

    /// Creates the form that the path suffix `suffix` names. Returns nil if the suffix names no form.
    package init?(suffix: String) {
        var suffix = suffix
        guard let form = suffix.withUTF8({ ImageForm(suffix: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = form
    }

    /// The media types of the forms, in lower case.
    package static let mediaTypes = named.map { (type: $0.format.codec.mediaType, form: $0.form) }

    /// All path suffixes that name a form, without their dots.
    package static let suffixes = named.flatMap(\.format.suffixes)

    /// The first suffix of each form as a list in words: `.png, .jpg or .webp`.
    package static let usualSuffixes = named.map { ".\($0.format.suffix)" }.alternatives

    private static let suffixWords = named.flatMap { form, format in
        format.suffixes.compactMap { word($0.utf8) }.map { (word: $0, form: form) }
    }

    /// Packs `bytes` into a number. A leading 1 keeps zeros at the front significant. Returns nil if there are more
    /// than seven bytes.
    private static func word(_ bytes: some Collection<UInt8>) -> UInt64? {
        bytes.count < 8 ? bytes.reduce(1) { $0 << 8 | UInt64($1) } : nil
    }
}
