# rocktable as an image: tables on port 10002, data in /data, a user without rights.
#
#   docker build -t rocktable .
#   docker run -p 127.0.0.1:10002:10002 -v rocktable:/data rocktable [OPTION...]
#
# tests/image/try.py carries out these steps without Docker.

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY . .
RUN script/bootstrap && script/build release rocktable && strip build/release/rocktable

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libbz2-1.0 libfmt9 libisal2 liblz4-1 libpugixml1v5 \
      libsimdjson14 libsnappy1v5 libspdlog1.10 libssl3 libstdc++6 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10002 --no-create-home --shell /usr/sbin/nologin rocktable \
 && install -d -o rocktable -g rocktable /data \
 && ln -s rocktable /usr/local/bin/azurite && ln -s rocktable /usr/local/bin/azurite-table
COPY --from=build /src/build/release/rocktable /usr/local/bin/rocktable
WORKDIR /data
VOLUME /data
EXPOSE 10002
USER 10002:10002
HEALTHCHECK --interval=5s --timeout=3s --start-period=2s --retries=3 CMD ["rocktable", "healthcheck"]
ENTRYPOINT ["rocktable", "--tableHost", "0.0.0.0"]
