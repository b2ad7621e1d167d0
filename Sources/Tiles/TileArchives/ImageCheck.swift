import Bytes
import Raster

/// A check that the images of an archive are not damaged and have the expected format. Decoding takes most of the time
/// of a check, so equal images are decoded only once.
///
/// Memory: about 80 MiB for the hashes of 1,048,576 different images (see `ImageNumbers`). The check does not remember
/// further images, and decodes them each time.
package struct ImageCheck: Sendable {
    /// Maximum bytes of an image that the check of an archive reads: 32 MiB. The tiles that the server serves are
    /// smaller.
    package static let largestImage = 32 << 20

    private var numbers: ImageNumbers
    private let limit: Int
    private var faults: [Int64: String] = [:]
    /// The format that all images must have.
    private let format: ImageFormat?

    /// Creates a check that remembers at most `limit` different images. Each image must have the format `format`. If
    /// `format` is nil, images may have any format.
    package init(format: ImageFormat?, limit: Int = 1 << 20) {
        (self.format, self.limit) = (format, limit)
        numbers = ImageNumbers(limit: limit)
    }

    /// The number of different images that were checked. Nil if there were more than `limit` different images.
    package var count: UInt64? { numbers.count <= limit ? UInt64(numbers.count) : nil }

    /// Checks `image`. Returns the fault, or nil if the image has no fault. The fault is the end of a sentence that
    /// begins with the tile, such as `is damaged: …`.
    package mutating func fault(_ image: SharedBytes) -> String? {
        let (number, isNew) = numbers.number(of: image)
        guard isNew else { return faults[number] }
        let fault = fault(decoding: image)
        // The check of an archive ends long before the dictionary is full.
        if let fault, faults.count < ArchiveFaults.mostReported { faults[number] = fault }
        return fault
    }

    private func fault(decoding image: SharedBytes) -> String? {
        do {
            let found = try ImageHeader(parsing: image).format
            // The server sends a GIF as it is, and cannot decode one.
            if found.traits.contains(.isDecoded) { _ = try ImageDecoder.decode(image) }
            guard let format, found != format else { return nil }
            return "is an image of the format \(found), but the archive says \(format)"
        } catch {
            return "is damaged: \(error)"
        }
    }
}
