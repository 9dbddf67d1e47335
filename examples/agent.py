"""An agent for MACE in Python, with its standard library alone (docs/agents.md). `python3 examples/agent.py [PORT]`"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        turn = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = {"outcome": "answer", "text": "You asked: " + turn["query_text"], "confidence": 0.8}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8700), Agent)
print("listening on", server.server_port, flush=True)
server.serve_forever()
