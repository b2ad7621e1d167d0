import Bytes
import Keys
import Tiles

extension URLSource: KeyedSettings, SourceSettings {
    package static let keys: [Key<URLSource>] = [
        Key(
            key, path: \.template, "a URL template",
            "URL template: `http:`, `https:` or `file:`"),
        Key(
            "values",
            schema: [
                "type": ["object", "null"], "propertyNames": ["pattern": "^[A-Za-z][A-Za-z0-9_]*$"],
                "additionalProperties": ValueRule<String>.anything.schema,
            ], "values of your own placeholders: `{floor}` with `values: { floor: 1 }`", read: readValues),
        Key(
            "subdomains",
            schema: [
                "anyOf": [
                    ["type": ["string", "number", "boolean"], "pattern": "^[A-Za-z0-9]+$"],
                    ["$ref": "#/$defs/variable"],
                    .list(of: ValueRule<String>.hostLabel.schema, subdomainCount),
                ]
            ], "values of `{s}`, used in turn: `abc`, or a list", read: readSubdomains),
        Key(
            "headers", schema: .headers(atMost: mostHeaders),
            "headers of every request; not sent to another origin after a redirect"
        ) { section, source in
            let others = [("userAgent", "User-Agent"), ("referer", "Referer")]
            source.headers = section.headers("headers", atMost: mostHeaders, others: others).map(Header.init)
        },
        Key(
            "userAgent", optional: \.userAgent, .headerValue, takesNull: true,
            "`User-Agent` of requests; unset: the name of this server"),
        Key("referer", optional: \.referer, .headerValue, takesNull: true, "`Referer` of requests"),
        Key("scheme", \.scheme, .choice, "row order of `{y}`; `tms` counts from the south"),
        Key(
            "allowPrivate", \.allowPrivate, .boolean,
            "whether a redirect, or a host that had a public address, may lead to a private or local address"),
        Key(
            "caFile", optional: \.caFile, .filledText("a file"), takesNull: true,
            "PEM file with the certificate authorities for an `https:` upstream, instead of the system's"
        ).locating(\.caFile),
        Key(
            "clientCertificate",
            schema: [
                "anyOf": [
                    ["type": "string", "minLength": 1],
                    [
                        "type": "object", "additionalProperties": false, "required": ["certificate", "key"],
                        "properties": [
                            "certificate": ["type": "string", "minLength": 1],
                            "key": ["type": "string", "minLength": 1],
                        ],
                    ],
                ]
            ],
            "TLS client certificate: `{ certificate: a.pem, key: b.pem }`, or one PEM file with both; the key "
                + "has no password", read: readClientCertificate),
        Key(
            "rejectSHA256",
            schema: [
                "anyOf": [ValueRule<String>.sha256.schema, .list(of: ValueRule<String>.sha256.schema, .listCount)]
            ],
            "SHA-256 of images that count as failures, such as a provider's placeholder for \"not "
                + "available\"; one, or a list",
            refusal: { $0.rejectSHA256.lazy.compactMap(ValueRule.sha256.refusal).first }, read: readRejected),
    ]

    package mutating func check(_ section: inout MappingReader) {
        locateFiles(&section)
        reportProblems(
            &section, unlessUnsound: [Self.key, "values", "subdomains", "caFile", "clientCertificate"])
    }

    private static let subdomainCount = 1...64
    private static let mostHeaders = 64

    /// Reads the paths of a client certificate and its key. Both may be in one file, or in two files.
    private static func readClientCertificate(_ section: inout MappingReader, _ source: inout URLSource) {
        guard section.has("clientCertificate") else { return section.acknowledge(["clientCertificate"]) }
        if section.isScalar("clientCertificate") {
            let path = readPath(&section, "clientCertificate")
            source.clientCertificate = path.map { ClientCertificate(certificate: $0) }
            return
        }
        section.mapping("clientCertificate") { section in
            let certificate = readPath(&section, "certificate")
            let key = readPath(&section, "key")
            for key in ["certificate", "key"] where section.isMapping && !section.has(key) {
                section.complain("\(key) is missing")
            }
            source.clientCertificate = certificate.map { ClientCertificate(certificate: $0, key: key) }
        }
    }

