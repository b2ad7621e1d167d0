"""Runs a Python text for QGIS's console, and draws the layer that it adds; run by a Python that has QGIS.

    qgis_console.py SNIPPET PICTURE SIDE

PICTURE is the whole world's square, SIDE pixels wide, with nothing where there are no tiles.
"""
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# The console has these names.
from qgis.core import *  # noqa: E402,F403
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor  # noqa: E402

snippet, picture, side = sys.argv[1], sys.argv[2], int(sys.argv[3])
application = QgsApplication([], False)
application.initQgis()
with open(snippet) as text:
    exec(text.read())
settings = QgsMapSettings()
settings.setLayers(QgsProject.instance().mapLayers().values())
settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
half = 20037508.342789244
settings.setExtent(QgsRectangle(-half, -half, half, half))
settings.setOutputSize(QSize(side, side))
# A dense screen: two pixels a point.
settings.setOutputDpi(192)
settings.setBackgroundColor(QColor(0, 0, 0, 0))
drawing = QgsMapRendererSequentialJob(settings)
drawing.start()
drawing.waitForFinished()
drawing.renderedImage().save(picture)
for name, error in ((error.layerID, error.message) for error in drawing.errors()):
    print(f"{name}: {error}", file=sys.stderr)
# Without that QGIS ends with a signal.
QgsProject.instance().clear()
application.exitQgis()
