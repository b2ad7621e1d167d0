"""Requests for cameras and for their images."""
from .asking import ETAG, ask, many, post

CAMERA = {"lat": 47.4, "lng": 8.5, "zoom": 12.5, "bearing": 30, "viewingAngle": 40}
VIEW = {"width": 400, "height": 300}
SEEN = "lat=47.4&lng=8.5&zoom=12.5&bearing=30&viewingAngle=40&width=400&height=300"

UPDATES = [
    {"type": "zoomIn"}, {"type": "zoomOut"}, {"type": "zoomTo", "zoom": 3}, {"type": "toZoom", "zoom": 99},
    {"type": "zoomBy", "delta": -1.5}, {"type": "zoomBy", "delta": 1, "point": [10, 290]},
    {"type": "setTarget", "target": [10, 190]}, {"type": "setTarget", "target": [89, 20], "zoom": 4},
    {"type": "setCamera", "camera": {"lat": 1, "lng": 2, "zoom": 3, "tilt": 80}},
    {"type": "scrollBy", "x": 100, "y": -50.5}, {"type": "fitBounds", "bounds": {"sw": [45, 5], "ne": [50, 12]}},
    {"type": "fitBounds", "bounds": {"sw": [-10, 170], "ne": [10, -170]}, "padding": 0},
    {"type": "fitBounds", "bounds": {"sw": [45, 5], "ne": [50, 12]}, "insets": [1, 2, 3, 4]},
    {"type": "toLocation", "target": [0, 0]}, {"type": "toBearing", "bearing": -90},
    {"type": "toViewingAngle", "viewingAngle": 20}, {"type": "toViewingAngle", "tilt": 20},
]
BAD_UPDATES = [
    {}, {"type": "fly"}, {"type": 1}, {"type": "zoomTo"}, {"type": "zoomTo", "zoom": "3"},
    {"type": "zoomIn", "zoom": 3}, {"type": "zoomBy", "delta": 1, "point": [1]}, {"type": "scrollBy", "x": 1},
    {"type": "setTarget", "target": [91, 0]}, {"type": "fitBounds", "bounds": {"sw": [50, 5], "ne": [45, 12]}},
    {"type": "setCamera"}, [], {"type": "fitBounds", "bounds": {"sw": [45, 5], "ne": [45, 5]}},
    {"type": "zoomBy", "delta": 1, "point": [200, -900]},
    {"type": "fitBounds", "bounds": {"sw": [45, 5], "ne": [50, 12]}, "padding": 500},
    {"type": "toBearing", "bearing": None},
]
BAD_BODIES = [
    "", "{", "[]", "null", "1", '"text"', "{}", '{"camera":{}}', '{"camera":{"lat":1}}',
    '{"camera":{"lat":1,"lng":2},}', '{"camera":{"lat":1,"lng":2,"lat":3}}',
    '{"camera":{"lat":1,"lng":2},"camera":{"lat":1,"lng":2}}', '{"camera":{"lat":1,"lng":2,"height":3}}',
    '{"camera":{"lat":1,"lng":2},"more":1}', '{"camera":{"lat":1e999,"lng":2}}', '{"camera":{"lat":01,"lng":2}}',
    '{"camera":{"lat":NaN,"lng":2}}', '{"camera":{"lat":"1","lng":2}}', "[" * 40, '{"camera":{"lat":1,"lng":2}} x',
    '{"camera":{"lat":1,"lng":2},"view":{"width":0,"height":10}}', '{"camera":{"lat":1,"lng":2},"view":{"width":10}}',
    '{"camera":{"lat":1,"lng":2},"view":{"width":-5,"height":1e9}}',
    '{"camera":{"lat":1,"lng":2},"view":{"width":9,"height":9,"padding":{"top":20,"bottom":20}}}', "\ufeff{}",
    "\\u0000", '{"camera":{"lat":1,"lng":2},"update":{"type":"zoomIn"},"updates":[]}', '{"camera":null}',
    '{"camera":true}', '{"camera":{"lat":-91,"lng":2}}', '{"camera":{"lat":1,"lng":2,"tilt":3,"viewingAngle":4}}',
    "{'camera':1}", "\t\r\n ", '{"camera":{"lat":1,"lng":2},"updates":{"type":"zoomIn"}}',
    '{"camera":{"lat":1,"lng":2},"update":[]}',
    '{"camera":{"lat":1,"lng":2},"updates":[' + ",".join(['{"type":"zoomIn"}'] * 1_001) + "]}",
    '{"camera":{"lat":1,"lng":2},"duration":3}', '{"camera":{"lat":1,"lng":2,"zoom":null}}',
]
GOOD_BODIES = [
    {"camera": CAMERA}, {"camera": CAMERA, "view": VIEW},
    {"camera": {"lat": 90, "lng": 200, "zoom": 40, "bearing": 400}},
    {"camera": CAMERA, "view": {**VIEW, "padding": {"top": 10, "left": 20, "bottom": 30, "right": 40}}},
    {"camera": CAMERA, "view": VIEW, "updates": UPDATES[:6]}, {"camera": CAMERA, "updates": []},
    '{ "camera" : { "lat" : 1.0E+1 , "lng" : -0.0 } }', '{"\\u0063amera":{"lat":1,"lng":2}}',
]
STATIC = "/demo/static/*.png"
VIEWS = (
    "8.5,47.4,5/200x150", "8.5,47.4,5@30,30/200x150@2x", "-118.6,50.2,6@-30,60/300x200", "179.9,0,3/200x100",
    "5,45,12,50/300x200", "170,-10,-170,10/200x100", "0,0,0/256x256", "0,85,2.5/100x100@3x", "8.5,47.4,19@0,65/128x128",
    "8.5,47.4,5@10/1x1", "0,0,-5/64x64", "400,99,50@720,90/64x64",
)
BAD_VIEWS = (
    "8.5,47.4/100x100", "8.5,47.4,x/100x100", "nan,1,1/10x10", "1,1,1/0x10", "1,1,1/5000x10", "1,1,1/4096x4096",
    "1,1,1/100x100@5x", "1,1,1@/10x10", "1,1,1@1,2,3/10x10", "5,50,12,45/10x10", "1,2,3,4,5/10x10", "1,1,1/10",
    "1,1,1/10x10x10", "1,1,1/-1x10", "5,45,5,45/10x10", "1,1,1/100x100@0x", "1,1,1e999/10x10", ",,/10x10",
)
DECORATIONS = (
    "marker=8.5,47.4", "marker=8.5,47.4|color:%2300ff00|label:A|scale:2&marker=8,47|label:%C5%81", "marker=200,99",
    "path=8,47|9,48|8.5,47.4", "path=stroke:%23d93b30|width:4|fill:%23d93b3040|5,45|12,45|12,50",
    "path=enc:_p~iF~ps|U_ulLnnqC", "attribution=false", "background=transparent", "background=ff000080",
    "padding=10,20,30,40", "partial=false", "padding=100,0,60,0",
    "marker=8.5,47.4&path=8,47|9,48&attribution=false&background=000000&partial=true&other=1", "marker=x",
    "marker=8.5,47.4|label:AB", "marker=8.5,47.4|scale:9", "marker=http://127.0.0.1/icon.png", "marker=", "path=1,2",
    "path=enc:!", "path=stroke:red|1,2|3,4", "path=width:999|1,2|3,4", "attribution=maybe", "background=red",
    "padding=1,2,3", "padding=-1,0,0,0", "partial=0", "partial=true&partial=false", "&".join(["marker=1,1"] * 101),
    "path=" + "|".join(["1,1"] * 5_001), "marker=8.5,47.4|colour:red",
    "marker=8.5,47.4|color:%23d93b30|color:%23d93b30",
)
FLIGHT = {"camera": {"lat": 47.4, "lng": 8.5, "zoom": 4}, "view": {"width": 60, "height": 40},
          "update": {"type": "zoomIn"},
          "duration": 0.3, "fps": 10}