    private static func readPath(_ section: inout MappingReader, _ key: String) -> String? {
        section.value(key, ValueRule<String>.filledText("a file")).map { section.located($0, for: key) }
    }

    /// Reads one hash or a list of hashes.
    private static func readRejected(_ section: inout MappingReader, _ source: inout URLSource) {
        if section.isScalar("rejectSHA256") {
            if let hash = section.value("rejectSHA256", .sha256) { source.rejectSHA256 = [hash] }
        } else {
            section.list("rejectSHA256", into: &source.rejectSHA256) { _ in .sha256 }
        }
    }

    /// Reads the subdomains. They are a list of names, or a text in which each letter or digit is a name.
    private static func readSubdomains(_ section: inout MappingReader, _ source: inout URLSource) {
        if section.isScalar("subdomains") {
            var letters = ""
            section.value("subdomains", .hostLabel, into: &letters)
            if letters.utf8.contains(UInt8(ascii: "-")) {
                section.complain("subdomains", "expected letters such as abc, or a list, found \(quoted(letters))")
            }
            source.subdomains = letters.map(String.init)
        } else {
            section.list("subdomains", count: subdomainCount, into: &source.subdomains) { _ in .hostLabel }
        }
    }

    private static func readValues(_ section: inout MappingReader, _ source: inout URLSource) {
        section.mapping("values") { section in
            for name in section.keys {
                var value = ""
                section.value(name, .anything, into: &value)
                source.values[name] = value
                let isName =
                    name.utf8.first.map(ASCII.isLetter) == true
                    && name.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
                if URLSource.builtInPlaceholders.contains(name) {
                    section.refuse(name, "{\(name)} is a built-in placeholder; choose another name")
                } else if !isName {
                    section.refuse(name, "expected a placeholder name: a letter, then letters, digits and _")
                }
            }
        }
    }

    package static let key = "url"
    package static let wording = "a url"
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var isLocal: Bool { template.utf8.starts(with: "file:".utf8) }

    /// The settings that decide which tiles the upstream sends. The other settings are not part of them: the
    /// certificate files, the user agent, the referer, the subdomains, `allowPrivate` and the rejected hashes.
    package var identity: [String] {
        [template, scheme.rawValue]
            + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    package func problems() -> [SourceProblem] {
        do throws(URLTemplateError) {
            let template = try URLTemplate(self)
            let missing = template.scheme == .file ? template.missingDirectory : nil
            return missing.map { [SourceProblem(key: Self.key, message: $0)] } ?? TLSFiles.problems(in: self)
        } catch {
            guard case .unknownPlaceholder(let name) = error, URLTemplateError.hint(for: name).isEmpty else {
                return [SourceProblem(key: Self.key, message: "\(error)")]
            }
            let known = (URLTemplate.placeholders + values.keys.sorted()).map { "{\($0)}" }.joined(separator: " ")
            return [SourceProblem(key: Self.key, message: "\(error); known placeholders: \(known)")]
        }
    }
}

extension URLTemplate {
    /// Makes the template that the settings describe.
    package init(_ source: URLSource) throws(URLTemplateError) {
        try self.init(
            source.template, values: source.values, subdomains: source.subdomains, isTMS: source.scheme == .tms)
    }
}

extension TLSFiles {
    /// Takes the files that the settings name.
    package init(_ source: URLSource) {
        self.init(
            authorities: source.caFile, certificate: source.clientCertificate?.certificate,
            key: source.clientCertificate?.key)
    }

    fileprivate static func problems(in source: URLSource) -> [SourceProblem] {
        let files = TLSFiles(source)
        let checks = [
            ("caFile", files.authorities, files.readAuthorities),
            ("clientCertificate", files.certificate, files.readKey),
        ]
        return checks.compactMap { key, path, read in
            guard path != nil else { return nil }
            guard source.template.lowercased().hasPrefix("https:") else {
                return SourceProblem(
                    key: key, message: "needs a url with https:, and the layer's url has another scheme")
            }
            do {
                _ = try read()
                return nil
            } catch {
                return SourceProblem(key: key, message: "\(error)")
            }
        }
    }
}
