"""Fills a store. Runs in the environment of scripts/s3-check, with boto3 and pmtiles.

    fill.py ENDPOINT REGION DIRECTORY < archives.json

Writes each kind of archive once, puts it under all its keys, and prints the access key of a new user. Tiles of a kind
are in DIRECTORY/KIND/z/x/y.png.
"""
import io
import json
import pathlib
import random
import sys

import boto3
from pmtiles.tile import Compression, TileType, tileid_to_zxy
from pmtiles.writer import Writer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tile

# Zooms of each kind. The directory of `small` is the root alone, and `deep` has leaf directories.
KINDS = {"small": range(0, 4), "deep": range(0, 8)}
# Writing each tile of a deep archive as a file would take long.
KEPT = {"small": 1, "deep": 89}
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}


def archive(zooms, directory, kept):
    """Returns a PMTiles archive, and writes one of `kept` tiles below the directory. Each tile is another picture, and
    the lengths are random, so that the directories of a deep archive compress badly."""
    lengths = random.Random(1)
    first = sum(4 ** z for z in range(zooms.start))
    last = sum(4 ** z for z in range(zooms.stop))
    output = io.BytesIO()
    writer = Writer(output)
    for number in range(first, last):
        z, x, y = tileid_to_zxy(number)
        body = tile.png(lengths.randrange(900, 1_400), 64, seed=number)
        writer.write_tile(number, body)
        if (number - first) % kept:
            continue
        path = directory / f"{z}/{x}/{y}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    header = {
        "tile_type": TileType.PNG, "tile_compression": Compression.NONE,
        "min_lon_e7": -1_800_000_000, "min_lat_e7": -850_000_000, "max_lon_e7": 1_800_000_000,
        "max_lat_e7": 850_000_000, "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0}
    writer.finalize(header, {"name": "noise", "attribution": "nobody"})
    return output.getvalue()


def access_key(endpoint):
    iam = boto3.client("iam", endpoint_url=endpoint, region_name="us-east-1", **NOBODY)
    iam.create_user(UserName="reader")
    arn = iam.create_policy(PolicyName="read", PolicyDocument=json.dumps(POLICY))["Policy"]["Arn"]
    iam.attach_user_policy(UserName="reader", PolicyArn=arn)
    made = iam.create_access_key(UserName="reader")["AccessKey"]
    return {"id": made["AccessKeyId"], "secret": made["SecretAccessKey"]}


# moto accepts any key until it checks signatures.
NOBODY = {"aws_access_key_id": "nobody", "aws_secret_access_key": "nothing"}


def main():
    endpoint, region, directory = sys.argv[1:]
    wanted = json.load(sys.stdin)
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name=region, **NOBODY)
    made = {kind: archive(KINDS[kind], pathlib.Path(directory) / kind, KEPT[kind]) for kind in {kind for kind, *_ in wanted}}
    for bucket in {bucket for _, bucket, *_ in wanted}:
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": region})
    for kind, bucket, key, is_public in wanted:
        s3.put_object(Bucket=bucket, Key=key, Body=made[kind], ACL="public-read" if is_public else "private")
    json.dump(access_key(endpoint), sys.stdout)


if __name__ == "__main__":
    main()
