/// Small numbers that classify a response for metrics and for the log. Only the responder knows their meaning. They are
/// not sent to the client.
public struct ResponseTag: Sendable, Equatable {
    /// Kind of the route, below `routes`. 0 if the responder names none.
    public var route: UInt8
    /// How the response was produced, for example from a cache. Below `results`. 0 means that the response is not
    /// counted by result.
    public var result: UInt8
    /// The object, such as a layer, under which `result` is counted. `noSlot` means none.
    public var slot: UInt16

    /// Number of distinct routes.
    public static let routes = 16
    /// Number of distinct results.
    public static let results = 16
    /// The value for no slot.
    public static let noSlot = UInt16.max

    /// Creates a tag with these numbers. A number beyond its bound is counted as 0.
    @inline(__always)
    public init(route: UInt8 = 0, result: UInt8 = 0, slot: UInt16 = ResponseTag.noSlot) {
        self.route = route
        self.result = result
        self.slot = slot
    }
}
