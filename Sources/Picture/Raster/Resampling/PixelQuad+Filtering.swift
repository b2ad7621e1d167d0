extension PixelQuad {
    /// The four pixels, where each of the four has been taken for a channel.
    @inline(__always)
    var transposed: PixelQuad {
        let (first, second, third, fourth) = (red, green, blue, alpha)
        return PixelQuad(
            red: Lanes(first.x, second.x, third.x, fourth.x), green: Lanes(first.y, second.y, third.y, fourth.y),
            blue: Lanes(first.z, second.z, third.z, fourth.z), alpha: Lanes(first.w, second.w, third.w, fourth.w))
    }
}

extension SIMD4<Float> {
    /// A point on the curve through four, kept between the second and the third.
    @inline(__always)
    static func curve(_ first: Self, _ second: Self, _ third: Self, _ fourth: Self, _ weights: SIMD4<Float>) -> Self {
        let middle = second * weights.y + third * weights.z
        let point = middle + (first * weights.x + fourth * weights.w)
        return point.lower(second.higher(third)).higher(second.lower(third))
    }
}

extension AxisFilter {
    /// The four weights of a pixel between texels.
    func curve(at index: Int) -> SIMD4<Float> {
        SIMD4(weights[index * 4], weights[index * 4 + 1], weights[index * 4 + 2], weights[index * 4 + 3])
    }
}

extension UnsafeMutableBufferPointer<PixelQuad> {
    func add(_ row: Self, _ weight: Float) {
        for index in row.indices {
            self[index].red += row[index].red * weight
            self[index].green += row[index].green * weight
            self[index].blue += row[index].blue * weight
            self[index].alpha += row[index].alpha * weight
        }
    }

    func interpolate(_ first: Self, _ second: Self, _ third: Self, _ fourth: Self, _ weights: SIMD4<Float>) {
        for index in indices {
            let (first, second, third, fourth) = (first[index], second[index], third[index], fourth[index])
            // Between two that were kept apart from it a colour may come out above alpha.
            let alpha = Lanes.curve(first.alpha, second.alpha, third.alpha, fourth.alpha, weights)
            self[index] = PixelQuad(
                red: .curve(first.red, second.red, third.red, fourth.red, weights).lower(alpha),
                green: .curve(first.green, second.green, third.green, fourth.green, weights).lower(alpha),
                blue: .curve(first.blue, second.blue, third.blue, fourth.blue, weights).lower(alpha), alpha: alpha)
        }
    }

    /// Writes linear light as sRGB with straight alpha, as many pixels as there is room for.
    func write(to pixels: UnsafeMutableRawBufferPointer, _ steps: [UInt16]) {
        steps.withUnsafeBufferPointer { steps in
            write(to: pixels) { quad in
                let scale = Float(TransferCurve.resolution) / (quad.alpha + PixelQuad.tiny)
                func encoded(_ light: Lanes) -> SIMD4<UInt32> {
                    let numbers = (light * scale).rounded
                    return SIMD4(
                        TransferCurve.encode(numbers.x, steps), TransferCurve.encode(numbers.y, steps),
                        TransferCurve.encode(numbers.z, steps), TransferCurve.encode(numbers.w, steps))
                }
                return PixelQuad.packed(
                    encoded(quad.red), encoded(quad.green), encoded(quad.blue), alpha: (quad.alpha * 255).rounded)
            }
        }
    }
}
