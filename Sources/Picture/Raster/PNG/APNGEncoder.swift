import Bytes
import CLibPNG
import Glibc

/// Encodes frames of equal size as one animated PNG (PNG Third Edition 11.3.6). Viewers without support for animations
/// show the first frame.
///
/// The caller adds one frame after the other. The encoder writes the whole first frame. For each later frame, it writes
/// only the rectangle that differs from the frame before. It therefore keeps the pixels of the last frame only. Thread
/// rule: any thread that may compute for long, one at a time.
package struct APNGEncoder: Sendable {
    /// The time for which each frame is shown, as a fraction of a second such as 1/25.
    package struct Delay: Sendable, Hashable {
        /// The numerator, 0…65535.
        package let numerator: UInt16
        /// The denominator, 1…65535.
        package let denominator: UInt16

        /// Creates the delay nearest to `seconds`, which is clamped to 0…65. If `seconds` is 1 over a whole number up
        /// to 65,535, the fraction is exact. Otherwise the unit is a tenth of a millisecond, or a millisecond
        /// from 6 s on.
        package init(seconds: Double) {
            let seconds = seconds > 0 ? min(seconds, 65) : 0
            let rate = seconds > 0 ? (1 / seconds).rounded() : 0
            if (1...65_535).contains(rate), abs(1 / rate - seconds) < 1e-9 {
                (numerator, denominator) = (1, UInt16(rate))
            } else {
                denominator = seconds < 6 ? 10_000 : 1_000
                numerator = UInt16((seconds * Double(denominator)).rounded())
            }
        }
    }

    private let width: Int
    private let height: Int
    private let kind: PNGSamples.Kind
    private let delay: Delay
    private let plays: Int
    private let effort: PNGOptions.Effort
    private var previous: Pixmap?
    /// The encoded chunks of each frame.
    private var frames: [[UInt8]] = []
    /// The sequence number of the next fcTL or fdAT chunk. Both kinds share one sequence.
    private var sequence = 0

    /// Starts an animation.
    ///
    /// - Parameters:
    ///   - width: Width of each frame in pixels, 1…16384.
    ///   - height: Height of each frame in pixels, 1…16384.
    ///   - delay: Time for which each frame is shown.
    ///   - plays: Number of times that the animation is played; 0 means forever.
    ///   - isOpaque: True to write no alpha. All frames must then be opaque.
    ///   - effort: Amount of work for compressing each frame.
    package init(
        width: Int, height: Int, delay: Delay, plays: Int = 0, isOpaque: Bool, effort: PNGOptions.Effort = .balanced
    ) {
        self.width = width
        self.height = height
        kind = isOpaque ? .rgb : .rgba
        self.delay = delay
        self.plays = max(plays, 0)
        self.effort = effort
    }

    /// The number of frames so far.
    package var count: Int { frames.count }

    /// The size of all encoded frames in bytes.
    package var size: Int { frames.reduce(0) { $0 + $1.count } }

    /// Adds `frame` as the next frame. Throws if its size differs from the size of the animation, or if memory runs
    /// out. The encoder calls `isWanted` before it compresses a row, and throws if it returns false.
    package mutating func add(_ frame: Pixmap, isWanted: @escaping () -> Bool = { true }) throws(PNGError) {
        guard frame.width == width, frame.height == height else {
            throw PNGError(
                reason: "a frame of \(frame.width) × \(frame.height) in an animation of \(width) × \(height)")
        }
        let change = previous.map { APNGFrameChange(from: $0, to: frame) } ?? APNGFrameChange(all: frame)
        let samples = PNGSamples(packing: change.pixels(of: frame), as: kind)
        let image = try PNGCodingChoice(samples, effort, isWanted: isWanted).encode()
        defer { free(image.bytes) }
        var chunks = PNGChunks()
        chunks.add("fcTL", control(change))
        sequence += 1
        for data in PNGChunks.data(of: UnsafeRawBufferPointer(start: image.bytes, count: image.size)) {
            if frames.isEmpty {
                chunks.add("IDAT", data)
            } else {
                chunks.add("fdAT", PNGChunks.bigEndian(sequence) + data)
                sequence += 1
            }
        }
        frames.append(chunks.bytes)
        previous = frame
    }

    /// Returns the animation of all frames, or nil if there are no frames.
    package func finish() -> SharedBytes? {
        guard !frames.isEmpty else { return nil }
        var head = PNGChunks()
        let colorType: UInt8 = kind == .rgb ? 2 : 6
        head.add("IHDR", PNGChunks.bigEndian(width) + PNGChunks.bigEndian(height) + [8, colorType, 0, 0, 0])
        head.add("acTL", PNGChunks.bigEndian(frames.count) + PNGChunks.bigEndian(plays))
        var end = PNGChunks()
        end.add("IEND", [])
        let parts = [PNGHeaderParser.signature, head.bytes] + frames + [end.bytes]
        return SharedBytes(capacity: parts.reduce(0) { $0 + $1.count }) { target in
            var place = 0
            for part in parts {
                UnsafeMutableRawBufferPointer(rebasing: target[place...]).copyBytes(from: part)
                place += part.count
            }
            return place
        }
    }

    /// Returns the data of an fcTL chunk: the position and size of the frame, and its delay. The new pixels replace the
    /// old ones (blend 0) and stay after the frame (dispose 0).
    private func control(_ change: APNGFrameChange) -> [UInt8] {
        let numbers = [sequence, change.width, change.height, change.x, change.y]
        let times = [delay.numerator, delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return numbers.flatMap(PNGChunks.bigEndian) + times + [0, 0]
    }
}
