"""What GDAL must be told to read a layer of tiles, and how it is run."""
import subprocess

LAYER = """\
<GDAL_WMS>
  <Service name="TMS"><ServerUrl>{url}/{layer}/${{z}}/${{x}}/${{y}}.png</ServerUrl></Service>
  <DataWindow>
    <UpperLeftX>-20037508.342789244</UpperLeftX><UpperLeftY>20037508.342789244</UpperLeftY>
    <LowerRightX>20037508.342789244</LowerRightX><LowerRightY>-20037508.342789244</LowerRightY>
    <TileLevel>{zoom}</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY><YOrigin>top</YOrigin>
  </DataWindow>
  <Projection>EPSG:3857</Projection>
  <BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>{bands}</BandsCount>
</GDAL_WMS>
"""


def describe(file, url, layer, zoom, bands):
    """Writes into `file` that GDAL finds the layer's tiles of `zoom` at `url`."""
    file.write_text(LAYER.format(url=url, layer=layer, zoom=zoom, bands=bands))


def run(*command):
    """Whether the command did what it should. A side file with the picture's place in the world is of no use here."""
    environment = {"PATH": "/usr/bin:/bin", "GDAL_PAM_ENABLED": "NO"}
    return subprocess.run([str(word) for word in command], env=environment).returncode == 0
