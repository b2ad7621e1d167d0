import Keys

extension Configuration {
    /// The JSON Schema (draft 2020-12) of the configuration file, made from the declarations of its keys.
    package static var jsonSchema: String {
        let document = SchemaValue(
            [
                ("$schema", "https://json-schema.org/draft/2020-12/schema"),
                ("title", "Configuration of tileserver"),
            ]
                + schema.members + [("$defs", SchemaValue(definitions))])
        return document.json() + "\n"
    }

    private static var definitions: [(String, SchemaValue)] {
        let forms = LayerSource.kinds.flatMap { kind in kind.forms.map { (form: $0, sample: kind.sample) } }
        let names = forms.map { "layer-" + $0.form.title.replacing(" ", with: "-") }
        let references = names.map { SchemaValue(dictionaryLiteral: ("$ref", .text("#/$defs/\($0)"))) }
        let shared = sharedKeys.map { ("key-\($0.0)", $0.1) }
        let layers = zip(names, forms).map { name, kind in
            let keys = LayerSettings.properties(LayerSettings.servedKeys + LayerSettings.sourceKeys, for: kind.sample)
            let required = kind.form.properties.first.map { [SchemaValue.text($0.0)] } ?? []
            return (name, object(kind.form.properties, keys, ["required": .list(required)]))
        }
        let map = object(
            MapSource.properties, LayerSettings.properties(LayerSettings.servedKeys, for: .map(MapSource())),
            ["anyOf": [["required": ["layers"]], ["required": ["base"]]]])
        let variable: SchemaValue = [
            "description": "reference to an environment variable: ${NAME}, or ${NAME:-text} with a default text",
            "type": "string", "pattern": "\\$\\{",
        ]
        return [("layer", ["oneOf": .list(references)]), ("map", map)] + layers + shared + [("variable", variable)]
    }

    /// The keys of all layers, in the form for layers with a URL.
    fileprivate static let sharedKeys = LayerSettings.properties(
        LayerSettings.servedKeys + LayerSettings.sourceKeys, for: .url(URLSource()))

    /// Returns the schema of a mapping with its `own` keys and with `keys`, which other layers have too. A key of
    /// `keys` with the usual schema becomes a reference.
    private static func object(
        _ own: [(String, SchemaValue)], _ keys: [(String, SchemaValue)], _ more: SchemaValue
    ) -> SchemaValue {
        let shared = Dictionary(uniqueKeysWithValues: sharedKeys.map { ($0.0, $0.1.json()) })
        let named = keys.map { name, schema in
            (name, shared[name] == schema.json() ? ["$ref": .text("#/$defs/key-\(name)")] : schema)
        }
        return SchemaValue(
            [("type", "object"), ("additionalProperties", false)] + more.members
                + [("properties", SchemaValue(own + named))])
    }
}

extension LayerSettings {
    /// The schema of `layerDefaults`: the keys that all layers may have.
    static var defaultsSchema: SchemaValue {
        let keys = Configuration.sharedKeys.map {
            ($0.0, SchemaValue(dictionaryLiteral: ("$ref", .text("#/$defs/key-\($0.0)"))))
        }
        return [
            "description": "keys that all layers share; a key in a layer takes precedence", "type": ["object", "null"],
            "additionalProperties": false, "properties": SchemaValue(keys),
        ]
    }
}
