import { Decoder, readChunk } from './decode';
import type { ControlCurve } from './curves';
import type { Frame, Header, RunEvent } from './schema';

// The WebSocket to the program, opened again when it is lost.

export interface Named {
  name: string;
  description?: string;
}
export interface ControllerEntry extends Named {
  min_motions: number;
  max_motions: number;
}

export interface Catalog {
  type: 'catalog';
  characters: Named[];
  controllers: ControllerEntry[];
  engines: (Named | string)[];
  motions: Named[];
  skills: Named[];
}

export interface Command {
  speed: number | null;
  heading: number | null;
  style: number;
  point: [number, number] | null; // where to go, instead of a heading
}

// What a controller takes up of what it is told.
export interface Obeys {
  speed: boolean;
  heading: boolean;
}

export interface Status {
  type: 'status';
  mode: 'live' | 'recording';
  opened: number; // counts the recordings and motions that were opened
  paused: boolean;
  rate: number;
  time: number;
  realtime: number;
  late: boolean;
  missed: number;
  fell: boolean; // lies now
  falls: number;
  takes_files: boolean;
  obeys: Obeys | null; // the first character
  recording: boolean;
  recorded_seconds: number;
  downloadable: boolean; // something was recorded
  setup: {
    character: string;
    engine: string;
    controller: string;
    motions: string[];
    skill: string | null;
    friction: number;
    slope_deg: number;
    seed: number;
  };
  command: Command; // of the first character
  others: { command: Command; obeys: Obeys; fell: boolean; falls: number; metrics?: Record<string, unknown> }[]; // actors 1, 2, ...
  styles: string[]; // of the first
  metrics: Record<string, unknown>;
  server_load: number;
  clients: number;
}

export interface Listener {
  onConnected(): void;
  onLost(retrySeconds: number): void;
  onHeader(header: Header, decoder: Decoder, bytes: Uint8Array): void;
  onFrame(frame: Frame, bytes: Uint8Array): void;
  onEvent(event: RunEvent, bytes: Uint8Array): void;
  onCatalog(catalog: Catalog): void;
  onStatus(status: Status): void;
  onCurves(actor: number, curves: ControlCurve[]): void;
  onNote(text: string): void;
  onMessage(text: string, fatal: boolean): void; // refused; fatal: and closed
}

const kFirstRetry = 0.5;  // s
const kLongestRetry = 5;  // s

export class Connection {
  framesReceived = 0;
  framesUnreadable = 0;
  private socket: WebSocket | null = null;
  private decoder = new Decoder();
  private retry = kFirstRetry;

  constructor(private readonly url: string, private readonly listener: Listener) {
    this.open();
  }

  get ready(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: Record<string, unknown>) {
    if (this.ready) this.socket!.send(JSON.stringify(message));
  }

  private open() {
    const socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retry = kFirstRetry;
      this.listener.onConnected();
    };
    socket.onclose = () => {
      this.listener.onLost(this.retry);
      setTimeout(() => this.open(), 1000 * this.retry);
      this.retry = Math.min(kLongestRetry, 2 * this.retry);
    };
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => {
      if (typeof message.data === 'string') this.readText(message.data);
      else this.readBinary(new Uint8Array(message.data));
    };
  }

  private readText(text: string) {
    const message = JSON.parse(text) as { type: string; message?: string };
    if (message.type === 'catalog') this.listener.onCatalog(message as unknown as Catalog);
    else if (message.type === 'status') this.listener.onStatus(message as unknown as Status);
    else if (message.type === 'curves') {
      const { actor, curves } = message as unknown as { actor: number; curves: ControlCurve[] };
      this.listener.onCurves(actor, curves);
    } else if (message.type === 'refused') this.listener.onMessage(message.message ?? '', false);
    else if (message.type === 'note') this.listener.onNote(message.message ?? '');
    else if (message.type === 'error') this.listener.onMessage(message.message ?? '', true);
  }

  private readBinary(bytes: Uint8Array) {
    const chunk = readChunk(bytes, 0);
    if (!chunk) {
      ++this.framesUnreadable;
    } else if (chunk.type === 'HEAD') {
      this.listener.onHeader(this.decoder.readHeader(chunk.payload), this.decoder, bytes);
    } else if (chunk.type === 'EVNT' && this.decoder.header) {
      this.listener.onEvent(this.decoder.readEvent(chunk.payload), bytes);
    } else if (chunk.type === 'FRAM' && this.decoder.header) {
      const frame = this.decoder.readFrame(chunk.payload);
      if (!frame) {
        ++this.framesUnreadable;
        return;
      }
      ++this.framesReceived;
      this.listener.onFrame(frame, bytes);
    }
  }
}
