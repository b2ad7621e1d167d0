import Glibc

/// Resolves relative paths in a configuration file. A relative path starts at the directory of that file, and not at
/// the working directory of the program.
extension MappingReader {
    /// Returns the location of the file that `path` means. `path` is the value of `key`. Earlier versions looked in the
    /// working directory: if files are opened and the file exists only there, the method reports an error. `isThere`
    /// reports whether a file exists.
    package mutating func located(
        _ path: String, for key: String, isThere: (String) -> Bool = { access($0, F_OK) == 0 }
    ) -> String {
        let place = context.place(of: path)
        if context.opensSources, place != path, !isThere(place), isThere(path) {
            complain(
                key,
                "expected \(shownPath(place)), found \(shownPath(path)) only in the working directory; a relative "
                    + "path starts at the directory of the configuration")
        }
        return place
    }
}

extension MappingReader.Context {
    /// Returns the location of the file that a path in the configuration means.
    package func place(of path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/") else { return path }
        var (directory, path) = (directory, Substring(path))
        // `config/../var` is `var`, unless `config` is a link.
        while path.hasPrefix("../"), let outer = Self.outer(directory) {
            directory = outer
            path = path.dropFirst(3)
        }
        let isJoined = directory.isEmpty || directory.utf8.last == UInt8(ascii: "/")
        return isJoined ? directory + path : "\(directory)/\(path)"
    }

    /// Returns the parent of `directory`. Returns nil if its last component is not a name, or not a directory itself,
    /// such as a link.
    private static func outer(_ directory: String) -> String? {
        let name = directory.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
        guard let name, name != ".", name != "..", directory.hasSuffix(name) else { return nil }
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return directoryPart(of: directory)
    }
}

extension Key {
    /// Returns this key like `following`. The path at `target` is resolved relative to the file's own directory.
    package func locating(_ target: Path<String>) -> Key {
        following { section, settings in
            settings[keyPath: target] = section.located(settings[keyPath: target], for: name)
        }
    }

    /// Returns this key like `following`. The path at `target`, if there is one, is resolved relative to the file's own
    /// directory.
    package func locating(_ target: Path<String?>) -> Key {
        following { section, settings in
            settings[keyPath: target] = settings[keyPath: target].map { section.located($0, for: name) }
        }
    }

    /// Returns this key without its names in other programs. `step` runs after the key was read, if it is present and
    /// valid.
    package func following(_ step: @escaping @Sendable (inout MappingReader, inout Settings) -> Void) -> Key {
        let (name, read) = (name, read)
        return Key(
            name, schema: schema, values: values, doc, standard: standard, refusal: refusal, rows: rows,
            changes: changes
        ) { section, settings in
            read(&section, &settings)
            if section.has(name), section.isSound(name) { step(&section, &settings) }
        }
    }
}

/// Returns the directory of the file at `path`. Empty for a file in the working directory.
package func directoryPart(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
}

/// Returns `path` for a message, without control characters, so that it stays on one line. Reads at most 1024
/// characters.
package func shownPath(_ path: String) -> String {
    var result = String.UnicodeScalarView()
    for character in path.unicodeScalars.prefix(1_024) where character.properties.generalCategory != .control {
        result.append(character)
    }
    return String(result)
}
