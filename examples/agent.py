"""An agent for MACE in Python, with its standard library alone (docs/agents.md). `python3 examples/agent.py [PORT]`"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Agent(BaseHTTPRequestHandler):
    def do_GET(self):
        # MACE looks at /health whether an agent that failed is back.
        self.say(200, {"status": "ok"})

    def do_POST(self):
        try:
            turn = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = {"outcome": "answer", "text": "You asked: " + turn["query_text"], "confidence": 0.8}
        except (KeyError, TypeError, ValueError):
            return self.say(400, {"error": "no turn of MACE"})
        self.say(200, answer)

    def say(self, status, said):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8700), Agent)
print("listening on", server.server_port, flush=True)
server.serve_forever()
