/// What waits for its turn: the first that came is the first that goes. Every operation is O(1), amortised.
package struct FIFO<Element> {
    private var elements: [Element] = []
    /// The index of the first that still waits.
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }

    package var first: Element? { head < elements.count ? elements[head] : nil }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        // The array is shortened when half of it is done with.
        if head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    package mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return Array(elements[head...])
    }

    /// Takes out the first that `matches`, and nothing where there is none. O(n).
    package mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        elements[head...].firstIndex(where: matches).map { elements.remove(at: $0) }
    }
}

extension FIFO: Sendable where Element: Sendable {}
