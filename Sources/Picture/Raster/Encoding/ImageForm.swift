/// The form of an encoded image: a format, or the one that suits the pixels. Keys of tiles in memory have its number in four bits.
public enum ImageForm: UInt8, Sendable, CaseIterable {
    /// Lossless, with transparency.
    case png
    /// Opaque.
    case jpeg
    /// Lossless, unless a quality is set.
    case webp
    /// The format that suits the picture and that every client can read: JPEG for an opaque photograph, else PNG.
    case auto
    /// As `auto`, for clients that read WebP: JPEG or WebP for an opaque photograph, else PNG or lossless WebP; of two that
    /// suit, the one of fewer bytes.
    case autoWebP

    /// The format that a client names; nil where the picture decides.
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
    /// Whether an image of `format` is in this form as it is. Where the picture decides, a PNG may be: only its pixels tell.
    @inlinable
    package func takes(_ format: ImageFormat) -> Bool {
        if let named = self.format { return named == format }
        return format == .jpeg || self == .autoWebP && format == .webp
    }

    /// The forms that a client can name.
    package static let named = allCases.compactMap { form in form.format.map { (form: form, format: $0) } }

    /// The form of `format`; nil if no image of this format is written.
    package init?(_ format: ImageFormat) {
        guard let found = Self.named.first(where: { $0.format == format }) else { return nil }
        self = found.form
    }

    /// The form that the suffix of a path names, without its dot. Allocates nothing.
    package init?(suffix: UnsafeRawBufferPointer) {
        guard let word = Self.word(suffix), let found = Self.suffixWords.first(where: { $0.word == word }) else {
            return nil
        }
        self = found.form
    }

    /// The form that the text `suffix` names.
    package init?(suffix: String) {
        var suffix = suffix
        guard let form = suffix.withUTF8({ ImageForm(suffix: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = form
    }

    /// Media types in lower case.
    package static let mediaTypes = named.map { (type: $0.format.codec.mediaType, form: $0.form) }

    /// All suffixes that name a form, without their dots.
    package static let suffixes = named.flatMap(\.format.suffixes)

    /// `.png, .jpg or .webp`.
    package static let usualSuffixes = named.map { ".\($0.format.suffix)" }.alternatives

    private static let suffixWords = named.flatMap { form, format in
        format.suffixes.compactMap { word($0.utf8) }.map { (word: $0, form: form) }
    }

    /// `bytes` behind a one, so that zeros in front of others count. Nil where there are more than seven.
    private static func word(_ bytes: some Collection<UInt8>) -> UInt64? {
        bytes.count < 8 ? bytes.reduce(1) { $0 << 8 | UInt64($1) } : nil
    }
}
