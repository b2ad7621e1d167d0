extension UnsafeMutableBufferPointer<PixelQuad> {
    /// Writes the pixels with straight alpha. Writes as many pixels as `pixels` has room for.
    func write(to pixels: UnsafeMutableRawBufferPointer) {
        write(to: pixels) { $0.straight }
    }

    /// Converts each four pixels by `straight` and writes them. Writes as many pixels as `pixels` has room for.
    @inline(__always)
    func write(to pixels: UnsafeMutableRawBufferPointer, straight: (PixelQuad) -> SIMD4<UInt32>) {
        let whole = pixels.count / 16
        for index in 0..<whole {
            pixels.storeBytes(of: straight(self[index]), toByteOffset: index * 16, as: SIMD4<UInt32>.self)
        }
        let rest = UnsafeMutableRawBufferPointer(rebasing: pixels[(whole * 16)...])
        guard !rest.isEmpty else { return }
        Swift.withUnsafeBytes(of: straight(self[whole])) { four in
            rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: four[..<rest.count]))
        }
    }
}
