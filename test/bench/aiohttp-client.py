"""A typical Python script of an operator: csv, aiohttp and 16 requests in flight. aiohttp-client.py ADDRESS FILE"""

import asyncio
import csv
import itertools
import sys

import aiohttp

ADDRESS, FILE = sys.argv[1:]
IN_FLIGHT = 16


async def send(session, groups):
    for entries in groups:
        url = f"{ADDRESS}/admin/v2/order-items/bulk"
        async with session.post(url, json=entries, headers={"authorization": "Basic x"}) as reply:
            reply.raise_for_status()
            await reply.json()


async def main():
    with open(FILE, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        groups = iter(lambda: list(itertools.islice(rows, 100)), [])
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(send(session, groups) for _ in range(IN_FLIGHT)))


asyncio.run(main())
