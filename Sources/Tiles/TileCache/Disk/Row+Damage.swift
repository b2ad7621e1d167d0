import GRDB

/// Reading columns that may be damaged.
///
/// One flipped bit in a record's header makes an eight-byte INTEGER a REAL. GRDB's `row[0] as Int64?` ends the process
/// where such a number is beyond an `Int64` and the row is a copy, as those of `fetchAll` and `fetchOne` are.
extension Row {
    /// The integer in a column, from 0; nil where there is none, or a value of another type.
    func number(_ column: Int) -> Int64? {
        let value: DatabaseValue = self[column]
        guard case .int64(let number) = value.storage else { return nil }
        return number
    }

    /// The text in a column, from 0; nil where there is none, or a value of another type.
    func text(_ column: Int) -> String? {
        let value: DatabaseValue = self[column]
        guard case .string(let text) = value.storage else { return nil }
        return text
    }
}
