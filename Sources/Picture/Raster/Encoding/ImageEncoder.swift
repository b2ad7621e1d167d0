import Bytes

/// Writes pixels as PNG, JPEG or WebP.
///
/// Thread rule: a value; any thread; blocks while it computes.
public struct ImageEncoder: Sendable, Hashable {
    /// How PNG is written.
    public var png: PNGOptions
    /// Of JPEG and lossy WebP, 1…100. Nil: 80, and WebP is lossless where it is asked for by its name.
    public var quality: Int?
    /// What is seen through pixels in a JPEG, which has no transparency; what of it is translucent itself lies on white.
    public var matte: RGBA
    /// Bytes that `encode` may take, pixels included. Lossless WebP that would take more is written with less work: a few
    /// hundredths larger, in half the memory. The bound has no effect on other formats.
    package var mostMemory = Int.max

    /// Where no quality is set. Of photographs it takes a tenth of their PNG's bytes, and the loss is seen by who looks for it.
    public static let usualQuality = 80

    /// Lossless, on white, unless told otherwise.
    public init(png: PNGOptions = .standard, quality: Int? = nil, matte: RGBA = .white) {
        self.png = png
        self.quality = quality
        self.matte = matte
    }

    /// `pixmap` as `form`. `original`: the same picture as PNG where there is one, which is the answer where it suits as well and
    /// nothing takes fewer bytes. `isWanted` is asked now and then, and a no ends the work with an error; else it fails only
    /// when memory runs out.
    public func encode(
        _ pixmap: Pixmap, as form: ImageForm, original: EncodedImage? = nil, isWanted: @escaping () -> Bool = { true }
    ) throws(ImageEncodingError) -> EncodedImage {
        guard isWanted() else { throw .unwanted }
        if let format = form.format { return try encode(pixmap, as: format, isWanted) }
        return try encodeSuitably(pixmap, takesWebP: form == .autoWebP, original, isWanted)
    }

    /// Bytes a pixel that `encode` takes at most beside the pixels, as measured with noise and maps, for an image of `pixels`. What does not
    /// depend on their number does not count. `isOpaque`: it is known to be.
    public func memory(ofPixels pixels: Int, as form: ImageForm, isOpaque: Bool) -> Int {
        func most(_ format: ImageFormat, _ quality: Int?) -> Int {
            format.codec.encodingMemory(with(quality: quality), pixels, isOpaque)
        }
        if let format = form.format { return most(format, quality) }
        let jpeg = most(.jpeg, quality)
        guard form == .autoWebP else { return max(most(.png, quality), jpeg) }
        return max(most(.webp, nil), most(.webp, quality ?? Self.usualQuality) + jpeg)
    }

    /// This encoder with another `quality`.
    private func with(quality: Int?) -> ImageEncoder {
        var encoder = self
        encoder.quality = quality
        return encoder
    }

    private func encode(
        _ pixmap: Pixmap, as format: ImageFormat, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        EncodedImage(bytes: try format.codec.encode(pixmap, self, isWanted), format: format)
    }

    private func encodeSuitably(
        _ pixmap: Pixmap, takesWebP: Bool, _ original: EncodedImage?, _ isWanted: @escaping () -> Bool
    ) throws(ImageEncodingError) -> EncodedImage {
        guard pixmap.isPhotograph else {
            if !takesWebP {
                if let original { return original }
                return try encode(pixmap, as: .png, isWanted)
            }
            let webp = try with(quality: nil).encode(pixmap, as: .webp, isWanted)
            return original.map { $0.bytes.count <= webp.bytes.count ? $0 : webp } ?? webp
        }
        var image = try encode(pixmap, as: .jpeg, isWanted)
        if takesWebP {
            // Which of both is smaller at the same quality differs by picture: even slopes and noise.
            let webp = try with(quality: quality ?? Self.usualQuality).encode(pixmap, as: .webp, isWanted)
            if webp.bytes.count < image.bytes.count { image = webp }
        }
        // A saving of less than a half is not worth a loss.
        if let original, original.bytes.count < 2 * image.bytes.count { return original }
        return image
    }
}

extension Pixmap {
    /// Whether it is opaque, of more colours than a palette has, and shaded: what a lossy format is for. A drawing has areas and
    /// lines of one colour, around which such a format leaves marks.
    fileprivate var isPhotograph: Bool {
        guard isOpaque else { return false }
        let samples = PNGSamples(reducing: self)
        return samples.isFilterable && PNGRowSample(samples, size: 8 << 10).isShaded
    }
}

/// An image as it is sent.
public struct EncodedImage: Sendable, Equatable {
    /// The encoded bytes.
    public let bytes: SharedBytes
    /// What they are.
    public let format: ImageFormat

    /// `bytes` must be an image of `format`; they are not parsed here.
    public init(bytes: SharedBytes, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}
