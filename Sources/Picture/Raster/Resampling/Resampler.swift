/// Makes pictures larger and smaller.
///
/// What becomes smaller is averaged by area, in the light that the colours stand for: fine black and white lines seen
/// from afar are as bright as half of the white, which is sRGB 188. What becomes larger is put on cubic curves (Catmull
/// and Rom) through the sRGB values: of tiles with text and lines they are crisper than straight lines between the
/// pixels, and dark text on light ground keeps its weight, which it loses in linear light. Each result is kept between
/// the pixels next to it, since the dark and light rims that such curves make around lines are worse than none.
///
/// Everything is premultiplied by alpha: what cannot be seen has no part in any colour. A pixel with an alpha of 0 has
/// no colour in the result. Thread rule: any thread; computes.
public enum Resampler {
    /// All of `pixmap` in `width` by `height` pixels, each in 1…16384. Of the same size it comes back as it is.
    ///
    /// An opaque picture stays opaque, and one of a single colour keeps exactly that.
    public static func scaled(_ pixmap: Pixmap, width: Int, height: Int) -> Pixmap {
        if width == pixmap.width, height == pixmap.height { return pixmap }
        return scaled(pixmap, from: PixelRegion(all: pixmap), width: width, height: height)
    }

    /// The part of `pixmap` in `region`, in `width` by `height` pixels, each in 1…16384.
    ///
    /// Pixels around the region take part where they are near enough; beyond its edges the pixmap goes on with the
    /// pixels there. Regions side by side, scaled alike one by one, make the picture that they make together.
    package static func scaled(_ pixmap: Pixmap, from region: PixelRegion, width: Int, height: Int) -> Pixmap {
        var result = Pixmap(width: width, height: height)
        let columns = AxisFilter(region.columns, count: width)
        let rows = AxisFilter(region.rows, count: height)
        let isShrinking = columns.isShrinking || rows.isShrinking
        var source = FilteredRows(pixmap, columns, isShrinking ? .linearLight : .identity)
        result.bytes.withUnsafeMutableBytes { bytes in
            pixmap.bytes.withUnsafeBytes { pixels in
                for row in 0..<height {
                    source.write(
                        row, rows, of: pixels,
                        to: UnsafeMutableRawBufferPointer(rebasing: bytes[(row * width * 4)...].prefix(width * 4)))
                }
            }
        }
        return result
    }
}
