import type { Status } from './connection';
import { parseRecording, type Recording } from './decode';
import type { Inlined } from './page';
import { unpack } from './page';
import { Player } from './player';
import { Samples } from './samples';
import type { Terrain } from './schema';
import { failed } from './ui/dom';

const kMostSamples = 3000;

type Origin = 'file' | 'server' | 'shared';

// The numbers of a whole recording.
export function samplesOf(recording: Recording, actor: number): Samples {
  const samples = new Samples(recording.header, actor);
  const every = Math.max(1, Math.ceil(recording.frames.length / kMostSamples));
  recording.frames.forEach((frame, i) => i % every === 0 && samples.add(frame));
  return samples;
}

// What has happened in a recording up to a time.
export function pastOf(recording: Recording, time: number, actor: number): { fell: boolean; terrain: Terrain } {
  const past = recording.events.filter((event) => event.time <= time + 1e-9);
  const worlds = past.filter((event) => event.kind === 'world' && event.data.terrain);
  return {
    fell: past.filter((event) => (event.kind === 'fall' || event.kind === 'up') && (event.data.actor ?? 0) === actor).at(-1)?.kind === 'fall',
    terrain: worlds.length > 0 ? worlds[worlds.length - 1].data.terrain as Terrain : recording.header.world.terrain,
  };
}

export interface RecordingsListener {
  onOpened(player: Player): void;
  onClosed(): void;
}

// Which recording is open, if any, and where it came from.
export class Recordings {
  player: Player | null = null;
  origin: Origin = 'file';
  private fetching = false;
  private openedCount = -1; // of the program's recordings, the one that was fetched

  // `address`: of a path of the program.
  constructor(private readonly address: (path: string) => string, private readonly listener: RecordingsListener) {}

  openFile(file: File) {
    file.arrayBuffer()
      .then((buffer) => this.open(new Uint8Array(buffer), file.name, 'file'))
      .catch((error: unknown) => failed(`${file.name} cannot be opened`, error));
  }

  openInlined(inlined: Inlined) {
    unpack(inlined.base64)
      .then((bytes) => this.open(bytes, inlined.name, 'shared'))
      .catch((error: unknown) => failed('The recording in this page cannot be read', error));
  }

  // What the program has open is open here too, unless the user opened a file.
  follow(status: Status) {
    if (status.mode === 'recording') {
      if (status.opened !== this.openedCount || !this.player) this.fetch(status.opened);
    } else if (this.player && this.origin === 'server' && !this.fetching) {
      this.close();
    }
  }

  // True where there is nothing to ask the program for.
  backToLive(status: Status | null): boolean {
    if (this.origin === 'file' && status?.mode === 'live') {
      this.close();
      return true;
    }
    this.origin = 'server';
    return false;
  }

  private open(bytes: Uint8Array, name: string, origin: Origin) {
    this.player = new Player(parseRecording(bytes, name));
    this.origin = origin;
    this.listener.onOpened(this.player);
  }

  private close() {
    this.player = null;
    this.listener.onClosed();
  }

  private fetch(count: number) {
    if (this.fetching || (this.player && this.origin === 'file' && this.openedCount === count)) return;
    this.fetching = true;
    this.openedCount = count;
    fetch(this.address('/recording'))
      .then(async (response) => {
        if (!response.ok) throw new Error(await response.text());
        this.open(new Uint8Array(await response.arrayBuffer()), 'recording', 'server');
      })
      .catch((error: unknown) => failed('The recording cannot be fetched', error))
      .finally(() => (this.fetching = false));
  }
}