FLIGHTS = [
    {}, {"curve": "easeIn"}, {"curve": "easeOut"}, {"curve": "easeInOut"}, {"duration": 0}, {"fps": 3}, {"scale": 2},
    {"updates": UPDATES[:4], "update": None}, {"update": None}, {"curve": "bounce"}, {"duration": -1}, {"duration": 61},
    {"fps": 0}, {"fps": 121}, {"scale": 5}, {"view": None}, {"duration": 60, "fps": 120}, {"duration": "1"},
    {"more": 1}, {"view": {"width": 5000, "height": 9}},
]


def questions():
    yield from queries()
    yield from bodies()
    yield from images()
    yield from animations()


def queries():
    for name in ("demo", "grid", "boxed", "phone", "android", "nobody"):
        yield from many(f"/{name}/camera*", ("", f"?{SEEN}", "?lat=80&lng=300&zoom=30&bearing=-10&tilt=90"))
    yield from many("/demo/camera?*", (
        "lat=1", "lat=a&lng=1", "lat=1&lng=2&lat=3", "lat=91&lng=2", "lat=1&lng=2&zoom=", "lat=1&lng=2&width=10",
        "lat=%31&lng=2",
        "lat=1&lng=2&tilt=1&viewingAngle=2", "lat=1&lng=2&padding=1,2,3", "lat=1&lng=2&width=0&height=5", "x=1",
        "lat=+1&lng=2",
        "lat=1&lng=2&zoom=nan", "lat=1e400&lng=2", "lat=1&lng=2&width=100&height=50&padding=60,0,60,0",
        "width=100&height=100"))
    yield from many(f"/demo/projection/*&{SEEN}", (
        "point?coordinate=47.4,8.5", "point?coordinate=-47.4,-170", "point?coordinate=91,0", "coordinate?point=200,150",
        "coordinate?point=0,-500", "coordinate?point=a,b", "visible-region?a=1",
        "points-for-meters?meters=100&coordinate=47.4,8.5",
        "points-for-meters?meters=-1&coordinate=47.4,8.5", "points-for-meters?meters=1", "contains?coordinate=47.4,8.5",
        "contains?coordinate=0,0", "contains?a", "nothing?a", "point?coordinate=1,2&coordinate=3,4"))
    yield from many("/demo/projection/*", ("visible-region", "point?coordinate=1,2", "contains", ""))
    yield from many("/demo/camera/for-bounds*", (
        "", "?sw=45,5&ne=50,12&width=400&height=300", "?bounds=50,12,45,5&width=400&height=300",
        "?bounds=50,12,45,5&width=400&height=300&insets=10,20,30,40", "?sw=50,5&ne=45,12&width=400&height=300",
        "?sw=45,5&width=400&height=300", "?bounds=1,2,3&width=4&height=3", "?sw=45,5&ne=50,12",
        "?bounds=1,1,1,1&width=9&height=9",
        "?sw=-10,170&ne=10,-170&width=400&height=300&bearing=45&tilt=30",
        "?sw=45,5&ne=50,12&bounds=1,2,3,4&width=9&height=9",
        "?bounds=50,12,45,5&width=400&height=300&insets=400,0,400,0"))
    yield from many("/demo/cover*", (
        "", f"?{SEEN}", f"?{SEEN}&tileSize=512", f"?{SEEN}&scale=2", f"?{SEEN}&scale=9", f"?{SEEN}&tileSize=63",
        "?lat=0&lng=180&zoom=2&width=600&height=300", f"?{SEEN}&padding=10,20,30,40", "?lat=47&lng=8&zoom=3"))
    yield from many("/boxed/cover?*", (SEEN, "lat=0&lng=0&zoom=1&width=100&height=100"))
    yield ask(f"/demo/camera?{SEEN}", f"If-None-Match: {ETAG}")
    yield ask(f"/demo/cover?{SEEN}", method="HEAD")


