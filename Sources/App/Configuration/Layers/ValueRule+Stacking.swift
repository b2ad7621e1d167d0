import Keys

extension ValueRule where Value == Int {
    /// A position in a stack of layers.
    static var zIndex: ValueRule { .integer(Int(Int32.min)...Int(Int32.max)) }
}

extension ValueRule where Value == Double {
    /// The multiplier of a layer's alpha.
    static var opacity: ValueRule { .real(0...1) }
}
