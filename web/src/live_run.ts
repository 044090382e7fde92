import type { Decoder } from './decode';
import { Recent } from './recent';
import { Samples } from './samples';
import type { Character, Frame, Header, RunEvent, Terrain } from './schema';

const kPlotSeconds = 10;
const kShareSeconds = 30;

// The live run as far as it has been received.
export class LiveRun {
  header: Header | null = null;
  frame: Frame | null = null;
  terrain: Terrain | null = null;
  samples: Samples | null = null; // of the actor that is plotted
  readonly recent = new Recent(kShareSeconds);
  private decoder: Decoder | null = null;

  get actors(): Character[] {
    return this.decoder?.actors ?? [];
  }

  begin(header: Header, decoder: Decoder, bytes: Uint8Array) {
    this.header = header;
    this.decoder = decoder;
    this.terrain = header.world.terrain;
    this.frame = null;
    this.recent.begin(bytes);
    this.plot(0);
  }

  // From now on numbers of this actor are gathered.
  plot(actor: number) {
    this.samples = new Samples(this.header!, actor);
  }

  addFrame(frame: Frame, bytes: Uint8Array) {
    this.frame = frame;
    this.recent.addFrame(frame.time, bytes);
    this.samples?.add(frame);
    this.samples?.keep(kPlotSeconds);
  }

  addEvent(event: RunEvent, bytes: Uint8Array) {
    this.recent.addEvent(event.time, bytes);
    if (event.kind === 'world' && event.data.terrain) this.terrain = event.data.terrain as Terrain;
  }
}
