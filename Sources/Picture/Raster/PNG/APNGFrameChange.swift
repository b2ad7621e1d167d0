/// The part of a frame that differs from the frame before. It is the smallest rectangle that contains all changed
/// pixels.
struct APNGFrameChange: Equatable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    /// Creates the rectangle of the whole frame.
    init(all frame: Pixmap) {
        (x, y, width, height) = (0, 0, frame.width, frame.height)
    }

    /// Creates the rectangle of the differences between two frames of equal size. If the frames are equal, the
    /// rectangle is the first pixel, because a frame must not be empty.
    init(from old: Pixmap, to new: Pixmap) {
        let size = new.width * 4
        var (left, right, top, bottom) = (size, 0, new.height, 0)
        old.bytes.withUnsafeBytes { old in
            new.bytes.withUnsafeBytes { new in
                for row in 0..<new.count / size {
                    let range = row * size..<(row + 1) * size
                    let (before, after) = (old[range], new[range])
                    guard !before.elementsEqual(after) else { continue }
                    (top, bottom) = (min(top, row), row + 1)
                    var first = 0
                    while first < left, before[range.lowerBound + first] == after[range.lowerBound + first] {
                        first += 1
                    }
                    var end = size
                    while end > right, before[range.lowerBound + end - 1] == after[range.lowerBound + end - 1] {
                        end -= 1
                    }
                    (left, right) = (min(left, first), max(right, end))
                }
            }
        }
        guard top < bottom else {
            (x, y, width, height) = (0, 0, 1, 1)
            return
        }
        (x, y) = (left / 4, top)
        (width, height) = ((right + 3) / 4 - left / 4, bottom - top)
    }

    /// Returns the pixels of `frame` inside the rectangle.
    func pixels(of frame: Pixmap) -> Pixmap {
        guard width < frame.width || height < frame.height else { return frame }
        var part = Pixmap(width: width, height: height)
        for row in 0..<height {
            let start = ((y + row) * frame.width + x) * 4
            part.bytes.replaceSubrange(
                row * width * 4..<(row + 1) * width * 4, with: frame.bytes[start..<start + width * 4])
        }
        return part
    }
}
