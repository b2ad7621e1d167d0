"""A relay between a client and a server of this machine that delays each byte, like a distant network."""
import asyncio
import contextlib
import threading

# Bytes that one direction of a connection may hold, more than a network of 1 Gbit/s and 50 ms has on the way.
PIECE, PIECES = 65_536, 256


@contextlib.contextmanager
def relaying(port, delay):
    """Relays connections to `port`, each direction `delay` seconds late. Yields the relay's port."""
    loop = asyncio.new_event_loop()
    serving = asyncio.start_server(lambda reader, writer: relay(reader, writer, port, delay), "127.0.0.1", 0)
    server = loop.run_until_complete(serving)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def relay(reader, writer, port, delay):
    # A connection costs a round trip, too.
    await asyncio.sleep(2 * delay)
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(late(reader, far_writer, delay), late(far_reader, writer, delay), return_exceptions=True)
    for each in (writer, far_writer):
        each.close()


async def late(reader, writer, delay):
    """Copies all bytes, each after `delay` seconds."""
    loop = asyncio.get_running_loop()
    held = asyncio.Queue(PIECES)

    async def take():
        try:
            while piece := await reader.read(PIECE):
                await held.put((loop.time() + delay, piece))
        finally:
            # Also the end of a broken connection arrives late.
            await held.put((loop.time() + delay, b""))

    taking = asyncio.create_task(take())
    try:
        while True:
            due, piece = await held.get()
            await asyncio.sleep(due - loop.time())
            if not piece:
                writer.write_eof()
                return
            writer.write(piece)
            await writer.drain()
    finally:
        taking.cancel()
