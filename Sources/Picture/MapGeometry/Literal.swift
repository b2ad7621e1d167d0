/// Returns the value that `make` creates from numbers in the text of a program. If `make` refuses the numbers, the
/// program has a mistake, and this function ends the process with the message of the error. Numbers that come from
/// outside the program must not reach this function: the `checked` functions of the types throw the error instead.
package func literal<Value, Failure: Error>(_ make: () throws(Failure) -> Value) -> Value {
    do throws(Failure) {
        return try make()
    } catch {
        fatalError("\(error)")
    }
}
