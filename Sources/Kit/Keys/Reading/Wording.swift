import Bytes

/// Returns `text` in quotes for a message. Control and non-ASCII characters are escaped, so that look-alikes differ.
/// Shows at most 64 characters.
package func quoted(_ text: String) -> String {
    "\"\(escaped(text))\""
}

/// Returns `text` like `quoted`, but without the quotes.
package func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars.prefix(64) {
        switch character {
        case "\"", "\\": result += "\\\(character)"
        case " "..."~": result.unicodeScalars.append(character)
        default: result += "\\u{\(String(character.value, radix: 16, uppercase: true))}"
        }
    }
    return text.unicodeScalars.count > 64 ? result + "…" : result
}

/// Returns the code point of `character`, such as `U+0007`.
package func named(_ character: Unicode.Scalar) -> String {
    let digits = String(character.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// Returns `a, b or c`.
package func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

/// Returns the candidate that is most similar to `name`. Returns nil if none is similar, or if `name` has more than 64
/// bytes.
func nearestName(to name: String, among candidates: [String]) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let best = candidates.map { ($0, editDistance(name, $0)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, min(name.utf8.count, best.0.utf8.count) / 3) else { return nil }
    return best.0
}

/// Returns ` (did you mean …?)` if a candidate is similar to `name`, otherwise an empty text.
package func hint(for name: String, among candidates: [String]) -> String {
    nearestName(to: name, among: candidates).map { " (did you mean \($0)?)" } ?? ""
}

/// Returns how many edits are needed to turn `left` into `right`, to suggest the nearest name for a typing error. An
/// edit inserts, deletes or replaces a byte, or swaps two neighbours (optimal string alignment). Letter case is
/// ignored.
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.map(ASCII.lowercased))
    let right = Array(right.utf8.map(ASCII.lowercased))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            let substituted = last[j] + (left[i] == right[j] ? 0 : 1)
            var distance = min(substituted, last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                distance = min(distance, beforeLast[j - 1] + 1)
            }
            row.append(distance)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}

/// Returns a hint for a text such as `port:80`, which lacks the space between key and value. Returns nil for any other
/// text, including a URL with a slash after the colon. The hint does not show the value, which may be secret.
package func spaceHint(for text: String) -> String? {
    let name = text.utf8.prefix { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    let rest = text.utf8.dropFirst(name.count)
    guard let first = name.first, ASCII.isLetter(first), rest.first == UInt8(ascii: ":"),
        let next = rest.dropFirst().first, !" \t/".utf8.contains(next)
    else { return nil }
    return "a space is missing after the colon of \(quoted("\(Substring(name)):"))"
}
