import Bytes
import CLibPNG
import Glibc

/// Writes frames of one size as one animated PNG (PNG Third Edition 11.3.6), which shows its first frame where animations
/// are not known.
///
/// Frames come one by one, and none but the last is kept: of each is written only the rectangle that differs from the
/// frame before. Thread rule: any thread, one at a time; `add` blocks while it computes.
package struct APNGEncoder: Sendable {
    /// How long each frame is shown, in seconds.
    package struct Delay: Sendable, Hashable {
        /// Over `denominator`, 0…65535.
        package let numerator: UInt16
        /// 1…65535.
        package let denominator: UInt16

        /// The delay nearest to `seconds`, which is clamped to 0…65: one over a whole number where it is that, else
        /// tenths of a millisecond, or milliseconds from 6 s on.
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
    /// The chunks of each frame.
    private var frames: [[UInt8]] = []
    /// Of the next fcTL or fdAT: one count for both.
    private var sequence = 0

    /// Begins an animation.
    ///
    /// - Parameters:
    ///   - width: of each frame in pixels, 1…16384.
    ///   - height: of each frame in pixels, 1…16384.
    ///   - delay: of each frame.
    ///   - plays: how often it is shown; 0 is for ever.
    ///   - isOpaque: whether alpha is left out; frames must be opaque then.
    ///   - effort: how much work goes into each frame.
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

    /// How many frames there are by now.
    package var count: Int { frames.count }

    /// Bytes that they take.
    package var size: Int { frames.reduce(0) { $0 + $1.count } }

    /// Adds `frame` behind the others. Throws where its size is another one, memory runs out, or `isWanted`, which is asked
    /// before each row that is compressed, says no.
    package mutating func add(_ frame: Pixmap, isWanted: @escaping () -> Bool = { true }) throws(PNGError) {
        guard frame.width == width, frame.height == height else {
            throw PNGError(reason: "a frame of \(frame.width) × \(frame.height) among \(width) × \(height)")
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

    /// The animation of all frames, of which there must be at least one; nil where there is none.
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

    /// fcTL: where the pixels go and how long they are shown. They replace what was there (blend 0), and stay (dispose 0).
    private func control(_ change: APNGFrameChange) -> [UInt8] {
        let numbers = [sequence, change.width, change.height, change.x, change.y]
        let times = [delay.numerator, delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return numbers.flatMap(PNGChunks.bigEndian) + times + [0, 0]
    }
}
