/// Changes the size of pictures.
///
/// Shrinking averages the area of each pixel in linear light. A pattern of fine black and white lines then becomes the
/// grey with half of the light of white, sRGB 188. The pattern has the same brightness if it is seen from afar.
/// Enlarging uses cubic curves (Catmull-Rom) through the sRGB values, or through linear light if the other axis
/// shrinks. Text and lines in tiles are sharper this way than with linear interpolation. In linear light, dark text on
/// a light background would become too thin. The curves would also make dark and light borders around lines. Each
/// result is therefore clamped to the range of the two pixels next to it.
///
/// Colours are premultiplied by alpha, so invisible pixels do not affect any colour. A pixel with an alpha of 0 has the
/// colour 0 in the result. Thread rule: any thread that may compute for long.
public enum Resampler {
    /// Scales `pixmap` to `width` by `height` pixels, each in 1…16384. A pixmap that already has this size is returned
    /// unchanged.
    ///
    /// An opaque picture stays opaque, and an opaque picture of a single colour keeps exactly this colour.
    public static func scaled(_ pixmap: Pixmap, width: Int, height: Int) -> Pixmap {
        if width == pixmap.width, height == pixmap.height { return pixmap }
        return scaled(pixmap, from: PixelRegion(all: pixmap), width: width, height: height)
    }

    /// Scales the part of `pixmap` in `region` to `width` by `height` pixels, each in 1…16384.
    ///
    /// If the region is enlarged, pixels around it contribute to pixels near its edges. Beyond the edges of the pixmap,
    /// its edge pixels are repeated. Regions side by side that are scaled separately, by the same factor, give the
    /// same picture as one region that contains both.
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