def bodies():
    for body in GOOD_BODIES:
        yield post("/demo/camera", body)
    for update in UPDATES + BAD_UPDATES:
        yield post("/demo/camera", {"camera": CAMERA, "view": VIEW, "update": update})
    yield post("/boxed/camera", {"camera": CAMERA, "view": VIEW, "updates": UPDATES})
    yield post("/demo/camera", {"camera": CAMERA, "updates": [*UPDATES[:2], BAD_UPDATES[4]]})
    yield post("/demo/camera", {"camera": CAMERA, "update": {"type": "scrollBy", "x": 1, "y": 1}})
    for body in BAD_BODIES:
        yield post("/demo/camera", body)
    yield ask("/demo/camera", method="POST", body=b'{"camera":{"lat":1,"lng":2},"\xff":1}')
    yield ask("/demo/camera", "Content-Type: text/plain", method="POST", body=b'{"camera":{"lat":1,"lng":2}}')
    yield post("/demo/camera", " " * 70_000)
    yield post("/nobody/camera", {"camera": CAMERA})
    yield post("/demo/camera/for-bounds", {"camera": CAMERA})
    yield post("/demo/cover", {"camera": CAMERA})


def images():
    yield from many(STATIC, VIEWS)
    yield from many(STATIC, BAD_VIEWS)
    yield from many("/demo/static/8.5,47.4,5@30,30/200x150.png?*", DECORATIONS)
    for name in ("boxed", "skips", "fails", "shapes", "rgb", "missing", "error2", "nobody", "odd", "blend-multiply",
        "retina"):
        yield from many(f"/{name}/static/8.5,47.4,5@30,30/200x150*", (".png", "@2x.png?partial=false"))
    yield from many("/demo/static/8.5,47.4,5/200x150*", (".jpg", ".webp", "", ".png", ".png?v=1"))
    yield ask("/demo/static/8.5,47.4,5/200x150.png", method="HEAD")


def animations():
    for flight in FLIGHTS:
        body = {name: value for name, value in {**FLIGHT, **flight}.items() if value is not None}
        yield post("/demo/camera/animation", body)
        yield post("/demo/camera/animation", body, "Accept: image/apng")
    decorated = "/demo/camera/animation?marker=8.5,47.4&path=8,47|9,48&background=000000&attribution=false"
    yield post(decorated, FLIGHT, "Accept: image/apng")
    for accept in ("application/json", "image/png", "image/apng;q=0, */*", "text/html, image/apng;q=0.5", "*/*"):
        yield post("/grid/camera/animation", FLIGHT, f"Accept: {accept}")
    yield post("/skips/camera/animation", FLIGHT, "Accept: image/apng")
    yield post("/demo/camera/animation?padding=1,2,3,4", FLIGHT, "Accept: image/apng")
    yield ask("/demo/camera/animation")
