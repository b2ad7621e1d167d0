/// What an answer is about, in small numbers that mean something to the responder alone: answers are counted by them, and the log
/// names them. It says nothing to the client.
public struct ResponseTag: Sendable, Equatable {
    /// The kind of the route, below `routes`; 0 where the responder names none.
    public var route: UInt8
    /// How the answer came about, below `results`; 0: it is not counted so.
    public var result: UInt8
    /// What the answer is about, and `result` is counted under; `noSlot`: nothing.
    public var slot: UInt16

    /// Kinds of routes that can be told apart.
    public static let routes = 16
    /// Results that can be told apart.
    public static let results = 16
    /// Stands for no slot.
    public static let noSlot = UInt16.max

    /// The numbers as they are; one beyond its bound counts as 0.
    @inline(__always)
    public init(route: UInt8 = 0, result: UInt8 = 0, slot: UInt16 = ResponseTag.noSlot) {
        self.route = route
        self.result = result
        self.slot = slot
    }
}
