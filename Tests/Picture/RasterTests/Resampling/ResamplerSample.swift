@testable import Raster

/// Scaled pictures that numpy computed in double precision. Shrinking sums exact shares of area in linear light (IEC
/// 61966-2-1). Enlarging uses Keys' kernel and keeps the result between the nearest two values. Halves are rounded up.
struct ResamplerSample: Sendable {
    let width: Int
    let height: Int
    let isOpaque: Bool
    /// x, y, width and height of the region.
    let region: [Double]
    let scaledWidth: Int
    let scaledHeight: Int
    let expected: [UInt8]

    /// Makes a picture in the same way as numpy. Every fifth pixel from the fourth on is transparent unless all pixels
    /// are opaque.
    static func picture(width: Int, height: Int, isOpaque: Bool) -> Pixmap {
        var pixmap = Pixmap(width: width, height: height)
        for index in pixmap.bytes.indices {
            let value = UInt8((index * index * 37 + index * 101 + 13) % 256)
            let isAlpha = index % 4 == 3
            pixmap.bytes[index] = isAlpha && isOpaque ? 255 : isAlpha && index / 4 % 5 == 3 ? 0 : value
        }
        return pixmap
    }

    static let sixByFourToHalf = ResamplerSample(
        width: 6, height: 4, isOpaque: true, region: [0, 0, 6, 4], scaledWidth: 3, scaledHeight: 2,
        expected: [
            169, 118, 161, 255, 149, 125, 177, 255, 115, 97, 174, 255, 198, 146, 143, 255, 96, 168, 133, 255, 99, 180,
            151, 255,
        ])

    static let translucentToHalf = ResamplerSample(
        width: 6, height: 4, isOpaque: false, region: [0, 0, 6, 4], scaledWidth: 3, scaledHeight: 2,
        expected: [
            189, 148, 156, 107, 124, 94, 138, 74, 116, 107, 174, 155, 228, 95, 36, 22, 98, 169, 117, 115, 43, 192,
            163, 112,
        ])

    static let sevenByFiveToThreeByTwo = ResamplerSample(
        width: 7, height: 5, isOpaque: false, region: [0, 0, 7, 5], scaledWidth: 3, scaledHeight: 2,
        expected: [
            163, 150, 141, 111, 89, 108, 171, 109, 169, 89, 150, 72, 99, 213, 108, 108, 175, 120, 185, 68, 181, 128,
            149, 60,
        ])

    static let narrower = ResamplerSample(
        width: 5, height: 3, isOpaque: false, region: [0, 0, 5, 3], scaledWidth: 4, scaledHeight: 3,
        expected: [
            140, 155, 125, 155, 204, 138, 144, 227, 117, 79, 115, 90, 93, 135, 251, 148, 193, 21, 173, 123, 147, 39,
            203, 28, 105, 11, 247, 18, 145, 131, 191, 55, 42, 92, 111, 96, 92, 122, 9, 143, 253, 103, 27, 10, 101, 31,
            35, 90,
        ])

    static let narrowerAndHigher = ResamplerSample(
        width: 3, height: 3, isOpaque: false, region: [0, 0, 3, 3], scaledWidth: 2, scaledHeight: 5,
        expected: [
            170, 157, 134, 168, 172, 116, 132, 226, 158, 153, 166, 130, 170, 108, 162, 209, 93, 135, 251, 62, 164, 88,
            208, 161, 122, 96, 247, 35, 156, 75, 223, 67, 153, 42, 193, 26, 105, 11, 247, 15,
        ])

    static let twice = ResamplerSample(
        width: 3, height: 2, isOpaque: true, region: [0, 0, 3, 2], scaledWidth: 6, scaledHeight: 4,
        expected: [
            13, 151, 107, 255, 62, 155, 119, 255, 203, 163, 152, 255, 232, 147, 154, 255, 148, 96, 125, 255, 117, 79,
            115, 255, 41, 152, 132, 255, 78, 155, 143, 255, 182, 160, 172, 255, 207, 139, 171, 255, 152, 85, 139, 255,
            132, 67, 127, 255, 125, 154, 206, 255, 123, 154, 213, 255, 120, 150, 231, 255, 134, 117, 220, 255, 166,
            53, 178, 255, 178, 31, 163, 255, 153, 155, 231, 255, 138, 154, 237, 255, 98, 147, 251, 255, 109, 110, 237,
            255, 171, 42, 191, 255, 193, 19, 175, 255,
        ])

    static let larger = ResamplerSample(
        width: 3, height: 2, isOpaque: false, region: [0, 0, 3, 2], scaledWidth: 5, scaledHeight: 4,
        expected: [
            13, 151, 107, 137, 135, 162, 136, 172, 241, 163, 159, 229, 174, 113, 135, 229, 117, 79, 115, 225, 13, 151,
            107, 109, 130, 161, 148, 151, 216, 158, 175, 220, 169, 107, 147, 217, 128, 70, 124, 210, 13, 151, 107, 28,
            103, 153, 212, 92, 128, 142, 229, 194, 154, 83, 191, 183, 172, 36, 158, 164, 0, 0, 0, 0, 83, 147, 255, 71,
            93, 135, 251, 185, 147, 72, 210, 171, 193, 19, 175, 149,
        ])

    static let part = ResamplerSample(
        width: 4, height: 4, isOpaque: false, region: [0.5, 1.25, 1.5, 1.5], scaledWidth: 3, scaledHeight: 3,
        expected: [
            111, 113, 237, 181, 170, 45, 193, 166, 205, 9, 160, 119, 116, 111, 247, 99, 160, 67, 198, 111, 168, 32,
            176, 90, 158, 140, 196, 14, 155, 138, 195, 55, 126, 114, 191, 69,
        ])

    static let beyondAllEdges = ResamplerSample(
        width: 4, height: 4, isOpaque: false, region: [-1, -1, 6, 6], scaledWidth: 3, scaledHeight: 3,
        expected: [
            13, 151, 107, 137, 193, 130, 139, 227, 0, 0, 0, 0, 93, 135, 251, 93, 162, 72, 169, 75, 68, 113, 111, 133,
            253, 103, 27, 25, 101, 31, 35, 57, 9, 235, 23, 141,
        ])

    static let overACorner = ResamplerSample(
        width: 4, height: 4, isOpaque: false, region: [-0.5, 3, 2, 2], scaledWidth: 4, scaledHeight: 4,
        expected: [
            255, 94, 0, 16, 255, 94, 0, 16, 255, 140, 32, 14, 193, 205, 195, 9, 253, 103, 27, 25, 253, 103, 27, 25,
            255, 114, 26, 17, 0, 0, 0, 0, 253, 103, 27, 25, 253, 103, 27, 25, 255, 114, 26, 17, 0, 0, 0, 0, 253, 103,
            27, 25, 253, 103, 27, 25, 255, 114, 26, 17, 0, 0, 0, 0,
        ])

    static let all = [
        sixByFourToHalf, translucentToHalf, sevenByFiveToThreeByTwo, narrower, narrowerAndHigher, twice,
        larger, part, beyondAllEdges, overACorner,
    ]
}
