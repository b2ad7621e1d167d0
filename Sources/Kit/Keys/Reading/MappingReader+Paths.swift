import Glibc

/// Paths in a file count from the directory of that file, wherever the program was started.
extension MappingReader {
    /// Where `path`, which `key` says, lies. Reports one that is found only where it lay when paths counted from the working
    /// directory. `isThere` judges a path; the default takes anything for it that lies there.
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
    /// Where a path that stands in the file lies.
    package func place(of path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/") else { return path }
        var (directory, path) = (directory, Substring(path))
        // `config/../var` is `var`, unless the first leads elsewhere.
        while path.hasPrefix("../"), let outer = Self.outer(directory) {
            directory = outer
            path = path.dropFirst(3)
        }
        let isJoined = directory.isEmpty || directory.utf8.last == UInt8(ascii: "/")
        return isJoined ? directory + path : "\(directory)/\(path)"
    }

    /// The directory that `directory` is in, where its last part is a name, and no link.
    private static func outer(_ directory: String) -> String? {
        let name = directory.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
        guard let name, name != ".", name != "..", directory.hasSuffix(name) else { return nil }
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return directoryPart(of: directory)
    }
}

extension Key {
    /// This key, whose value at `target` is a path that counts from the file's own directory.
    package func locating(_ target: Path<String>) -> Key {
        following { section, settings in
            settings[keyPath: target] = section.located(settings[keyPath: target], for: name)
        }
    }

    /// This key, whose value at `target` is a path that counts from the file's own directory, or none.
    package func locating(_ target: Path<String?>) -> Key {
        following { section, settings in
            settings[keyPath: target] = settings[keyPath: target].map { section.located($0, for: name) }
        }
    }

    /// This key; `step` is done once it was read, where it is there and right.
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

/// The directory of the file at `path`, with which paths relative to it begin; empty for one in the working directory.
package func directoryPart(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
}

/// `path` as a message shows it: in one line, whatever its characters.
package func shownPath(_ path: String) -> String {
    var result = String.UnicodeScalarView()
    for character in path.unicodeScalars.prefix(1_024) where character.properties.generalCategory != .control {
        result.append(character)
    }
    return String(result)
}
