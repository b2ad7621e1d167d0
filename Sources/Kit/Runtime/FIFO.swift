/// A first-in, first-out queue. Operations take constant time on average, unless their comment says otherwise.
package struct FIFO<Element> {
    private var elements: [Element] = []
    /// Index of the first element that is still in the queue.
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
        // Shortens the array when at least half of its elements have been removed.
        if head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    /// Removes and returns all elements. O(n).
    package mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return Array(elements[head...])
    }

    /// Removes and returns the first element that `matches`. Returns nil if there is none. O(n).
    package mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        elements[head...].firstIndex(where: matches).map { elements.remove(at: $0) }
    }
}

extension FIFO: Sendable where Element: Sendable {}
