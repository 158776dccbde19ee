import { Socket, type WireSocket } from "../src/socket.ts";
import { equal, ok, test } from "./harness.ts";

class FakeWire implements WireSocket {
  binaryType = "";
  bufferedAmount = 0;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: MessageEvent<ArrayBuffer>) => void) | null = null;
  onclose: ((e: never) => void) | null = null;
  sent: Uint8Array[] = [];
  closed = false;
  send(frame: Uint8Array): void {
    this.sent.push(frame);
  }
  close(): void {
    this.closed = true;
  }
}

class Fake {
  wires: FakeWire[] = [];
  log: string[] = [];
  socket: Socket;

  pause = 0;

  constructor(chance: number | (() => number)) {
    this.socket = new Socket(
      () => {
        const w = new FakeWire();
        this.wires.push(w);
        return w;
      },
      {
        connecting: () => this.log.push("connecting"),
        open: () => this.log.push("open"),
        message: (m) => this.log.push(`message ${m.join()}`),
        lost: (ms) => {
          this.pause = ms;
          this.log.push(`lost ${Math.round(ms)}`);
        },
      },
      typeof chance === "number" ? () => chance : chance,
    );
  }

  get wire(): FakeWire {
    return this.wires[this.wires.length - 1]!;
  }
}

const none = undefined as never;

test("a socket that is lost is opened again after a pause that doubles up to five seconds", () => {
  for (const [chance, pauses] of [
    [1, [200, 400, 800, 1600, 3200, 5000, 5000]],
    [0, [100, 200, 400, 800, 1600, 2500, 2500]],
  ] as const) {
    const f = new Fake(chance);
    for (const pause of pauses) {
      f.log = [];
      f.socket.connect();
      f.wire.onclose!(none);
      equal(f.log, ["connecting", `lost ${pause}`]);
    }
    f.socket.connect();
    f.wire.onopen!(none);
    f.socket.alive();
    f.log = [];
    f.wire.onclose!(none);
    equal(f.log, [`lost ${pauses[0]}`], "after a server that answered the pause is short again");
    f.socket.close();
  }
});

test("a hundred pages do not come back to a server at once", () => {
  let seed = 1;
  const chance = (): number => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
  for (const away of [0, 500, 2000, 20000]) {
    // Time is counted, not waited for: each socket says how long it pauses.
    const back: number[] = [];
    for (let i = 0; i < 100; i++) {
      const f = new Fake(chance);
      let now = 0;
      do {
        f.socket.connect();
        f.wire.onclose!(none);
        now += f.pause;
      } while (now < away);
      f.socket.close();
      back.push(now);
    }
    back.sort((a, b) => a - b);
    let most = 0;
    for (let i = 0, j = 0; j < back.length; j++) {
      while (back[j]! - back[i]! >= 25) i++;
      most = Math.max(most, j - i + 1);
    }
    ok(most <= 40, `${most} of 100 come within 25 ms to a server that was away for ${away} ms`);
    ok(back[99]! - away < 5000, `the last comes ${back[99]! - away} ms late`);
  }
});

test("there is one socket at a time, and an old one is not heard any more", () => {
  const f = new Fake(1);
  f.socket.connect();
  f.socket.connect();
  equal(f.wires.length, 1);
  const old = f.wire;
  const hear = old.onmessage!;
  old.onclose!(none);
  f.socket.connect();
  equal(f.wires.length, 2);
  ok(old.closed);
  f.log = [];
  hear({ data: new Uint8Array([1]).buffer } as MessageEvent<ArrayBuffer>);
  equal(f.log, []);
  f.wire.onmessage!({ data: new Uint8Array([1, 2]).buffer } as MessageEvent<ArrayBuffer>);
  equal(f.log, ["message 1,2"]);
  f.socket.close();
});

test("nothing is sent before it is open or after it is lost", () => {
  const f = new Fake(1);
  f.socket.connect();
  ok(!f.socket.send(new Uint8Array([1])));
  f.wire.onopen!(none);
  ok(f.socket.send(new Uint8Array([2])));
  equal(f.wire.sent.length, 1);
  f.wire.onclose!(none);
  ok(!f.socket.send(new Uint8Array([3])));
  f.socket.close();
});

test("a closed socket stays closed", () => {
  const f = new Fake(1);
  f.socket.connect();
  f.socket.close();
  f.socket.connect();
  equal(f.wires.length, 1);
});

test("a socket that was opened before it was given to us is used at once", () => {
  const log: string[] = [];
  const wire = Object.assign(new FakeWire(), { readyState: 1 });
  const socket = new Socket(() => wire, {
    connecting: () => log.push("connecting"),
    open: () => log.push(`open, connected ${socket.connected}`),
    message: (m) => log.push(`message ${m.join()}`),
    lost: () => log.push("lost"),
  });
  socket.connect();
  equal(log.join("; "), "connecting; open, connected true");
  wire.onmessage!({ data: new Uint8Array([7]).buffer } as never);
  equal(log[2], "message 7");
  socket.close();
});
