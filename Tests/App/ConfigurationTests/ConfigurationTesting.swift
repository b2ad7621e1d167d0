import Configuration
import Keys

/// A valid layer for tests of other sections.
let anyLayer = "layers:\n  a: { generator: solid }\n"

/// Returns the problems of the configuration `text`, one line each. The list is empty if `text` is valid.
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

/// Parses `text` and returns the configuration.
func parsed(_ text: String, environment: [String: String] = [:]) throws -> Configuration {
    try Configuration.parse(text: text, file: "t.yaml", environment: environment)
}

/// Returns the only layer of a configuration. `keys` is the inside of the layer's flow mapping.
func layer(_ keys: String, environment: [String: String] = [:]) throws -> LayerSettings? {
    try parsed("layers: { a: { \(keys) } }", environment: environment).layers.first
}

/// Names of all generators, formatted as in an error message.
let generatorNames = alternatives(GeneratorSource.kinds.map { $0.name })

/// Names of all sources, formatted as in an error message.
let sourceNames = alternatives(LayerSource.kinds.map(\.wording))
