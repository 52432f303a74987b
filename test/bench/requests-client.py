"""The obvious script in Python: requests.get, page by page, a line for each record. requests-client.py ADDRESS"""

import json
import sys

import requests

session = requests.Session()
parameters = {"first": 100}
while True:
    reply = session.get(f"{sys.argv[1]}/admin/v2/reviews", params=parameters, headers={"authorization": "Basic x"})
    reply.raise_for_status()
    page = reply.json()
    for record in page["data"]:
        print(json.dumps(record, ensure_ascii=False))
    if not page["pageInfo"]["hasNextPage"]:
        break
    parameters["after"] = page["pageInfo"]["endCursor"]
