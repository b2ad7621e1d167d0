extension Floor {
    static let ground = Floor(
        number: 1,
        rooms: [
            Room("Auditorium", .hall, x: 0, y: 0, width: 44, height: 36),
            Room("Lab", .work, x: 44, y: 0, width: 26, height: 36),
            Room("", .passage, x: 70, y: 0, width: 14, height: 20),
            Room("WC", .service, x: 70, y: 20, width: 14, height: 16),
            Room("Studio", .work, x: 84, y: 0, width: 28, height: 36),
            Room("Office", .work, x: 112, y: 0, width: 28, height: 18),
            Room("Store", .service, x: 112, y: 18, width: 28, height: 18),
            Room("Concourse", .passage, x: 0, y: 36, width: 140, height: 14),
            Room("Cafe", .food, x: 0, y: 50, width: 30, height: 34),
            Room("Shop", .food, x: 30, y: 50, width: 22, height: 34),
            Room("Lobby", .hall, x: 52, y: 50, width: 36, height: 34),
            Room("Gallery", .reading, x: 88, y: 50, width: 52, height: 34),
        ],
        doors: [
            Door(14, 36, .north, width: 4), Door(32, 36, .north, width: 4), Door(57, 36, .north), Door(77, 36, .north),
            Door(92, 36, .north), Door(112, 12, .east), Door(112, 27, .east), Door(15, 50, .south),
            Door(41, 50, .south), Door(64, 50, .south, width: 5), Door(76, 50, .south, width: 5),
            Door(108, 50, .south, width: 4), Door(66, 84, .south, width: 5), Door(74, 84, .south, width: 5),
            Door(0, 43, .west, width: 4), Door(140, 43, .east, width: 4),
        ],
        stairs: [Box(71.2, 2, width: 5.2, height: 15), Box(77.6, 2, width: 5.2, height: 15)],
        furniture: groundFurniture)

    static let upper = Floor(
        number: 2,
        rooms: [
            Room("Reading room", .reading, x: 0, y: 0, width: 70, height: 36),
            Room("", .passage, x: 70, y: 0, width: 14, height: 20),
            Room("WC", .service, x: 70, y: 20, width: 14, height: 16),
            Room("Archive", .service, x: 84, y: 0, width: 56, height: 36),
            Room("Mezzanine", .passage, x: 0, y: 36, width: 140, height: 14),
            Room("Office 1", .work, x: 0, y: 50, width: 26, height: 17),
            Room("Office 2", .work, x: 26, y: 50, width: 26, height: 17),
            Room("Meeting", .hall, x: 0, y: 67, width: 52, height: 17),
            Room("Void", .void, x: 52, y: 50, width: 36, height: 34),
            Room("Terrace", .outdoor, x: 88, y: 50, width: 52, height: 34),
        ],
        doors: [
            Door(20, 36, .north, width: 4), Door(50, 36, .north, width: 4), Door(77, 36, .north), Door(98, 36, .north),
            Door(126, 36, .north), Door(13, 50, .south), Door(39, 50, .south), Door(45, 67, .south),
            Door(106, 50, .south, width: 4), Door(122, 50, .south, width: 4),
        ],
        stairs: [Box(71.2, 2, width: 5.2, height: 15), Box(77.6, 2, width: 5.2, height: 15)],
        furniture: upperFurniture)

    private static let groundFurniture: [Box] = [
        Box(6, 3, width: 32, height: 1.2).repeated(3, dy: 3.6), Box(6, 23, width: 32, height: 1.2).repeated(2, dy: 3.6),
        Box(4.5, 72, width: 4, height: 3).repeated(3, dx: 8),
        Box(4.5, 78, width: 4, height: 3).repeated(3, dx: 8), [Box(60, 76, width: 20, height: 2)],
        Box(94, 58, width: 8, height: 1.4).repeated(2, dx: 32),
        Box(94, 74, width: 8, height: 1.4).repeated(2, dx: 32),
    ].flatMap(\.self)

    private static let upperFurniture: [Box] = [
        Box(4, 3, width: 1.4, height: 12).repeated(9, dx: 3.6), Box(42, 5, width: 5, height: 8).repeated(3, dx: 8.5),
        Box(89, 4, width: 1.6, height: 10).repeated(11, dx: 4.3), Box(4, 73, width: 10, height: 5).repeated(2, dx: 34),
        Box(97, 75, width: 5, height: 3).repeated(3, dx: 13),
    ].flatMap(\.self)
}
