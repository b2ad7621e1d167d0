# The build: everything that only a compiler needs stays here.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        libcurl4-openssl-dev libfribidi-dev libharfbuzz-dev libhiredis-dev libnghttp2-dev libpng-dev libsqlite3-dev \
        libssl-dev libturbojpeg0-dev libwebp-dev libxxhash-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# The Swift libraries go into the program, so that the second stage needs none; -s leaves the symbols out. .ci/image-build
# also runs this command.
RUN swift build --configuration release --product tileserver --static-swift-stdlib -Xlinker -s \
    && install -D "$(swift build --configuration release --show-bin-path)/tileserver" /out/usr/local/bin/tileserver \
    && mkdir -p /out/srv/tileserver \
    && cp -R config tiles LICENSE NOTICES /out/srv/tileserver/
RUN install -d -m 0700 -o 65532 -g 65532 /out/var/lib/tileserver

FROM debian:bookworm-slim
# HarfBuzz needs GLib alone. No program of the image loads its parts GIO and GObject, so they are removed.
# Packages of fonts, such as "fonts-noto-core fonts-noto-cjk". The key `fonts` of the configuration names their files.
ARG FONTS=
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        ca-certificates libcurl4 libfribidi0 libharfbuzz0b libhiredis0.14 libnghttp2-14 libpng16-16 libsqlite3-0 libssl3 \
        libturbojpeg0 libwebp7 $FONTS \
    && rm -rf /var/lib/apt/lists/* /usr/lib/*/libgio-2.0.so.* /usr/lib/*/libgobject-2.0.so.*
COPY --from=build /out/ /

# A number, so that an orchestrator can see that it is not root.
USER 65532:65532
WORKDIR /srv/tileserver
ENV TILESERVER_HOST=0.0.0.0 \
    TILESERVER_CACHE_DIRECTORY=/var/lib/tileserver
# The only place the server writes to: the root may be read-only.
VOLUME /var/lib/tileserver
# 8443 is for HTTPS, if `server.https` is set.
EXPOSE 8080 8443
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 CMD ["tileserver", "health"]
ENTRYPOINT ["tileserver"]
CMD ["serve"]
