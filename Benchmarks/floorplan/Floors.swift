extension Floor {
    static let ground = Floor(
        number: 1,
        rooms: [
            Room("Auditorium", .hall, 0, 0, 44, 36), Room("Lab", .work, 44, 0, 26, 36),
            Room("", .passage, 70, 0, 14, 20), Room("WC", .service, 70, 20, 14, 16),
            Room("Studio", .work, 84, 0, 28, 36), Room("Office", .work, 112, 0, 28, 18),
            Room("Store", .service, 112, 18, 28, 18), Room("Concourse", .passage, 0, 36, 140, 14),
            Room("Cafe", .food, 0, 50, 30, 34), Room("Shop", .food, 30, 50, 22, 34),
            Room("Lobby", .hall, 52, 50, 36, 34), Room("Gallery", .reading, 88, 50, 52, 34),
        ],
        doors: [
            Door(14, 36, .north, width: 4), Door(32, 36, .north, width: 4), Door(57, 36, .north), Door(77, 36, .north),
            Door(92, 36, .north), Door(112, 12, .east), Door(112, 27, .east), Door(15, 50, .south),
            Door(41, 50, .south), Door(64, 50, .south, width: 5), Door(76, 50, .south, width: 5),
            Door(108, 50, .south, width: 4), Door(66, 84, .south, width: 5), Door(74, 84, .south, width: 5),
            Door(0, 43, .west, width: 4), Door(140, 43, .east, width: 4),
        ],
        stairs: [Box(71.2, 2, 5.2, 15), Box(77.6, 2, 5.2, 15)],
        furniture: groundFurniture)

    static let upper = Floor(
        number: 2,
        rooms: [
            Room("Reading room", .reading, 0, 0, 70, 36), Room("", .passage, 70, 0, 14, 20),
            Room("WC", .service, 70, 20, 14, 16), Room("Archive", .service, 84, 0, 56, 36),
            Room("Mezzanine", .passage, 0, 36, 140, 14), Room("Office 1", .work, 0, 50, 26, 17),
            Room("Office 2", .work, 26, 50, 26, 17), Room("Meeting", .hall, 0, 67, 52, 17),
            Room("Void", .void, 52, 50, 36, 34), Room("Terrace", .outdoor, 88, 50, 52, 34),
        ],
        doors: [
            Door(20, 36, .north, width: 4), Door(50, 36, .north, width: 4), Door(77, 36, .north), Door(98, 36, .north),
            Door(126, 36, .north), Door(13, 50, .south), Door(39, 50, .south), Door(45, 67, .south),
            Door(106, 50, .south, width: 4), Door(122, 50, .south, width: 4),
        ],
        stairs: [Box(71.2, 2, 5.2, 15), Box(77.6, 2, 5.2, 15)],
        furniture: upperFurniture)

    private static let groundFurniture: [Box] = [
        Box(6, 3, 32, 1.2).repeated(3, dy: 3.6), Box(6, 23, 32, 1.2).repeated(2, dy: 3.6),
        Box(4.5, 72, 4, 3).repeated(3, dx: 8),
        Box(4.5, 78, 4, 3).repeated(3, dx: 8), [Box(60, 76, 20, 2)], Box(94, 58, 8, 1.4).repeated(2, dx: 32),
        Box(94, 74, 8, 1.4).repeated(2, dx: 32),
    ].flatMap(\.self)

    private static let upperFurniture: [Box] = [
        Box(4, 3, 1.4, 12).repeated(9, dx: 3.6), Box(42, 5, 5, 8).repeated(3, dx: 8.5),
        Box(89, 4, 1.6, 10).repeated(11, dx: 4.3), Box(4, 73, 10, 5).repeated(2, dx: 34),
        Box(97, 75, 5, 3).repeated(3, dx: 13),
    ].flatMap(\.self)
}
