// Made by scripts/make-world from ne_110m_populated_places_simple of
// Natural Earth (https://www.naturalearthdata.com), public domain.
// swift-format-ignore-file

extension WorldData {
    static let places: StaticString = """
        116417 51611 17 0 1 Tokyo
        38600 49262 17 0 0 New York
        92062 58481 17 0 0 Mumbai
        76913 54055 17 0 1 Cairo
        49798 74114 17 0 0 Rio de Janeiro
        107911 49654 17 0 1 Beijing
        79231 40975 17 0 1 Moscow
        66385 45086 17 0 1 Paris
        65493 43588 17 0 1 London
        120580 78677 17 0 0 Sydney
        72247 78677 17 0 1 Cape Town
        109749 53562 20 0 0 Shanghai
        22507 52363 20 0 0 Los Angeles
        66770 63184 20 0 0 Lagos
        39806 78471 20 0 1 Santiago
        78940 66003 20 0 1 Nairobi
        29443 58317 21 0 1 Mexico City
        104431 67788 21 0 1 Jakarta
        38562 63860 21 0 1 Bogota
        103348 65064 21 0 1 Singapore
        37497 50139 21 0 1 Washington, D.C.
        70080 48706 27 0 1 Rome
        48560 74365 30 0 0 São Paulo
        76098 49091 30 0 0 Istanbul
        107109 57201 30 0 0 Hong Kong
        97693 57126 37 0 0 Kolkata
        82565 56274 37 0 1 Riyadh
        44273 78978 21 1 1 Buenos Aires
        36327 55812 21 1 0 Miami
        36619 47811 21 1 0 Toronto
        20708 44860 21 1 0 Vancouver
        93644 54662 21 1 1 New Delhi
        109584 60160 27 1 1 Manila
        20965 50665 27 1 0 San Francisco
        70415 42983 27 1 1 Berlin
        114855 52027 30 1 0 Ōsaka
        111774 50757 30 1 1 Seoul
        33586 48738 30 1 0 Chicago
        37482 69955 30 1 1 Lima
        84258 51617 30 1 1 Tehran
        71111 67113 30 1 1 Kinshasa
        102132 60480 30 1 1 Bangkok
        64194 49430 30 1 1 Madrid
        34806 52433 30 1 0 Atlanta
        30823 54152 30 1 0 Houston
        118319 80430 30 1 0 Melbourne
        103426 53794 30 1 0 Chengdu
        75741 75413 30 1 0 Johannesburg
        79626 62233 30 1 1 Addis Ababa
        41172 61690 30 1 1 Caracas
        59174 60117 30 1 1 Dakar
        129165 79986 30 1 0 Auckland
        72124 38530 30 1 1 Stockholm
        109798 56116 37 1 1 Taipei
        93774 60772 37 1 0 Bangalore
        81699 52648 37 1 1 Baghdad
        29006 55860 37 1 0 Monterrey
        90724 52131 37 1 1 Kabul
        74176 50565 37 1 1 Athens
        62762 52534 37 1 0 Casablanca
        76646 44205 37 1 1 Kiev
        71494 45452 37 1 1 Vienna
        27312 49744 37 1 0 Denver
        90765 48991 37 1 1 Tashkent
        97420 47758 37 1 0 Ürümqi
        85662 56037 37 1 0 Dubai
        67772 46520 37 1 0 Geneva
        67325 43086 37 1 1 Amsterdam
        48090 71356 37 2 1 Brasília
        98452 56640 40 2 1 Dhaka
        70354 68766 40 2 1 Luanda
        77381 59788 40 2 1 Khartoum
        104074 57699 40 2 1 Hanoi
        100549 59335 40 2 0 Rangoon
        64064 63596 40 2 1 Abidjan
        77501 49655 40 2 1 Ankara
        66646 51124 40 2 1 Algiers
        78195 53192 40 2 0 Tel Aviv-Yafo
        79832 68017 40 2 1 Dar es Salaam
        62206 50222 40 2 1 Lisbon
        70335 52842 40 2 1 Tripoli
        35547 56875 40 2 1 Havana
        40085 58691 40 2 1 Santo Domingo
        65456 63511 40 2 1 Accra
        83004 54340 40 2 1 Kuwait
        81630 59877 40 2 1 Sanaa
        75038 47439 40 2 1 Bucharest
        73181 43146 40 2 1 Warsaw
        102563 64382 40 2 1 Kuala Lumpur
        74614 37934 40 2 1 Helsinki
        70110 41022 40 2 1 København
        63260 42493 40 2 1 Dublin
        61604 63232 40 2 1 Monrovia
        69449 38122 40 2 1 Oslo
        111321 50083 47 2 1 Pyongyang
        78752 52577 47 2 1 Damascus
        67113 43975 47 2 1 Brussels
        72483 45832 47 2 1 Budapest
        70802 44404 47 2 1 Prague
        37974 46934 30 3 1 Ottawa
        78354 53322 37 3 1 Jerusalem
        57544 34831 37 3 1 Reykjavík
        44549 75060 40 3 1 Asunción
        36954 65614 40 3 1 Quito
        40723 71627 40 3 1 La Paz
        68278 62214 40 3 1 Abuja
        76838 72130 40 3 1 Harare
        45084 79091 40 3 1 Montevideo
        62623 60892 40 3 1 Bamako
        75833 71217 40 3 1 Lusaka
        82053 64783 40 3 1 Mogadishu
        104462 45607 40 3 1 Ulaanbaatar
        74311 40189 40 3 1 Riga
        129173 82075 40 3 1 Wellington
        91542 43775 40 3 1 Astana
        119832 79281 40 3 1 Canberra
        119127 68998 40 3 1 Port Moresby
        44358 63054 40 3 1 Georgetown
        126818 72098 40 3 1 Port Vila
        41776 72600 47 3 1 Sucre
        69242 51107 50 3 1 Tunis
        83690 49432 50 3 1 Baku
        39199 58664 50 3 1 Port-au-Prince
        78464 52414 50 3 1 Beirut
        75572 42145 50 3 1 Minsk
        63047 52348 50 3 1 Rabat
        82836 72551 50 3 1 Antananarivo
        69728 64126 50 3 1 Yaounde
        60554 62049 50 3 1 Conakry
        103734 61301 50 3 1 Phnom Penh
        65980 63298 50 3 1 Lomé
        77401 75326 50 3 1 Maputo
        33057 60495 50 3 1 San Salvador
        77399 65420 50 3 1 Kampala
        71100 67087 50 3 1 Brazzaville
        75813 75226 50 3 1 Pretoria
        34921 61900 50 3 1 San José
        36578 62257 50 3 1 Panama City
        74025 48319 50 3 1 Sofia
        64980 60996 50 3 1 Ouagadougou
        81742 49534 50 3 1 Yerevan
        81843 48790 50 3 1 Tbilisi
        72987 47242 50 3 1 Belgrade
        90576 50298 50 3 1 Dushanbe
        78618 53248 50 3 1 Amman
        32575 60153 50 3 1 Guatemala
        71015 61092 50 3 1 Ndjamena
        33780 60348 50 3 1 Tegucigalpa
        37586 58881 50 3 1 Kingston
        100531 58191 50 3 1 Naypyidaw
        34126 61077 50 3 1 Managua
        66306 60568 50 3 1 Niamey
        72752 48984 50 3 1 Tirana
        96598 55026 50 3 1 Kathmandu
        39459 78296 50 3 0 Valparaíso
        92691 48224 50 3 1 Bishkek
        72293 63945 50 3 1 Bangui
        60717 62440 50 3 1 Freetown
        92174 52490 50 3 1 Islamabad
        66453 63200 50 3 1 Cotonou
        102892 58885 50 3 1 Vientiane
        59720 58839 50 3 1 Nouakchott
        86869 56684 50 3 1 Muscat
        86793 50581 50 3 1 Ashgabat
        71361 46735 50 3 1 Zagreb
        72229 47736 50 3 1 Sarajevo
        76043 46099 50 3 1 Chișinău
        77836 70678 50 3 1 Lilongwe
        79711 59885 50 3 1 Asmara
        85330 56344 50 3 1 Abu Dhabi
        68980 65396 50 3 1 Libreville
        74754 41658 50 3 1 Vilnius
        81580 62039 50 3 1 Hargeysa
        75086 76627 50 3 1 Bloemfontein
        59857 61185 50 3 1 Bissau
        74539 38472 50 3 1 Tallinn
        70821 51515 50 3 1 Valletta
        75542 76709 50 3 1 Maseru
        107382 63756 50 3 1 Bandar Seri Begawan
        71756 73975 50 3 1 Windhoek
        45450 63408 50 3 1 Paramaribo
        111258 68664 50 3 1 Dili
        37374 56097 50 3 1 Nassau
        77684 51843 50 3 1 Nicosia
        94611 63006 50 3 1 Colombo
        74970 74800 50 3 1 Gaborone
        63615 63048 50 3 1 Yamoussoukro
        130505 72251 50 3 1 Suva
        68734 64170 50 3 1 Malabo
        56974 60043 50 3 1 Praia
        92297 64018 50 3 1 Malé
        98173 55126 50 3 1 Thimphu
        67988 65415 50 3 1 São Tomé
        123772 68988 50 3 1 Honiara
        3008 70625 50 3 1 Apia
        1740 73413 50 3 1 Nukualofa
        85725 67219 50 3 1 Victoria
        33217 59158 50 3 1 Belmopan
        114960 51903 51 4 0 Kyoto
        76480 66247 51 4 1 Kigali
        71768 45481 51 4 1 Bratislava
        43138 61635 51 4 1 Port-of-Spain
        77034 63775 51 4 0 Juba
        43249 60706 51 4 1 Kingstown
        43017 59209 51 4 1 Saint John's
        43057 61115 51 4 1 Saint George's
        43186 59898 51 4 1 Roseau
        84299 56015 56 4 1 Doha
        67091 43248 56 4 0 The Hague
        81246 61285 56 4 1 Djibouti
        86471 73035 56 4 1 Port Louis
        83953 55631 56 4 1 Manama
        73340 48656 56 4 1 Skopje
        73242 48328 56 4 1 Pristina
        109434 59470 56 4 0 Baguio City
        76226 66766 56 4 1 Bujumbura
        70821 46601 56 4 1 Ljubljana
        66489 63170 56 4 0 Porto-Novo
        68255 46146 56 4 1 Bern
        78552 67792 56 4 0 Dodoma
        43830 60724 56 4 1 Bridgetown
        60730 55259 56 4 0 Laayoune
        72551 48427 56 4 1 Podgorica
        94645 63018 56 4 0 Sri Jawewardenepura Kotte
        76871 75473 56 4 1 Mbabane
        102565 64475 56 4 0 Putrajaya
        59495 60592 56 4 1 Banjul
        43327 60387 56 4 1 Castries
        42701 59139 56 4 1 Basseterre
        68233 47792 51 6 1 Monaco
        81279 69827 60 6 1 Moroni
        67768 44671 60 6 1 Luxembourg
        66088 48410 60 6 1 Andorra
        128530 65049 60 6 1 Tarawa
        127934 62943 60 6 1 Majuro
        76896 75534 60 6 0 Lobamba
        114552 62802 60 6 1 Melekeok
        130787 68648 60 6 1 Funafuti
        123117 63012 60 6 1 Palikir
        62022 55679 60 6 0 Bir Lehlou
        70066 47693 61 7 1 San Marino
        69001 46030 67 7 1 Vaduz
        70070 48704 70 8 1 Vatican City
        """
}
