import type { Status } from './connection';
import type { LiveRun } from './live_run';
import { pageWith, saveFile } from './page';
import type { Recordings } from './recordings';
import { failed, toast } from './ui/dom';

// What leaves the page: downloads and shared pages.
export class Exports {
  constructor(private readonly address: (path: string, query?: Record<string, string>) => string, private readonly recordings: Recordings,
    private readonly live: LiveRun, private readonly status: () => Status | null) {}

  // Only the program converts; from an opened file there is the recording itself.
  offers(kind: string): boolean {
    return this.recordings.player ? kind === 'recording' : this.status()?.downloadable ?? false;
  }

  async download(kind: string) {
    try {
      const ending = kind === 'recording' ? 'stride' : kind;
      const bytes = this.recordings.player?.recording.bytes ?? await this.fetchDownload(kind);
      saveFile(bytes as BlobPart, `${this.fileName()}.${ending}`, 'application/octet-stream');
    } catch (error) {
      failed('Nothing was downloaded', error);
    }
  }

  // What is open, or else what was recorded, or else the last seconds that were seen.
  async share() {
    try {
      const status = this.status();
      let bytes: Uint8Array | null;
      let what = 'the recording';
      if (this.recordings.player) {
        bytes = this.recordings.player.recording.bytes;
      } else if (status?.downloadable && !status.recording) {
        bytes = await this.fetchDownload('recording');
        what = 'what was recorded last';
      } else {
        bytes = this.live.recent.recording();
        what = `the last ${this.live.recent.duration.toFixed(1)} s`;
      }
      if (!bytes) throw new Error('no frame has arrived yet');
      const name = this.fileName();
      saveFile(await pageWith(bytes, name), `${name}.html`, 'text/html');
      toast(`Saved ${what} as one page: it plays in any browser.`);
    } catch (error) {
      failed('Nothing was shared', error);
    }
  }

  // The skill that a character performs, with its curves as they are now.
  async saveSkill(actor: number) {
    try {
      const bytes = await this.fetchDownload('skill', { actor: String(actor) });
      const { name } = JSON.parse(new TextDecoder().decode(bytes)) as { name: string };
      saveFile(bytes as BlobPart, `${fileNameOf(name)}.skill`, 'application/json');
      toast('Saved as a skill. Load it here, or perform it with: stride simulate --skill FILE');
    } catch (error) {
      failed('Nothing was saved', error);
    }
  }

  private async fetchDownload(kind: string, query: Record<string, string> = {}): Promise<Uint8Array> {
    const response = await fetch(this.address(`/download/${kind}`, query));
    if (!response.ok) throw new Error(await response.text());
    return new Uint8Array(await response.arrayBuffer());
  }

  private fileName(): string {
    const { player, origin } = this.recordings;
    const header = player?.recording.header ?? this.live.header;
    const name = player && origin !== 'server' ? player.recording.name : header?.title ?? '';
    return fileNameOf(name.replace(/\.[a-z]+$/i, ''));
  }
}

const fileNameOf = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'stride';
