/** Requests to the server. What goes wrong is one sentence: the server's own, or one of ours. */

/** An answer of the server that is not a success. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function request(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(`/api/${path}`, options);
  } catch {
    throw new RequestError("The server does not answer: is `halma serve` still running?", 0);
  }
  if (!answer.ok) {
    const { error } = await answer.json().catch(() => ({}));
    throw new RequestError(error ?? `The server answered with status ${answer.status}.`, answer.status);
  }
  return answer.headers.get("Content-Type")?.startsWith("application/json") ? answer.json() : answer.text();
}

/** Ask for something; `query` is added to the path. */
export function get(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return request("GET", pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path);
}

/** Send something. */
export function post(path, body = {}) {
  return request("POST", path, body);
}

const kept = new Map();

/** Ask for something that does not change while the page is open. */
export function getOnce(path, query = {}) {
  const key = `${path}?${new URLSearchParams(query)}`;
  if (!kept.has(key)) {
    kept.set(
      key,
      get(path, query).catch((error) => {
        kept.delete(key);
        throw error;
      }),
    );
  }
  return kept.get(key);
}

/** A WebSocket for analyses: opened at the first request, again if it was closed. */
export class AnalysisChannel {
  constructor() {
    this.socket = null;
    this.number = 0;
    this.listener = () => {};
  }

  /** Send a request; `listener` gets every answer to it. A new request ends the one before. */
  ask(message, listener) {
    const id = (this.number += 1);
    this.listener = (answer) => answer.id === id && listener(answer);
    this.#send({ ...message, id });
  }

  /** End what runs. */
  stop() {
    this.listener = () => {};
    this.number += 1;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type: "stop" }));
  }

  /** Close the connection: one that is not established yet as soon as it is, since browsers report the other as a failure. */
  close() {
    this.stop();
    const socket = this.socket;
    this.socket = null;
    if (socket?.readyState === WebSocket.CONNECTING) {
      socket.addEventListener("open", () => socket.close(), { once: true });
    } else {
      socket?.close();
    }
  }

  #send(message) {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) {
      const socket = this.socket;
      const send = () => socket.send(JSON.stringify(message));
      if (socket.readyState === WebSocket.OPEN) send();
      else socket.addEventListener("open", send, { once: true });
      return;
    }
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/analysis`);
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify(message)), { once: true });
    socket.addEventListener("message", (event) => this.listener(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.listener({ id: this.number, type: "error", message: "The connection to the server was lost." });
    });
  }
}
