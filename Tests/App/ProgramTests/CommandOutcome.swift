/// The output of a command until its end, and its status.
struct CommandOutcome {
    let output: String
    let errors: String
    let end: Program.End?

    /// Waits until the program has closed both streams and has ended.
    init(_ program: Program) {
        output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        end = program.ending()
    }
}
