import Keys

extension ValueRule where Value == Int {
    /// A place in a stack.
    static var zIndex: ValueRule { .integer(Int(Int32.min)...Int(Int32.max)) }
}

extension ValueRule where Value == Double {
    /// The part of its alpha with which a layer is drawn.
    static var opacity: ValueRule { .real(0...1) }
}
