import Configuration
import Keys

/// A layer that is right, for tests about something else.
let anyLayer = "layers:\n  a: { generator: solid }\n"

/// What is wrong with `text`, one line each; empty where nothing is.
func problems(
    _ text: String, environment: [String: String] = [:], overrides: Configuration.Overrides = .init(),
    opensSources: Bool = false
) -> [String] {
    do throws(ConfigurationErrors) {
        _ = try Configuration.parse(
            text: text, file: "t.yaml", environment: environment, overrides: overrides,
            opensSources: opensSources)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// The configuration that `text` says.
func parsed(_ text: String, environment: [String: String] = [:]) throws -> Configuration {
    try Configuration.parse(text: text, file: "t.yaml", environment: environment)
}

/// The only layer that `keys`, a flow mapping's inside, says.
func layer(_ keys: String, environment: [String: String] = [:]) throws -> LayerSettings? {
    try parsed("layers: { a: { \(keys) } }", environment: environment).layers.first
}

/// All generators, as a message lists them.
let generatorNames = alternatives(GeneratorSource.kinds.map { $0.name })

/// All sources, as a message lists them.
let sourceNames = alternatives(LayerSource.kinds.map(\.wording))
